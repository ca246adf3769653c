/** Folds of rows against loops over the elements. */
import { expect, it } from 'vitest';
import type { Dtype, Values } from '../dtypes';
import { PIECE } from './scratch';
import { foldRows } from './reductions';

/** Rows that share a piece, that are no multiple of a vector, and that are longer than a piece. */
const SHAPES: readonly (readonly [number, number])[] = [
  [1, 1], [3, 2], [5, 7], [9000, 3], [40, 1000], [2, PIECE], [3, PIECE + 5], [2, 2 * PIECE + 1],
]; // prettier-ignore

let state = 7;
const random = (): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state;
};

for (const name of ['amax', 'amin'] as const)
  it(`${name} of each row`, () => {
    for (const [rows, width] of SHAPES) {
      const words = Int32Array.from({ length: rows * width }, () => random() | 0);
      const inputs: readonly (readonly [Dtype, Values])[] = [
        ['int32', words],
        ['int8', Int8Array.from(words)],
        ['uint8', Uint8Array.from(words)],
        ['int64', BigInt64Array.from(words, (x) => BigInt(x) << 20n)],
        ['float32', Float32Array.from(words, (x) => (x % 1001 === 0 ? NaN : x))],
        ['float64', Float64Array.from(words, (x) => x / 3)],
      ];
      for (const [dtype, x] of inputs) {
        const found = foldRows(name, x, rows, width, dtype)!;
        for (let r = 0; r < rows; r++) {
          let best: number | bigint = x[r * width]!;
          for (let i = r * width; i < (r + 1) * width; i++) {
            const each = x[i]!;
            if (best !== best) break;
            if (each !== each || (name === 'amax' ? each > best : each < best)) best = each;
          }
          if (!Object.is(found[r], best))
            throw new Error(`${dtype} ${rows} × ${width}: ${found[r]} ${best}`);
        }
      }
    }
  });

it('sums wrap at 64 bits', () => {
  for (const [rows, width] of SHAPES) {
    const x = BigInt64Array.from(
      { length: rows * width },
      () => (BigInt(random()) << 32n) - BigInt(random()),
    );
    const found = foldRows('sum', x, rows, width, 'int64')!;
    for (let r = 0; r < rows; r++) {
      const sum = x
        .subarray(r * width, (r + 1) * width)
        .reduce((all, each) => BigInt.asIntN(64, all + each), 0n);
      expect(found[r]).toBe(sum);
    }
  }
});

it('sums of floats are exact where f64 is', () => {
  for (const [rows, width] of SHAPES) {
    const x = Float32Array.from({ length: rows * width }, () => (random() | 0) >> 8);
    const found = foldRows('sum', x, rows, width, 'float32')!;
    for (let r = 0; r < rows; r++)
      expect(found[r]).toBe(
        x.subarray(r * width, (r + 1) * width).reduce((all, each) => all + each, 0),
      );
  }
});

it('a NaN and both infinities reach the result', () => {
  const x = new Float32Array(100).fill(1);
  x[57] = NaN;
  expect([
    foldRows('amax', x, 1, 100, 'float32')![0],
    foldRows('sum', x, 1, 100, 'float32')![0],
  ]).toEqual([NaN, NaN]);
  const down = new Float64Array(9).fill(-Infinity);
  expect(foldRows('amax', down, 1, 9, 'float64')![0]).toBe(-Infinity);
});

it('leaves narrow integers’ sums, empty rows and other folds to the loops', () => {
  expect(foldRows('sum', new Int32Array(4), 1, 4, 'int32')).toBe(null);
  expect(foldRows('amax', new Float32Array(0), 1, 0, 'float32')).toBe(null);
  expect(foldRows('prod', new Float32Array(4), 1, 4, 'float32')).toBe(null);
});
