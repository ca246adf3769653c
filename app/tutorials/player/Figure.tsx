/** Placeholder until the trace is wired. */
import type { FigureSpec } from '../document';

export function Figure({ spec }: { readonly spec: FigureSpec }): React.ReactNode {
  return spec.caption ? null : null;
}
