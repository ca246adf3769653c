/** Products of matrices against the order of additions that `matmul.ts` guarantees, bit for bit. */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../compiler/ir/seededRandom';
import { multiply, type Floats } from './matmul';

const DEPTH = 256;

/** The sum of products in order, in runs of `DEPTH`. */
function reference(a: Floats, b: Floats, m: number, k: number, n: number): Floats {
  const round = a instanceof Float32Array ? Math.fround : Number;
  const out = a instanceof Float32Array ? new Float32Array(m * n) : new Float64Array(m * n);
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++) {
      let total: number | null = null;
      for (let from = 0; from < k; from += DEPTH) {
        let sum = 0;
        for (let l = from; l < Math.min(k, from + DEPTH); l++)
          sum = round(sum + round(a[i * k + l]! * b[l * n + j]!));
        total = total === null ? sum : round(total + sum);
      }
      out[i * n + j] = total!;
    }
  return out;
}

/** M, K, N: one, below and above a tile, a vector's columns and a block, and their remainders. */
const SHAPES = [
  [1, 1, 1],
  [3, 5, 7],
  [4, 4, 8],
  [5, 6, 9],
  [1, 300, 17],
  [65, 257, 1],
  [63, 255, 255],
  [64, 256, 256],
  [66, 259, 261],
  [130, 513, 4],
] as const;

describe.each([
  ['f32', Float32Array],
  ['f64', Float64Array],
] as const)('%s', (_, Type) => {
  it.each(SHAPES)('%i × %i × %i', (m, k, n) => {
    const random = seededRandom(m * 1000 + n);
    const fill = (length: number): Floats => new Type(length).map(() => random() - 0.5);
    const a = fill(m * k);
    const b = fill(k * n);
    const out = new Type(m * n).fill(NaN);
    multiply(a, b, out, 1, m, k, n);
    expect(out).toEqual(reference(a, b, m, k, n));
  });

  it('multiplies each matrix of a batch', () => {
    const random = seededRandom(2);
    const [batch, m, k, n] = [3, 6, 10, 5];
    const a = new Type(batch * m * k).map(() => random());
    const b = new Type(batch * k * n).map(() => random());
    const out = new Type(batch * m * n);
    multiply(a, b, out, batch, m, k, n);
    const each = Array.from({ length: batch }, (_each, g) => [
      ...reference(a.subarray(g * m * k, (g + 1) * m * k), b.subarray(g * k * n), m, k, n),
    ]);
    expect([...out]).toEqual(each.flat());
  });

  // Padding is zeros, and a product of zero and infinity is NaN.
  it('keeps NaN and infinity in their rows and columns, also those of an earlier call', () => {
    const [m, k, n] = [6, 7, 9];
    const a = new Type(m * k).fill(1);
    const b = new Type(k * n).fill(1);
    const out = new Type(m * n);
    multiply(
      new Type(64 * 256).fill(NaN),
      new Type(256 * 256).fill(Infinity),
      new Type(64 * 256),
      1,
      64,
      256,
      256,
    );
    a[2 * k + 6] = NaN;
    b[6 * n + 8] = Infinity;
    multiply(a, b, out, 1, m, k, n);
    const expected = Array.from({ length: m * n }, (_each, i) =>
      Math.floor(i / n) === 2 ? NaN : i % n === 8 ? Infinity : k,
    );
    expect([...out]).toEqual(expected);
  });
});
