/**
 * Loads of tiles that are staged in K slices: each slice's load stands before the dot of the one
 * before it.
 */
import { expect, test } from 'vitest';
import { matmul } from './testing/kernels';
import { changeBy } from './testing/passes';

const SLICED = { kSlice: 8, smallSliceBytes: 0, splitLoads: true, threads: 32 };

test('a tile of two slices is loaded twice, the second time beside the first dot', () => {
  const change = changeBy('split_loads', matmul({ M: 16, N: 16, K: 16 }), SLICED);
  const lines = change.split('\n').filter((line) => /tt\.(load|dot)|local_store/.test(line));
  expect(lines.map((line) => line.replace(/ : .*/, ''))).toMatchInlineSnapshot(`
    [
      "-     %v74 = tt.load %v59, %v69, %v73 {vector = 4}",
      "+     %v74 = tt.load %0, %1, %2 {vector = 4, kSlice = 0}",
      "-     %v76 = tt.load %v61, %v72, %v75 {vector = 4}",
      "+     %v76 = tt.load %3, %4, %5 {vector = 4, kSlice = 0}",
      "      ttg.local_store %v76, %v78 {slice = [0, 0]}",
      "+     %v74_0 = tt.load %6, %7, %8 {vector = 4, kSlice = 1, prefetched = true}",
      "+     %v76_0 = tt.load %9, %10, %11 {vector = 4, kSlice = 1, prefetched = true}",
      "      %v79 = tt.dot %v77, %v78, %v52 {inputPrecision = "ieee", unroll = 8}",
      "-     ttg.local_store %v74, %v77 {slice = [0, 8]}",
      "-     ttg.local_store %v76, %v78 {slice = [8, 0]}",
      "+     ttg.local_store %v74_0, %v77 {slice = [0, 0]}",
      "+     ttg.local_store %v76_0, %v78 {slice = [0, 0]}",
    ]
  `);
});

test('nothing changes where a tile is staged whole', () => {
  expect(changeBy('split_loads', matmul({ M: 16, N: 16, K: 16 }), { ...SLICED, kSlice: 16 })).toBe(
    '',
  );
});

test('nothing changes where the choice is off', () => {
  expect(
    changeBy('split_loads', matmul({ M: 16, N: 16, K: 16 }), { ...SLICED, splitLoads: false }),
  ).toBe('');
});
