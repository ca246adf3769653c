/**
 * Diagnostics are values. Codes are stable (`HC0101`); messages speak Triton's vocabulary and say what
 * to do. A half-typed program yields diagnostics, never an exception.
 */
import type { Location } from './ir/location';

export interface Diagnostic {
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly location: Location;
  readonly notes: readonly { readonly message: string; readonly location?: Location }[];
  /** A replacement that would mend it, where there is one. */
  readonly fix?: { readonly title: string; readonly location: Location; readonly text: string };
}

/** A note of what was found with guessed argument types: it may be the guess's fault. */
export const GUESSED =
  'the argument types are guessed from the text; running the program tells for sure';

/** Thrown inside a phase and caught at its edge, where it becomes a value. */
export class DiagnosticError extends Error {
  constructor(readonly diagnostic: Diagnostic) {
    super(diagnostic.message);
  }
}
