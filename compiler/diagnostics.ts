/**
 * Diagnostics are values. Codes are stable (`HC0101`); messages speak Triton's vocabulary and say
 * what to do. A half-typed program yields diagnostics, never an exception.
 */
import type { Location } from './ir/location';

/** A note of a diagnostic, with its place where that is another one. */
export interface Note {
  readonly message: string;
  readonly location?: Location;
}

/** `called at kernels.py:12`; the message alone where the note has no place of its own. */
export function noteText({ message, location }: Note): string {
  return location ? `${message} at ${location.file}:${location.line}` : message;
}

export interface Diagnostic {
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly location: Location;
  readonly notes: readonly Note[];
  /** A replacement that would mend it, where there is one. */
  readonly fix?: { readonly title: string; readonly location: Location; readonly text: string };
}

/** A note of what was found with guessed argument types: it may be the guess's fault. */
export const GUESSED = 'the arguments are guessed; a run checks the real ones';

/** A note of what was found with the arguments that the kernel was launched with last. */
export const LAST_RUN = 'with the arguments of the last run';

/** Thrown inside a phase and caught at its edge, where it becomes a value. */
export class DiagnosticError extends Error {
  constructor(readonly diagnostic: Diagnostic) {
    super(diagnostic.message);
  }
}
