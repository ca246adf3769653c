/** The factorizations multiply out to the matrix they are of, on random and on awkward matrices. */
import { describe, expect, it } from 'vitest';
import * as decompose from './decompose';

let state = 7;
const random = (): number => (state = (state * 16807) % 2147483647) / 2147483647 - 0.5;
const matrix = (rows: number, columns: number): Float64Array =>
  Float64Array.from({ length: rows * columns }, random);

function product(a: Float64Array, b: Float64Array, n: number, k: number, m: number): Float64Array {
  const out = new Float64Array(n * m);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < m; j++)
      for (let l = 0; l < k; l++) out[i * m + j] = out[i * m + j]! + a[i * k + l]! * b[l * m + j]!;
  return out;
}
const transposed = (a: Float64Array, n: number, m: number): Float64Array =>
  Float64Array.from({ length: n * m }, (_, at) => a[(at % n) * m + Math.floor(at / n)]!);
const close = (a: Float64Array, b: Float64Array): void => {
  expect(a.length).toBe(b.length);
  for (let i = 0; i < a.length; i++) expect(Math.abs(a[i]! - b[i]!)).toBeLessThan(1e-10);
};
const identity = (n: number): Float64Array =>
  Float64Array.from({ length: n * n }, (_, i) => (i % (n + 1) === 0 ? 1 : 0));

describe('factorizations', () => {
  it.each([1, 2, 3, 8, 33])('solve %i equations', (n) => {
    const a = matrix(n, n);
    const b = matrix(n, 2);
    close(product(a, decompose.solve(decompose.factor(a, n), b, n, 2), n, n, 2), b);
  });

  it('exchange rows where a pivot is zero, and say which is zero for good', () => {
    const swapped = decompose.factor(Float64Array.of(0, 1, 2, 0), 2);
    expect(swapped.zero).toBe(0);
    expect(decompose.determinant(swapped, 2)).toBe(-2);
    expect(decompose.factor(Float64Array.of(1, 2, 2, 4), 2).zero).toBe(2);
    expect(decompose.factor(new Float64Array(9), 3).zero).toBe(1);
  });

  it.each([
    [3, 3],
    [7, 4],
    [4, 7],
    [1, 5],
  ])('QR of %i × %i', (rows, columns) => {
    const a = matrix(rows, columns);
    for (const wide of [Math.min(rows, columns), rows]) {
      const { q, r } = decompose.qr(a, rows, columns, wide);
      close(product(q, r, rows, wide, columns), a);
      close(product(transposed(q, rows, wide), q, wide, rows, wide), identity(wide));
    }
  });

  it.each([1, 2, 9, 24])('eigenvalues of %i × %i', (n) => {
    const half = matrix(n, n);
    const a = product(half, transposed(half, n, n), n, n, n);
    const { values, vectors } = decompose.symmetricEigen(a, n);
    expect([...values]).toEqual([...values].sort((x, y) => x - y));
    const scaled = vectors.map((v, i) => v * values[i % n]!);
    close(product(scaled, transposed(vectors, n, n), n, n, n), a);
  });

  it.each([
    [2, 2],
    [9, 4],
    [30, 12],
  ])('singular values of %i × %i', (rows, columns) => {
    const a = matrix(rows, columns);
    // Two columns alike: one singular value is zero.
    for (let i = 0; i < rows; i++) a[i * columns + 1] = a[i * columns]!;
    const { u, s, v } = decompose.singularValues(a, rows, columns);
    expect(s.at(-1)).toBeLessThan(1e-12);
    const scaled = u.map((x, i) => x * s[i % columns]!);
    close(product(scaled, transposed(v, columns, columns), rows, columns, columns), a);
  });

  it('Cholesky, and where a matrix is not positive', () => {
    const { l, failed } = decompose.cholesky(Float64Array.of(4, 2, 2, 5), 2);
    expect(failed).toBe(0);
    expect([...l]).toEqual([2, 0, 1, 2]);
    expect(decompose.cholesky(Float64Array.of(1, 2, 2, 1), 2).failed).toBe(2);
    expect(decompose.cholesky(Float64Array.of(NaN), 1).failed).toBe(1);
  });
});
