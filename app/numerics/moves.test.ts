/** Strided copies and picks against one element after the other. */
import { expect, it } from 'vitest';
import type { Values } from './dtypes';
import { move, pick, pickAt } from './moves';
import { positions, positionsAlong, put } from './select';
import { topk } from './topk';

const ARRAYS: readonly ((n: number) => Values)[] = [
  (n) => Uint8Array.from({ length: n }, (_, i) => i * 7),
  (n) => Uint16Array.from({ length: n }, (_, i) => i * 7),
  (n) => Float32Array.from({ length: n }, (_, i) => i + 0.5),
  (n) => BigInt64Array.from({ length: n }, (_, i) => (BigInt(i) << 33n) - 5n),
];

it('moves windows of any strides, for every width of elements', () => {
  const windows: readonly (readonly [number[], number[], number, number[], number])[] = [
    [[70, 50], [1, 70], 0, [50, 1], 0],
    [[3, 40, 50], [1, 150, 3], 2, [2000, 50, 1], 1],
    [[5, 6], [0, 0], 9, [6, 1], 0],
    [[4, 5, 6], [30, 6, 1], 0, [1, 4, 20], 3],
    [[7], [3], 1, [2], 5],
    [[], [], 4, [], 6],
    [[0, 3], [3, 1], 0, [3, 1], 0],
    [[2, 100], [200, 1], 0, [150, 1], 0],
  ];
  for (const make of ARRAYS)
    for (const [sizes, from, a, to, b] of windows) {
      const source = make(6100);
      const found = new (source.constructor as Float32ArrayConstructor)(6100) as Values;
      const expected = found.slice() as Float32Array;
      const walk = (axis: number, i: number, j: number): void => {
        if (axis === sizes.length) expected[j] = (source as Float32Array)[i]!;
        else
          for (let k = 0; k < sizes[axis]!; k++)
            walk(axis + 1, i + k * from[axis]!, j + k * to[axis]!);
      };
      walk(0, a, b);
      move(source, { strides: from, offset: a }, found, { strides: to, offset: b }, sizes);
      expect(found).toEqual(expected);
    }
});

it('picks runs of elements', () => {
  for (const make of ARRAYS)
    for (const inner of [1, 3, 40]) {
      const source = make(500);
      const starts = Float64Array.of(460, 0, 17, 17);
      const out = make(4 * inner);
      pick(source, starts, inner, out);
      starts.forEach((start, i) => {
        expect(out.slice(i * inner, (i + 1) * inner)).toEqual(source.slice(start, start + inner));
      });
    }
});

it('picks by index, negative ones from the end, and refuses what is out of bounds', () => {
  for (const make of ARRAYS) {
    const source = make(10);
    const out = make(3);
    expect(pickAt(source, BigInt64Array.of(9n, -10n, 4n), 10, out)).toBe(true);
    expect([...out]).toEqual([source[9], source[0], source[4]]);
    for (const bad of [10n, -11n, 2n ** 32n, -(2n ** 32n), 2n ** 63n - 1n])
      expect(pickAt(source, BigInt64Array.of(0n, bad, 1n), 10, out)).toBe(false);
  }
  expect(() => positions([BigInt64Array.of(1n, 2n ** 40n)], [10], [0], 1)).toThrow(
    'IndexError: index 1099511627776 is out of bounds for dimension 0 with size 10',
  );
});

it('finds the places of several lists, one of them of one index', () => {
  const lists = [BigInt64Array.of(1n, -1n, 0n), BigInt64Array.of(2n)];
  expect([...positions(lists, [4, 5], [0, 1], 3)]).toEqual([21, 51, 6]);
});

it('finds the places of a gather along each axis', () => {
  const index = BigInt64Array.of(1n, 0n, -1n, 1n, 0n, 0n);
  expect([...positionsAlong(index, [2, 3], [4, 3], 0)]).toEqual([3, 1, 11, 3, 1, 2]);
  expect([...positionsAlong(index, [2, 3], [4, 3], 1)]).toEqual([1, 0, 2, 4, 3, 3]);
});

it('adds int64 with the carry', () => {
  const target = BigInt64Array.of(2n ** 32n - 1n, -1n, 2n ** 63n - 1n);
  put(target, Float64Array.of(0, 1, 2, 0), 1, BigInt64Array.of(1n, 1n, 1n, -(2n ** 40n)), true);
  expect([...target]).toEqual([2n ** 32n - 2n ** 40n, 0n, -(2n ** 63n)]);
});

it('takes the first of a row as a stable sort orders them', () => {
  const x = Float32Array.of(1, NaN, 3, -Infinity, 3, NaN, Infinity, 0, -0);
  const most = topk(x, 1, 9, 5, true);
  expect([...most.indices]).toEqual([1n, 5n, 6n, 2n, 4n]);
  expect([...topk(x, 1, 9, 4, false).indices]).toEqual([3n, 7n, 8n, 0n]);
  const longs = BigInt64Array.of(2n, 2n ** 62n, -(2n ** 63n), 2n);
  expect([...topk(longs, 2, 2, 1, true).values]).toEqual([2n ** 62n, 2n]);
  expect([...topk(longs, 1, 4, 3, false).indices]).toEqual([2n, 0n, 3n]);
});
