/**
 * Kernels whose programs wait for each other: a loop that asks an atomic until another program has
 * answered (the spin lock of the layer norm tutorial, stream-K). WebGPU promises neither that the other
 * program ever runs beside this one nor that its plain stores are seen here. So the programs of such a
 * kernel run one at a time, in order (`CompiledKernel.oneByOne`): a lock is then always free, and what
 * was stored under it is in memory. A program that waits for a later one would wait forever: its loop
 * gives up after `MOST_TRIES` and reports that.
 */
import { type Func, type Operation, walk } from '../ir/ir';

/** Nothing that another program does can come between two tries, so few are enough. */
export const MOST_TRIES = 4096;

/** The atomic that a loop waits on, if it waits. */
export function waitsOn(loop: Operation): Operation | undefined {
  if (loop.name !== 'scf.while') return undefined;
  let found: Operation | undefined;
  for (const region of loop.regions) {
    walk(region, (op) => {
      if (op.name === 'tt.atomic_cas' || op.name === 'tt.atomic_rmw') found ??= op;
    });
  }
  return found;
}

/** Whether programs of the kernel wait for each other. */
export function waits(func: Func): boolean {
  let found = false;
  walk(func.body, (op) => {
    found ||= waitsOn(op) !== undefined;
  });
  return found;
}
