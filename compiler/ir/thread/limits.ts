/** How large a kernel may become before it is refused. */
import { MESSAGES } from '../../codes';
import { DiagnosticError } from '../../diagnostics';
import type { Location } from '../location';
import { UNKNOWN_LOCATION } from '../location';

/** No driver compiles more lines in minutes; tiles far beyond a GPU's registers come to it. */
const MAX_LINES = 150_000;
/** A driver on the CPU takes minutes for so many, and a browser draws nothing meanwhile. */
const MAX_LINES_OF_SOFTWARE = 20_000;
/** Operations of thread IR for a line of WGSL: more than any kernel has, so that lines decide. */
const OPERATIONS_FOR_A_LINE = 8;

/**
 * The most lines of WGSL that a kernel may have. @param software for an adapter that runs on the
 * CPU.
 */
export function mostLines(software: boolean): number {
  return software ? MAX_LINES_OF_SOFTWARE : MAX_LINES;
}
export function mostOperations(software: boolean): number {
  return OPERATIONS_FOR_A_LINE * mostLines(software);
}

export function tooLarge(location: Location | null, software: boolean): DiagnosticError {
  const limit = mostLines(software);
  return new DiagnosticError({
    code: 'HC0510',
    severity: 'error',
    message: software ? MESSAGES.HC0510.software({ limit }) : MESSAGES.HC0510.lines({ limit }),
    location: location ?? UNKNOWN_LOCATION,
    notes: [],
  });
}
