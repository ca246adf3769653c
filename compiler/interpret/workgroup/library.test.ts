/** The functions of the runtime library, run for one thread, against JavaScript's own numbers. */
import { describe, expect, it } from 'vitest';
import { HELPERS } from '../../ir/thread/library/index';
import { libraryFunction } from './library';

const view = new DataView(new ArrayBuffer(8));
const wordsOf = (x: number | bigint): [number, number] => {
  if (typeof x === 'bigint') view.setBigUint64(0, BigInt.asUintN(64, x), true);
  else view.setFloat64(0, x, true);
  return [view.getUint32(0, true), view.getUint32(4, true)];
};
const double = ([low, high]: readonly number[]): number => {
  view.setUint32(0, low!, true);
  view.setUint32(4, high!, true);
  return view.getFloat64(0, true);
};
const long = ([low, high]: readonly number[]): bigint =>
  BigInt.asIntN(64, (BigInt(high!) << 32n) | BigInt(low!));

const DOUBLES = [0, -0, 1, -1.5, 0.1, 1e300, -3e-310, 2 ** -1074, Infinity, NaN, 123456789.123];
const LONGS = [0n, 1n, -1n, 7n, -13n, 2n ** 40n + 5n, -(2n ** 63n), 2n ** 63n - 1n, 0xffffffffn];

describe('the runtime library, interpreted', () => {
  it('has no function that is not understood', () => {
    for (const name of Object.keys(HELPERS))
      expect(() => libraryFunction(name), name).not.toThrow();
  });
  it.each([
    ['f64_add', (x: number, y: number) => x + y],
    ['f64_sub', (x: number, y: number) => x - y],
    ['f64_mul', (x: number, y: number) => x * y],
    ['f64_div', (x: number, y: number) => x / y],
  ])('%s rounds as JavaScript does', (name, expected) => {
    const { call } = libraryFunction(name);
    for (const x of DOUBLES)
      for (const y of DOUBLES)
        expect(double(call([wordsOf(x), wordsOf(y)])), `${x}, ${y}`).toBe(expected(x, y));
  });
  it.each([
    ['f64_sine', Math.sin],
    ['f64_exp', Math.exp],
  ])('%s runs its tables and loops', (name, expected) => {
    const { call } = libraryFunction(name);
    for (const x of [0.5, 3, 100.25, 1e10]) {
      if (!Number.isFinite(expected(x))) continue;
      const got = double(call(name === 'f64_sine' ? [wordsOf(x), [0]] : [wordsOf(x)]));
      expect(Math.abs(got - expected(x))).toBeLessThanOrEqual(Math.abs(expected(x)) * 2 ** -51);
    }
  });
  it.each([
    ['i64_mul', (x: bigint, y: bigint) => x * y],
    ['i64_div', (x: bigint, y: bigint) => (y === 0n ? x : x / y)],
    ['i64_rem', (x: bigint, y: bigint) => (y === 0n ? 0n : x % y)],
  ])('%s is exact', (name, expected) => {
    const { call } = libraryFunction(name);
    for (const x of LONGS)
      for (const y of LONGS)
        expect(long(call([wordsOf(x), wordsOf(y)])), `${x}, ${y}`).toBe(
          BigInt.asIntN(64, expected(x, y)),
        );
  });
  it('f32_rem returns from inside of branches and leaves loops', () => {
    const { call } = libraryFunction('f32_rem');
    for (const x of [5.25, -7, 1e20, 0.001])
      for (const y of [2, -0.3, 3e-5].map(Math.fround))
        expect(call([[Math.fround(x)], [y]])[0]).toBe(Math.fround(x) % y);
  });
  it('f16_bits and f16_value agree with the table of halves', () => {
    const [bits, value] = [libraryFunction('f16_bits').call, libraryFunction('f16_value').call];
    for (const code of [0, 1, 0x3ff, 0x400, 0x3c00, 0x7bff, 0x8001, 0xfbff])
      expect(bits([value([[code]])])[0]).toBe(code);
    expect(value([[0x3c00]])).toEqual([1]);
  });
});
