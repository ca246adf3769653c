/**
 * Whose errors they are: each element's error is counted for the program of the launch that wrote
 * it.
 */
import { SEVERAL } from '../../compiler/inspect/constants';
import { forEachPair, isClose, type Pair, type Tolerance } from './errors';

/** The errors of the elements that one program wrote. */
export interface ProgramErrors {
  /** Linear index. */
  readonly program: number;
  readonly elements: number;
  readonly over: number;
  /** NaN where something is not finite that should be, or the other way round. */
  readonly largest: number;
  /** The flat index of its first element over the tolerance. */
  readonly first: number | null;
}
export interface ErrorsByProgram {
  /** Those with elements over the tolerance, most first; the rest are counted only. */
  readonly worst: readonly ProgramErrors[];
  readonly withErrors: number;
  readonly writing: number;
  /**
   * Elements that no program wrote, or several: how many, of them over the tolerance, the first of
   * those.
   */
  readonly nobody: Unowned;
  readonly several: Unowned;
  /** Largest absolute error of each program, NaN as above; −1 where it wrote nothing here. */
  readonly largest: Float32Array;
}

export interface Unowned {
  readonly elements: number;
  readonly over: number;
  readonly first: number | null;
}

const WORST_PROGRAMS = 100;

/**
 * @param owners for each element a program's linear index; `NOBODY`, `SEVERAL` where it is no
 * single one.
 */
export function errorsByProgram(
  pair: Pair,
  tolerance: Tolerance,
  owners: Int32Array,
  programs: number,
): ErrorsByProgram {
  const largest = new Float32Array(programs).fill(-1);
  const elements = new Int32Array(programs);
  const over = new Int32Array(programs);
  const first = new Float64Array(programs).fill(-1);
  const nobody = { elements: 0, over: 0, first: null as number | null };
  const several = { ...nobody };
  forEachPair(pair, (flat, a, e, difference) => {
    const program = owners[flat]!;
    const close = isClose(a, e, difference, tolerance);
    if (program < 0 || program >= programs) {
      const counted = program === SEVERAL ? several : nobody;
      counted.elements++;
      if (!close && counted.over++ === 0) counted.first = flat;
      return;
    }
    elements[program]!++;
    if (!close && over[program]!++ === 0) first[program] = flat;
    const size = Math.abs(difference);
    if (close && !(size < Infinity)) return;
    const known = largest[program]!;
    if (!(size < Infinity)) largest[program] = NaN;
    else if (size > known) largest[program] = size;
  });
  const wrong: ProgramErrors[] = [];
  let writing = 0;
  for (let program = 0; program < programs; program++) {
    if (elements[program]! > 0) writing++;
    if (over[program]! === 0) continue;
    wrong.push({
      program,
      elements: elements[program]!,
      over: over[program]!,
      largest: largest[program]!,
      first: first[program]! < 0 ? null : first[program]!,
    });
  }
  wrong.sort((x, y) => y.over - x.over || x.program - y.program);
  const worst = wrong.slice(0, WORST_PROGRAMS);
  return { worst, withErrors: wrong.length, writing, nobody, several, largest };
}
