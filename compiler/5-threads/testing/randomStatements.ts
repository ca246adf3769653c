/**
 * The statements that a random kernel is made of (see `randomKernel.ts`), with how often each
 * comes.
 */
import { ALL } from './kernelText';
import type { KernelMaker } from './randomKernel';
import { arithmetic, choose, helper, inexact } from './statements/arithmetic';
import { collect, order, reduce, scan } from './statements/axes';
import { atomic } from './statements/atomics';
import { blockLoad, blockStore } from './statements/blocks';
import { branch, leave, loop, pointerLoop, whileLoop } from './statements/control';
import { loadBelow, storeBelow } from './statements/memory';
import { dot, reshape } from './statements/shapes';

export interface StatementKind {
  readonly weight: number;
  readonly nests?: boolean;
  readonly write: (k: KernelMaker) => void;
}

export const STATEMENTS: readonly StatementKind[] = [
  { weight: 2, write: (k) => k.sink(k.any()) },
  { weight: 3, write: (k) => void k.load(k.t.pick(k.inputs), k.shape()) },
  { weight: 5, write: arithmetic },
  { weight: 2, write: (k) => void k.convert(k.any(), k.t.pick(ALL)) },
  { weight: 2, write: choose },
  { weight: 3, write: reduce },
  { weight: 3, write: reshape },
  { weight: 1, write: scan },
  { weight: 1, write: collect },
  { weight: 1, write: order },
  { weight: 1.5, write: dot },
  { weight: 1.5, write: atomic },
  { weight: 1, write: inexact },
  { weight: 1, write: blockLoad },
  { weight: 1, write: blockStore },
  { weight: 0.5, write: loadBelow },
  { weight: 0.5, write: storeBelow },
  { weight: 1, write: helper },
  { weight: 2, nests: true, write: loop },
  { weight: 1, nests: true, write: whileLoop },
  { weight: 1.5, nests: true, write: branch },
  { weight: 1, nests: true, write: pointerLoop },
  { weight: 0.5, nests: true, write: leave },
];
