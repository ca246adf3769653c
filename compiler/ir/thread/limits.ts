/**
 * How large a kernel may become before it is refused: in operations while it is made, in what its
 * pipeline costs a driver once all passes have run, and in lines while it is printed.
 */
import { MESSAGES } from '../../codes';
import { DiagnosticError } from '../../diagnostics';
import { walk } from '../ir';
import type { Location } from '../location';
import { UNKNOWN_LOCATION } from '../location';
import type { ThreadFunc } from './ir';
import type { Survey } from './survey';

/** No driver compiles more lines in minutes; tiles far beyond a GPU's registers come to it. */
const MAX_LINES = 150_000;
/** A slow driver takes minutes for so many, and a browser draws nothing meanwhile. */
const MAX_SLOW_LINES = 20_000;
/** Operations of thread IR for a line of WGSL: more than any kernel has, so that lines decide. */
const OPERATIONS_FOR_A_LINE = 8;
/**
 * Registers that a branch costs as much as. A driver keeps, for each basic block, which values are
 * live there, and walks the live values at each operation.
 */
const REGISTERS_FOR_A_BRANCH = 4;
/**
 * The most that a pipeline may cost a driver (`pipelineCost`). For a million SwiftShader takes half
 * a second to two seconds of a core; the cheapest kernel that took it minutes and gigabytes came to
 * 25 million (`docs/measurements.md`). The largest kernels of the gallery come to two million
 * there, and to three for a GPU, of which no driver was measured: they are allowed what takes
 * SwiftShader minutes.
 */
const MAX_COST = 100e6;
const MAX_COST_WHERE_SLOW = 15e6;

/**
 * The most lines of WGSL that a kernel may have.
 * @param compilesSlowly as of the target's machine.
 */
export function mostLines(compilesSlowly: boolean): number {
  return compilesSlowly ? MAX_SLOW_LINES : MAX_LINES;
}
export function mostOperations(compilesSlowly: boolean): number {
  return OPERATIONS_FOR_A_LINE * mostLines(compilesSlowly);
}

export function tooLarge(location: Location | null, compilesSlowly: boolean): DiagnosticError {
  const limit = mostLines(compilesSlowly);
  const message = compilesSlowly
    ? MESSAGES.HC0510.slow({ limit })
    : MESSAGES.HC0510.lines({ limit });
  return refusal(message, location ?? UNKNOWN_LOCATION);
}
function refusal(message: string, location: Location): DiagnosticError {
  return new DiagnosticError({ code: 'HC0510', severity: 'error', message, location, notes: [] });
}

export function mostCost(compilesSlowly: boolean): number {
  return compilesSlowly ? MAX_COST_WHERE_SLOW : MAX_COST;
}

/**
 * Estimate of the work that a driver has with a kernel: registers and their allocation are what
 * grows faster than the text. @param registers alive at once (`pressure.ts`).
 */
export function pipelineCost({ values, control }: Survey, registers: number): number {
  return values * (registers + REGISTERS_FOR_A_BRANCH * control.length);
}

/** @throws where a driver would take minutes for the kernel. */
export function checkPipelineCost(
  func: ThreadFunc,
  survey: Survey,
  registers: number,
  compilesSlowly: boolean,
): void {
  if (pipelineCost(survey, registers) <= mostCost(compilesSlowly)) return;
  const size = { values: survey.values, registers, branches: survey.control.length };
  const message = compilesSlowly ? MESSAGES.HC0510.slowCost(size) : MESSAGES.HC0510.cost(size);
  throw refusal(message, largestLine(func));
}

/** The line of the program that most operations come from. */
function largestLine(func: ThreadFunc): Location {
  const lines = new Map<string, { readonly location: Location; count: number }>();
  let largest = { location: func.location, count: 0 };
  walk(func.body, ({ location }) => {
    const at = ofProgram(location);
    const key = `${at.file}:${at.line}`;
    const line = lines.get(key) ?? { location: at, count: 0 };
    lines.set(key, line);
    if (++line.count > largest.count) largest = line;
  });
  return largest.location;
}
/** The call of what is inlined from Triton's own files. */
function ofProgram(location: Location): Location {
  let at = location;
  while (at.file.startsWith('triton/') && at.inlinedAt) at = at.inlinedAt;
  return at;
}
