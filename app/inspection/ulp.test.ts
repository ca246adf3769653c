/** Units in the last place, of each dtype. */
import { expect, it } from 'vitest';
import type { Dtype } from '../numerics/dtypes';
import { vector } from './testing';
import { ulpDistances, ulpDtype } from './ulp';

const ulps = (dtype: Dtype, a: number, b: number): number =>
  ulpDistances(vector(dtype, [a]), vector(dtype, [b]), dtype, 0, 1)(0);

it.each([
  ['float64', 2 ** -52, 5e-324],
  ['float32', 2 ** -23, 2 ** -149],
  ['float16', 2 ** -10, 2 ** -24],
  ['bfloat16', 2 ** -7, 2 ** -133],
  ['float8_e4m3fn', 2 ** -3, 2 ** -9],
  ['float8_e5m2', 2 ** -2, 2 ** -16],
] as const)('of %s', (dtype, epsilon, least) => {
  expect(ulps(dtype, 1, 1 + epsilon)).toBe(1);
  expect(ulps(dtype, 1, 1 - epsilon / 2)).toBe(1);
  expect(ulps(dtype, 0, -0)).toBe(0);
  expect(ulps(dtype, least, -least)).toBe(2);
  expect(ulps(dtype, 0, 3 * least)).toBe(3);
  expect(ulps(dtype, NaN, 1)).toBeNaN();
  if (dtype !== 'float8_e4m3fn') expect(ulps(dtype, Infinity, 1)).toBeNaN();
});

it('cross the words of f64', () => {
  expect(ulps('float64', 1, 2)).toBe(2 ** 52);
  expect(ulps('float64', 1 - 2 ** -53, 1)).toBe(1);
});

it('are those of the coarser of two dtypes', () => {
  expect(ulpDtype('float32', 'float16')).toBe('float16');
  expect(ulpDtype('int32', 'float32')).toBeNull();
  const [a, b] = [vector('float16', [1]), vector('float32', [1 + 2 ** -9])];
  expect(ulpDistances(a, b, 'float16', 0, 1)(0)).toBe(2);
});
