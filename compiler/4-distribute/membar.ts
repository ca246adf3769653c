/**
 * Membar analysis: the accesses that are pending since the last barrier, followed through branches
 * and around loops to a fixed point.
 */
import type { Block, Operation } from '../ir/ir';

/**
 * The transfer function: what is pending behind an operation. It may insert a barrier before it.
 */
export type Step<T> = (op: Operation, pending: ReadonlySet<T>) => ReadonlySet<T>;

export function behindBlock<T>(
  { ops }: Block,
  pending: ReadonlySet<T>,
  step: Step<T>,
): ReadonlySet<T> {
  for (const op of [...ops]) pending = step(op, pending);
  return pending;
}

/**
 * Accesses pending behind a branch or a loop, by the steps in it; for others, those before. A loop
 * is repeated until its set grows no more; barriers that were inserted stay.
 */
export function behindRegions<T>(
  op: Operation,
  pending: ReadonlySet<T>,
  step: Step<T>,
): ReadonlySet<T> {
  const region = (i: number, before: ReadonlySet<T>): ReadonlySet<T> =>
    behindBlock(op.region(i), before, step);
  switch (op.name) {
    case 'scf.if':
      return union(region(0, pending), region(1, pending));
    case 'scf.for':
      for (let known = pending; ;) {
        const end = union(known, region(0, known));
        if (end.size === known.size) return end;
        known = end;
      }
    case 'scf.while':
      for (let known = pending; ;) {
        const tested = region(0, known);
        const end = union(known, region(1, tested));
        if (end.size === known.size) return tested;
        known = end;
      }
    default:
      return pending;
  }
}

export function union<T>(...sets: readonly ReadonlySet<T>[]): ReadonlySet<T> {
  return new Set(sets.flatMap((set) => [...set]));
}

/** Whether its threads communicate through scratch, with a barrier between writes and reads. */
export function usesScratch(op: Operation): boolean {
  return op.attributes['scratch'] !== undefined || op.name === 'tt.histogram';
}
