/**
 * The choices of distribution that a tuning tries on a GPU, in this order, each beside what was
 * found to be faster before it. A choice that no default and no try reaches does not exist.
 *
 * Guarantee: a try changes no result beyond rounding (`5-threads/choices.test.ts`,
 * `choices.gpu.test.ts`), and a text that is kept stands for choices only if it is made of tries.
 */
import type { Choices } from './choices';

export const TRIES: readonly Partial<Choices>[] = [
  ...[32, 64, 128, 256].map((threads) => ({ threads })),
  ...[8, 16, 32].map((kSlice) => ({ kSlice })),
  ...[4, 8, 16, 32].map((unroll) => ({ unroll })),
  { buffers: 2 },
  { prefetchRegisters: 64 },
  { splitLoads: true },
  // These pay together only: whole tiles that are prefetched take too many registers, and long
  // slices want both their loads early and their steps side by side.
  { prefetchRegisters: 64, splitLoads: true },
  ...[16, 32].map((kSlice) => ({ kSlice, prefetchRegisters: 64, unroll: 16 })),
  { sinkIntoEpilogue: true },
  { direct: true },
  { sinkIntoEpilogue: false },
  { mergeBoundsGuards: true },
  { overlapStoresWithMma: false },
  { predicatedPrefetch: true },
  { predicatedPrefetch: false },
  { nonAliasedScratch: false, warpSlabs: false },
  { warpSlabs: false },
  { mergeBoundsGuards: true, clusterLoads: true },
  { squareBlocks: true, hoistedRegisters: 32 },
  { squareBlocks: false, hoistedRegisters: 16 },
];

/** Whether each of these values is one that a try has for its name. */
export function areTried(choices: Readonly<Record<string, number | boolean>>): boolean {
  return Object.entries(choices).every(([name, value]) =>
    TRIES.some((tried) => tried[name as keyof Choices] === value),
  );
}
