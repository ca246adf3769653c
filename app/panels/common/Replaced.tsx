/**
 * A note for a run whose program replaced parts of torch, triton or numpy: comparisons and times go
 * through those. The worker finds them when the run has ended; a program that puts them back before
 * is not found.
 */
import type { RunRecord } from '../../state/record';

/** Names that are listed. */
const MOST = 4;

export function Replaced({ record }: { readonly record: RunRecord }): React.ReactNode {
  const { replaced } = record;
  if (replaced.length === 0) return null;
  const more = replaced.length - MOST;
  return (
    <p className="hint replaced" role="note">
      This program replaced {replaced.slice(0, MOST).map(named).join(', ')}
      {more > 0 ? ` and ${more} more` : ''}: its comparisons and times are what it makes of them.
    </p>
  );
}

/** A program that reaches JavaScript can change any of them. */
const named = (name: string): string => (name === 'JavaScript' ? 'the bridge to JavaScript' : name);
