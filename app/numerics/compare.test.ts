import { expect, it } from 'vitest';
import { compare, type Comparison } from './compare';

const of = (actual: number[], expected: number[], equalNan = false): Comparison => {
  const [a, e] = [Float32Array.from(actual), Float32Array.from(expected)];
  return compare(a, e, 1e-5, 1e-8, equalNan, 1, actual.length, 'float32');
};

it('calls the largest error what it is: a number, infinite, or none', () => {
  expect(of([1, 2], [1, 2.5])).toMatchObject({ mismatches: 1, maxAbsolute: 0.5 });
  expect(of([1, Infinity], [1, -Infinity])).toMatchObject({ mismatches: 1, maxAbsolute: 'inf' });
  expect(of([1, Infinity], [1, 2])).toMatchObject({ mismatches: 1, maxAbsolute: 'inf' });
  expect(of([1, Infinity], [1, Infinity])).toMatchObject({ mismatches: 0, maxAbsolute: 0 });
  expect(of([1, Number.NaN], [1, 2])).toMatchObject({ mismatches: 1, maxAbsolute: 'nan' });
  expect(of([1, Number.NaN], [1, Number.NaN], true)).toMatchObject({
    mismatches: 0,
    maxAbsolute: 0,
  });
  expect(of([], [])).toMatchObject({ mismatches: 0, maxAbsolute: null });
});
