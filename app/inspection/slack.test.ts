import { describe, expect, it } from 'vitest';
import { compare } from '../numerics/compare';
import type { Dtype } from '../numerics/dtypes';
import { looseText, slackOf, type ToleranceShares } from './slack';

function compared(
  actual: readonly number[],
  expected: readonly number[],
  tolerance: { readonly atol?: number; readonly rtol?: number },
  dtype: Dtype = 'float32',
): ToleranceShares & { passed: boolean; dtype: string } {
  const [a, e] = [Float64Array.from(actual), Float64Array.from(expected)];
  const { atol = 0, rtol = 0 } = tolerance;
  const found = compare(a, e, rtol, atol, false, 1, a.length, dtype);
  return { ...found, passed: found.mismatches === 0, dtype };
}

describe('the slack of a tolerance', () => {
  it('is the tolerance over the largest error, element by element', () => {
    // The second element takes a tenth of what it is allowed, the first a hundredth.
    const found = slackOf(compared([100.01, 1.001], [100, 1], { rtol: 0.01 }));
    expect(found?.times).toBeCloseTo(10, 6);
    expect(found?.of).toBe('error');
  });

  it('is no looser than a step of the dtype, where results are equal', () => {
    const found = slackOf(compared([4, 1], [4, 1], { atol: 2 ** -20 }));
    expect(found).toEqual({ times: 2, of: 'rounding' });
    expect(slackOf(compared([4], [4], { atol: 2 ** -7 }, 'float16'))?.times).toBe(2);
    expect(slackOf(compared([4], [4], { atol: 5 }, 'int32'))?.times).toBe(5);
  });

  it('is unknown without a tolerance, without elements, and among zeros, NaN and infinities', () => {
    expect(slackOf(compared([1], [1], {}))).toBeNull();
    expect(slackOf(compared([], [], { atol: 1 }))).toBeNull();
    expect(slackOf(compared([0], [0], { atol: 1 }))).toBeNull();
    expect(slackOf(compared([NaN, Infinity], [NaN, Infinity], { rtol: 0.1 }))).toBeNull();
    expect(slackOf(compared([NaN, Infinity], [NaN, Infinity], { atol: 0.1 }))).toBeNull();
  });
});

describe('what is said of a loose tolerance', () => {
  it('names how often the largest error fits', () => {
    expect(looseText(compared([1 + 8e-7], [1], { atol: 2e-3 }))).toBe(
      'Passes, but the tolerance is 2,500 × the largest error.',
    );
  });
  it('names the rounding where nothing is off by more', () => {
    expect(looseText(compared([1], [1], { atol: 1e-3 }))).toBe(
      'Passes, but the tolerance is 8,400 × a rounding of float32.',
    );
  });
  it('is nothing where the tolerance fits, and where the comparison failed', () => {
    expect(looseText(compared([1], [1], { rtol: 1e-5 }))).toBeNull();
    expect(looseText(compared([1 + 5e-6], [1], { atol: 1e-3 }))).toBeNull();
    expect(looseText(compared([2], [1], { atol: 1e-3 }))).toBeNull();
  });
});
