/** Loops whose stores of the next tile stand behind the dot. */
import { expect, test } from 'vitest';
import { F16 } from '../ir/types';
import { matmul } from './testing/kernels';
import { changeBy, SMALL_MATRICES } from './testing/passes';

const PASS = 'overlap_stores_with_mma';
const kernel = (): ReturnType<typeof matmul> => matmul({ M: 16, N: 16, K: 16, dtype: F16 });
/** Stores, loads, dots, branches and what loops carry. */
const effect = (change: string): string[] =>
  change
    .split('\n')
    .filter((line) => /^[+-].*(local_|tt\.(load|dot)|scf\.)/.test(line))
    .map((line) => line.replace(/ : .*/, ''));

test('the first tile is stored before the loop, the next one behind the dot', () => {
  expect(effect(changeBy(PASS, kernel(), {}, SMALL_MATRICES))).toMatchInlineSnapshot(`
    [
      "-   %v49, %v50, %v51 = scf.for %v40, %k, %v41, %v44, %v42, %v43",
      "+   %v71 = ttg.local_alloc",
      "+   %v72 = ttg.local_alloc",
      "+   %1, %2 = scf.if %0",
      "-     %v68 = tt.load %v53, %v63, %v67 {vector = 8}",
      "-     %v70 = tt.load %v55, %v66, %v69 {vector = 8}",
      "-     %v71 = ttg.local_alloc",
      "-     %v72 = ttg.local_alloc",
      "-     ttg.local_store %v68, %v71 {slice = [0, 0]}",
      "-     ttg.local_store %v70, %v72 {slice = [0, 0]}",
      "-     %v73 = tt.dot %v71, %v72, %v46 {inputPrecision = "ieee", strategy = "matrices", matrix = [8, 8, 8], block = [8, 8], unroll = 8}",
      "+     %v68 = tt.load %v53, %v63, %v67 {vector = 8, prefetched = true, mergedGuard = true}",
      "+     %v70 = tt.load %v55, %v66, %v69 {vector = 8, prefetched = true, mergedGuard = true}",
      "+     scf.yield %v68, %v70",
      "+     scf.yield %cst, %cst_0",
      "+   ttg.local_store %1, %v71 {slice = [0, 0]}",
      "+   ttg.local_store %2, %v72 {slice = [0, 0]}",
      "+   %6, %7 = scf.if %5",
      "-     scf.yield %v73, %v77, %v78",
      "+     %v68_0 = tt.load %v53_0, %v63_0, %v67_0 {vector = 8, prefetched = true, mergedGuard = true}",
      "+     %v70_0 = tt.load %v55_0, %v66_0, %v69_0 {vector = 8, prefetched = true, mergedGuard = true}",
      "+     scf.yield %v68_0, %v70_0",
      "+     scf.yield %1, %2",
      "+   %v49, %v50, %v51, %9, %10 = scf.for %v40, %k, %v41, %v44, %v42, %v43, %6, %7",
      "+     %v73 = tt.dot %v71, %v72, %v46 {inputPrecision = "ieee", strategy = "matrices", matrix = [8, 8, 8], block = [8, 8], unroll = 8, overlapColumns = 1}",
      "+     ttg.local_store %v68_1, %v71 {slice = [0, 0]}",
      "+     ttg.local_store %v70_1, %v72 {slice = [0, 0]}",
      "+     %16, %17 = scf.if %15",
      "+       %v68_2 = tt.load %v53_1, %v63_1, %v67_1 {vector = 8, prefetched = true, mergedGuard = true}",
      "+       %v70_2 = tt.load %v55_1, %v66_1, %v69_1 {vector = 8, prefetched = true, mergedGuard = true}",
      "+       scf.yield %v68_2, %v70_2",
      "+       scf.yield %v68_1, %v70_1",
      "+     scf.yield %v73, %v77_0, %v78_0, %16, %17",
    ]
  `);
});

test.each([
  ['the choice is off', { overlapStoresWithMma: false }],
  ['nothing is prefetched', { prefetchRegisters: 0 }],
  ['dots run on multiply-adds', { matrices: false, prefetchRegisters: 64 }],
])('nothing changes where %s', (_, choices) => {
  expect(changeBy(PASS, kernel(), choices, SMALL_MATRICES)).toBe('');
});
