import { describe, expect, it } from 'vitest';
import { encode } from '../numerics/dtypes';
import { elementsOf, exactText, ravel, unravel } from './elements';
import { binner, statistics } from './statistics';
import { vector } from './testing';

describe('statistics', () => {
  it('counts what is no number apart, and both zeros', () => {
    const found = statistics(vector('float32', [1, NaN, Infinity, -Infinity, 0, -0, 1e-40, 3]));
    expect(found).toMatchObject({
      count: 8,
      nan: 1,
      positiveInfinity: 1,
      negativeInfinity: 1,
      zeros: 2,
      negativeZeros: 1,
      subnormal: 1,
      min: 0,
      max: 3,
    });
    expect(found.mean).toBeCloseTo(0.8, 6);
    expect(found.histogram?.counts.reduce((a, b) => a + b)).toBe(5);
  });

  it('has the spread of torch.std (n − 1)', () => {
    expect(statistics(vector('float64', [1, 2, 3, 4])).std).toBeCloseTo(1.2909944487358056, 15);
    expect(statistics(vector('float64', [7])).std).toBeNull();
  });

  it('says nothing of sizes where nothing is finite', () => {
    const found = statistics(vector('float16', [NaN, Infinity]));
    expect(found).toMatchObject({ min: null, max: null, mean: null, std: null, histogram: null });
    expect(statistics(vector('float32', []))).toMatchObject({ count: 0, min: null });
  });

  it.each([
    ['float16', 2 ** -24, 2 ** -14],
    ['bfloat16', 2 ** -133, 2 ** -126],
    ['float8_e5m2', 2 ** -16, 2 ** -14],
    ['float8_e4m3fn', 2 ** -9, 2 ** -6],
    ['float64', 5e-324, 2 ** -1022],
  ] as const)('counts the subnormals of %s', (dtype, least, normal) => {
    expect(statistics(vector(dtype, [least, -least, normal])).subnormal).toBe(2);
  });

  it('takes whole numbers one bin each while there are few', () => {
    const found = statistics(vector('int64', [2n ** 40n, 2n ** 40n + 2n]));
    expect(found.histogram).toEqual({
      low: 2 ** 40,
      high: 2 ** 40 + 2,
      counts: [1, 0, 1],
      discrete: true,
    });
    expect(statistics(vector('bool', [0, 1, 1])).histogram?.counts).toEqual([1, 2]);
    expect(statistics(vector('int8', [-128, 127])).histogram?.counts).toHaveLength(64);
  });

  it('keeps the mean of large equal numbers between its extremes', () => {
    const found = statistics(
      vector(
        'float32',
        Array.from({ length: 100_000 }, () => 16777217),
      ),
    );
    expect(found.mean).toBe(16777216);
    expect(found.std).toBe(0);
  });
});

describe('bins', () => {
  it('put the greatest value into the last one, also where the span overflows', () => {
    const at = binner(-1.7e308, 1.7e308, 64, false);
    expect([at(-1.7e308), at(0), at(1.7e308)]).toEqual([0, 32, 63]);
  });
});

describe('exact texts', () => {
  it('are the shortest that read back', () => {
    expect(exactText('float32', Math.fround(0.1))).toBe('0.1');
    expect(exactText('float64', 0.1)).toBe('0.1');
    expect(exactText('float16', 0.0999755859375)).toBe('0.1');
    expect(exactText('bfloat16', 3.140625)).toBe('3.14');
    expect(exactText('float32', 1)).toBe('1.0');
    expect(exactText('float32', -0)).toBe('-0.0');
    expect(exactText('int64', 9007199254740993n)).toBe('9007199254740993');
    expect(exactText('bool', 1)).toBe('True');
    expect(exactText('float8_e5m2', Infinity)).toBe('inf');
  });
  it('of every half read back to the same bits', () => {
    const codes = Uint16Array.from({ length: 0x7c00 }, (_, i) => i);
    const all = elementsOf('float16', [codes.length], new Uint8Array(codes.buffer));
    const found = statistics(all);
    expect(found.max).toBe(65504);
    const again = new Uint16Array(1);
    for (let code = 1; code < 0x7c00; code += 7) {
      const value = vector('float64', [decodeHalf(code)]).raw[0] as number;
      encode('float16', [Number(exactText('float16', value))], again);
      expect(again[0]).toBe(code);
    }
  });
});

function decodeHalf(code: number): number {
  const [e, m] = [code >> 10, code & 1023];
  return e === 0 ? m * 2 ** -24 : (1 + m / 1024) * 2 ** (e - 15);
}

it('unravels in row-major order, and back', () => {
  expect(unravel(23, [2, 3, 4])).toEqual([1, 2, 3]);
  expect(unravel(0, [])).toEqual([]);
  expect(ravel([1, 2, 3], [2, 3, 4])).toBe(23);
  expect(ravel([], [])).toBe(0);
});
