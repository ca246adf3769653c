import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../ir/seededRandom';
import { Tile } from '../../ir/tile';
import type { TileDType } from '../../ir/tile';
import { dotStep } from '../dot';
import { simdDot } from './dot';
import { simdExtremum } from './extremum';

const bits = (x: number): bigint => new BigInt64Array(new Float64Array([x]).buffer)[0]!;

describe('dot', () => {
  const filled = (dtype: TileDType, count: number, seed: number): Tile => {
    const tile = new Tile(dtype, count);
    const random = seededRandom(seed);
    const size = dtype === 'i8' ? 256 : 4;
    for (let i = 0; i < count; i++) tile.data[i] = (random() - 0.5) * size;
    return tile;
  };
  /** As it is defined: products in the order of K, in doubles. */
  function plain([batch, m, n, k]: readonly number[], a: Tile, b: Tile, acc: Tile, out: Tile) {
    for (let g = 0; g < batch!; g++)
      for (let r = 0; r < m!; r++)
        for (let c = 0; c < n!; c++) {
          const at = (g * m! + r) * n! + c;
          let sum = acc.data[at]!;
          for (let p = 0; p < k!; p++)
            sum += a.data[(g * m! + r) * k! + p]! * b.data[(g * k! + p) * n! + c]!;
          out.data[at] = sum;
        }
  }
  it.each([
    [1, 4, 4, 1],
    [1, 64, 32, 64],
    [3, 8, 16, 2],
    [1, 2, 2, 16],
    [2, 1, 64, 8],
    [1, 128, 4, 300],
  ] as const)('%i × (%i, %i) over %i gives the same bits', (batch, m, n, k) => {
    expect(simdDot()).toBeDefined();
    for (const [from, to] of [
      ['f32', 'f32'],
      ['i8', 'i32'],
      ['f64', 'f64'],
    ] as const) {
      const [a, b] = [filled(from, batch * m * k, 1), filled(from, batch * k * n, 2)];
      const acc = filled(to, batch * m * n, 3);
      const [out, expected] = [new Tile(to, acc.count), new Tile(to, acc.count)];
      dotStep([batch, m, n, k], a, b, acc, out)();
      plain([batch, m, n, k], a, b, acc, expected);
      expect([...out.data].map(bits)).toEqual([...expected.data].map(bits));
    }
  });
  it('writes over its accumulator, and grows', () => {
    const [a, b] = [filled('f32', 256 * 256, 1), filled('f32', 256 * 256, 2)];
    const [acc, expected] = [filled('f32', 256 * 256, 3), new Tile('f32', 256 * 256)];
    plain([1, 256, 256, 256], a, b, acc, expected);
    dotStep([1, 256, 256, 256], a, b, acc, acc)();
    expect(acc.data).toEqual(expected.data);
  });
});

describe('extrema', () => {
  const corners = [0, -0, 1, -1, NaN, Infinity, -Infinity, 1e-45];
  it.each([
    ['max', Math.max],
    ['min', Math.min],
  ] as const)('%s of every two corners', (kind, f) => {
    const simd = simdExtremum()!;
    const pairs = corners.flatMap((x) => corners.map((y) => [Math.fround(x), Math.fround(y)]));
    const expected = pairs.map(([x, y]) =>
      Number.isNaN(x) ? y! : Number.isNaN(y) ? x! : f(x!, y!),
    );
    const n = pairs.length;
    const floats = simd.floats(2 * n);
    floats.set(pairs.flat());
    simd.pairs(kind, n);
    expect([...floats.subarray(0, n)]).toEqual(expected);
    floats.set(pairs.map(([x]) => x!));
    floats.set(
      pairs.map(([, y]) => y!),
      n,
    );
    simd.both(kind, 0, n, 0, n);
    expect([...floats.subarray(0, n)]).toEqual(expected);
  });
});
