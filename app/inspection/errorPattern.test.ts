/** The pattern of errors, in words. */
import { expect, it } from 'vitest';
import type { Dtype } from '../numerics/dtypes';
import { errorPattern } from './errorPattern';
import { EXACT, tensor } from './testing';
import type { Tolerance } from './errors';

const expectedAt = (i: number): number => Math.sin(i * 1.7 + 0.3) + 2;

/** The pattern where `change` makes `actual` of `expected`. */
function patternOf(
  shape: readonly number[],
  change: (value: number, index: readonly number[], all: readonly number[]) => number,
  tolerance: Tolerance = { ...EXACT, atol: 1e-5 },
): string {
  const size = shape.reduce((product, each) => product * each, 1);
  const all = Array.from({ length: size }, (_, i) => expectedAt(i));
  const actual = all.map((value, flat) => {
    let rest = flat;
    const index = [...shape].reverse().map((each) => {
      const at = rest % each;
      rest = (rest - at) / each;
      return at;
    });
    return change(value, index.reverse(), all);
  });
  const pair = {
    actual: tensor('float32', shape, actual),
    expected: tensor('float32', shape, all),
  };
  const found = errorPattern(pair, tolerance);
  return found ? `${found.where} | ${found.relation}` : 'right';
}

it('is nothing where nothing is wrong', () => {
  expect(patternOf([8, 8], (value) => value + 1e-7)).toBe('right');
});

it('names the part of the tensor', () => {
  const where = (shape: readonly number[], isWrong: (index: readonly number[]) => boolean) =>
    patternOf(shape, (value, index) => (isWrong(index) ? 0 : value)).split(' | ')[0];
  expect(where([20, 30], ([, c]) => c! >= 22)).toBe(
    'the last 8 of 30 columns (from 22 on), in every row',
  );
  expect(where([256, 4], ([r]) => r! >= 64 && r! < 128)).toBe('rows 64–127, in every column');
  expect(where([20, 30], ([r, c]) => r === 3 && c! < 8)).toBe('row 3, the first 8 of 30 columns');
  expect(where([64], ([i]) => i! % 2 === 1)).toBe('every 2nd element, from 1 on');
  expect(where([64], ([i]) => i! % 16 >= 4 && i! % 16 < 8)).toBe('elements 4–7 of every 16');
  expect(where([9, 5], ([r]) => r === 0 || r === 3 || r === 4)).toBe(
    'rows 0, 3 and 4, in every column',
  );
  expect(where([40, 5], ([r]) => [1, 2, 5, 9, 17, 31].includes(r!))).toBe(
    '6 of 40 rows, in every column',
  );
  expect(where([8, 8], ([r, c]) => c! > r!)).toBe('above the diagonal');
  expect(where([2, 6, 8, 4], ([, h]) => h === 5)).toBe('axis 1 index 5');
  expect(where([8, 10], ([r, c]) => r! >= 6 && (r! + c!) % 3 === 0)).toBe(
    'the last 2 of 8 rows (from 6 on), 7 of 10 columns: 7 of the 14 elements there',
  );
  expect(where([4, 4], () => true)).toBe('every element');
});

it('names what stands there', () => {
  const relation = (
    shape: readonly number[],
    change: (value: number, index: readonly number[], all: readonly number[]) => number,
  ) => patternOf(shape, change).split(' | ')[1];
  expect(relation([30], (value, [i]) => (i! > 20 ? 0 : value))).toBe('actual is 0');
  expect(relation([30], () => NaN)).toBe('actual is NaN');
  expect(relation([30], () => 7)).toBe('actual is 7');
  expect(relation([30], (value) => value * 1.0027)).toBe('actual = 1.0027 × expected');
  expect(relation([30], (value) => -value)).toBe('actual = −expected');
  expect(relation([30], (value) => value - 0.5)).toBe('actual = expected − 0.5');
  expect(relation([6, 6], (_, [r, c], all) => all[c! * 6 + r!]!)).toBe(
    'actual is expected with its last two axes swapped',
  );
  expect(relation([30], (_, [i], all) => all[29 - i!]!)).toBe(
    'actual is expected in reverse order',
  );
  expect(relation([3, 9], (value, [r, c], all) => (c! < 8 ? all[r! * 9 + c! + 1]! : value))).toBe(
    'actual is the expected value of the next element along axis 1',
  );
});

it('claims no relation that one element breaks, or that few make chance', () => {
  const relation = (change: (value: number, index: readonly number[]) => number) =>
    patternOf([30], change).split(' | ')[1];
  expect(relation((value, [i]) => (i === 13 ? value * 1.1 : value * 1.0027))).toBe('null');
  expect(relation((value, [i]) => (i! < 3 ? value * 2 : value))).toBe('null');
  expect(relation((value, [i]) => value + Math.cos(i! ** 2))).toBe('null');
});

it('states numbers with the digits that they need, and of integers nothing but what is exact', () => {
  const relation = (
    dtype: Dtype,
    expected: readonly (number | bigint)[],
    actual: readonly (number | bigint)[],
  ) => {
    const [a, e] = [actual, expected].map((all) => tensor(dtype, [all.length], all));
    return errorPattern({ actual: a!, expected: e! }, EXACT)?.relation ?? null;
  };
  const floats = Array.from({ length: 30 }, (_, i) => expectedAt(i));
  const whole = Array.from({ length: 30 }, (_, i) => 1000 + 7 * i);
  expect(
    relation(
      'float32',
      floats,
      floats.map((e) => e * (1 + 2 ** -17)),
    ),
  ).toBe('actual = 1.000008 × expected');
  // Noise of a twentieth is no factor, nor is what memory held before.
  const noise = (i: number): number => Math.cos(i ** 2);
  expect(
    relation(
      'float32',
      floats,
      floats.map((e, i) => e * (2 + 0.1 * noise(i))),
    ),
  ).toBeNull();
  expect(
    relation(
      'float32',
      floats,
      floats.map((_, i) => 1e-9 * noise(i)),
    ),
  ).toBeNull();
  expect(
    relation(
      'int32',
      whole,
      whole.map(() => 123_456_789),
    ),
  ).toBe('actual is 123456789');
  expect(
    relation(
      'int32',
      whole,
      whole.map((e) => 2 * e),
    ),
  ).toBe('actual = 2 × expected');
  expect(
    relation(
      'int32',
      whole,
      whole.map((e, i) => 2 * e + Number(i === 9)),
    ),
  ).toBeNull();
  expect(
    relation(
      'int32',
      whole,
      whole.map((e) => e + 3),
    ),
  ).toBe('actual = expected + 3');
  const large = whole.map((e) => BigInt(e));
  expect(
    relation(
      'int64',
      large,
      large.map((e) => (e % 2n) + 2n ** 53n),
    ),
  ).toBeNull();
  expect(
    relation(
      'int64',
      large,
      large.map((e) => 3n * e),
    ),
  ).toBe('actual = 3 × expected');
});
