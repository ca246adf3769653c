import { expect, test } from 'vitest';
import { sampled, worst } from './work';

const out = Float32Array.of(1, 2, 3, 4);

test('the largest difference is that of all elements, or of those requested', () => {
  const expected = Float64Array.of(1, 2, 3.5, 6);
  expect(worst(out, expected)).toBe(2);
  expect(worst(out, Float64Array.of(3.5, 1), Int32Array.of(2, 0))).toBe(0.5);
});

test('an element that nobody wrote is seen also where nobody looks', () => {
  const left = Float32Array.of(1, NaN, 3, 4);
  expect(worst(left, Float64Array.of(1), Int32Array.of(0))).toBeNaN();
  expect(sampled([0], () => 1)(left)).toBeNaN();
  expect(sampled({ all: 4 }, (i) => i + 1)(left)).toBeNaN();
});

test('what is expected is NaN: no result is right', () => {
  expect(sampled([1], () => NaN)(out)).toBeNaN();
});

test('what is expected is computed once', () => {
  let asked = 0;
  const check = sampled([3, 1], (i) => {
    asked++;
    return i;
  });
  expect(check(out)).toBe(1);
  expect(check(Float32Array.of(0, 1, 2, 3))).toBe(0);
  expect(asked).toBe(2);
});
