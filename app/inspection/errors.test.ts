import { describe, expect, it } from 'vitest';
import { countOver, errorField, errorReport } from './errors';
import { EXACT, pair } from './testing';

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
  it('counts denormals of f32 that became 0', () => {
    const tiny = 2 ** -130;
    const found = errorReport(pair([0, tiny, tiny, 0, 1], [tiny, 0, tiny, 2 ** -100, 1]), EXACT);
    expect(found.flushed).toBe(2);
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

  it('bins every finite error', () => {
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
