import { describe, expect, it } from 'vitest';
import type { Dtype } from '../numerics/dtypes';
import {
  countOver,
  errorField,
  errorReport,
  errorsByProgram,
  logBin,
  logEdge,
  type Tolerance,
} from './errors';
import { vector } from './testing';
import { ulpDistances, ulpDtype } from './ulp';

const EXACT: Tolerance = { rtol: 0, atol: 0, equalNan: false };
const pair = (
  actual: readonly (number | bigint)[],
  expected: readonly (number | bigint)[],
  dtype: Dtype = 'float32',
) => ({ actual: vector(dtype, actual), expected: vector(dtype, expected) });
const ulps = (dtype: Dtype, a: number, b: number): number =>
  ulpDistances(vector(dtype, [a]), vector(dtype, [b]), dtype, 0, 1)(0);

describe('units in the last place', () => {
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
});

describe('a report', () => {
  it('keeps NaN, infinities and errors of size apart', () => {
    const found = errorReport(
      pair(
        [1, NaN, 1, NaN, Infinity, 1, Infinity, Infinity, 2],
        [1, 1, NaN, NaN, 1, Infinity, -Infinity, Infinity, 2.5],
      ),
      { rtol: 0, atol: 0.1, equalNan: false },
    );
    expect(found.nan).toEqual({ actual: 1, expected: 1, both: 1 });
    expect(found.infinity).toEqual({ actual: 1, expected: 1, sign: 1 });
    expect(found.over).toBe(7);
    expect(found.maxAbsolute).toEqual({ value: 0.5, flat: 8 });
    expect(found.maxRelative).toEqual({ value: 0.2, flat: 8 });
    expect(found.needed).toEqual({ rtol: null, atol: null, ulp: null });
  });
  it('lets NaN equal itself where the comparison does', () => {
    const both = pair([NaN, 1], [NaN, 1]);
    expect(errorReport(both, EXACT).over).toBe(1);
    expect(errorReport(both, { ...EXACT, equalNan: true })).toMatchObject({
      over: 0,
      needed: { rtol: 0, atol: 0, ulp: 0 },
    });
  });
  it('ranks by how far over the tolerance, with exact values', () => {
    const found = errorReport(pair([1.5, 101, 7], [1, 100, 7]), {
      rtol: 0.1,
      atol: 0,
      equalNan: false,
    });
    expect(found.worst.map(({ flat }) => flat)).toEqual([0, 1]);
    expect(found.worst[0]).toEqual({
      flat: 0,
      actual: '1.5',
      expected: '1.0',
      absolute: 0.5,
      relative: 0.5,
      ulp: 2 ** 22,
      ratio: 5,
    });
  });
  it('takes 64-bit integers exactly', () => {
    const [a, b] = [2n ** 60n + 1n, 2n ** 60n];
    const found = errorReport(pair([a], [b], 'int64'), EXACT);
    expect(found).toMatchObject({ over: 1, maxAbsolute: { value: 1 }, maxUlp: null, ulp: null });
    expect(found.worst[0]).toMatchObject({ actual: String(a), expected: String(b), absolute: 1 });
  });
  it.each(['bfloat16', 'float16', 'float8_e4m3fn', 'bool', 'uint8', 'int32'] as const)(
    'of equal %s says nothing differs',
    (dtype) => {
      const found = errorReport(pair([0, 1, 1], [0, 1, 1], dtype), EXACT);
      expect(found).toMatchObject({ over: 0, worst: [], maxAbsolute: { value: 0 } });
      expect(found.absolute).toMatchObject({ zero: 3, counts: [] });
    },
  );
  it('does not divide by an expected zero', () => {
    const found = errorReport(pair([1e-9, 0], [0, -0]), {
      rtol: 1e-5,
      atol: 1e-8,
      equalNan: false,
    });
    expect(found.over).toBe(0);
    expect(found.maxRelative).toEqual({ value: 0, flat: 1 });
    expect(found.worst[0]?.relative).toBeNull();
  });
  it('says what would pass, and that passes', () => {
    const both = pair([1.01, 2.5, 100], [1, 2, 101]);
    const found = errorReport(both, { rtol: 0, atol: 1e-3, equalNan: false });
    for (const tolerance of [
      { rtol: found.needed.rtol! * (1 + 1e-12), atol: 1e-3 },
      { rtol: 0, atol: found.needed.atol! },
    ])
      expect(countOver(both, { ...tolerance, equalNan: false }).over).toBe(0);
    const less = { rtol: 0, atol: found.needed.atol! * 0.999, equalNan: false };
    expect(countOver(both, less)).toMatchObject({ over: 1, first: 2 });
  });
});

describe('errors by program', () => {
  it('are counted for each, and NaN stays NaN', () => {
    const both = pair([1, 2, 3, NaN, 9, 7], [1, 2.5, 3, 4, 4, 7]);
    const owners = Int32Array.from([0, 0, 1, 1, -2, 3]);
    const found = errorsByProgram(both, EXACT, owners, 4);
    expect([...found.largest]).toEqual([0.5, NaN, -1, 0]);
    expect(found).toMatchObject({
      withErrors: 2,
      writing: 3,
      nobody: { elements: 0, over: 0, first: null },
      several: { elements: 1, over: 1, first: 4 },
    });
    expect(found.worst).toEqual([
      { program: 0, elements: 2, over: 1, largest: 0.5, first: 1 },
      { program: 1, elements: 2, over: 1, largest: NaN, first: 3 },
    ]);
  });
});

describe('logarithmic bins', () => {
  it('begin at their edges', () => {
    for (let bin = -40; bin <= 40; bin++) {
      expect(logBin(logEdge(bin, 10), 10)).toBe(bin);
      expect(logBin(logEdge(bin, 2), 2)).toBe(bin);
    }
    expect(logBin(5e-324, 2)).toBe(-1074);
    expect(logBin(2e-300, 10)).toBe(-1199);
    expect(logBin(Number.MAX_VALUE, 10)).toBe(1233);
    expect(logBin(Number.MAX_VALUE, 2)).toBe(1023);
    expect(logBin(0.99999e-3, 10)).toBe(-13);
  });
  it('hold every finite error', () => {
    const { ulp } = errorReport(pair([1, 1, 1 + 2 ** -22, 1 + 2 ** -21], [1, 1, 1, 1]), EXACT);
    expect(ulp).toEqual({ zero: 2, base: 2, first: 1, counts: [1, 1] });
  });
});

describe('fields of errors', () => {
  const both = pair([1, NaN, 3, Infinity], [2, 1, 3, Infinity]);
  it('mark what has no size', () => {
    expect([...errorField(both, 'signed', EXACT)]).toEqual([-1, NaN, 0, 0]);
    expect([...errorField(both, 'relative', EXACT)]).toEqual([0.5, NaN, 0, 0]);
    expect([...errorField(both, 'ulp', EXACT)]).toEqual([2 ** 23, NaN, 0, 0]);
    const tolerance = { rtol: 0, atol: 0.25, equalNan: false };
    expect([...errorField(both, 'tolerance', tolerance)]).toEqual([4, NaN, 0, 0]);
  });
});
