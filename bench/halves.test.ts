import { expect, test } from 'vitest';
import { fromHalves, randomHalves, toHalves } from './halves';

test('every half is itself, there and back', () => {
  const finite = Uint16Array.from({ length: 65536 }, (_, bits) => bits).filter(
    (bits) => (bits & 0x7c00) !== 0x7c00,
  );
  expect(toHalves(fromHalves(finite))).toEqual(finite);
});

test('numbers go to the nearest half, ties to even', () => {
  const step = 2 ** -10;
  const cases: [number, number][] = [
    [1 + step / 2, 1],
    [1 + 1.5 * step, 1 + 2 * step],
    [1 + 0.51 * step, 1 + step],
    [2047.5, 2048],
    [65519, 65504],
    [65520, Infinity],
    [-1e9, -Infinity],
    [2 ** -25, 0],
    [1.5 * 2 ** -24, 2 * 2 ** -24],
    [0.75 * 2 ** -24, 2 ** -24],
    // The largest number below the normal halves rounds up to the first of them.
    [2 ** -14 - 2 ** -26, 2 ** -14],
  ];
  const rounded = fromHalves(toHalves(Float32Array.from(cases, ([x]) => x)));
  expect([...rounded]).toEqual(cases.map(([, y]) => y));
  expect(fromHalves(toHalves(Float32Array.of(NaN)))[0]).toBeNaN();
});

test('random halves are between a quarter and two, of both signs, and of the seed', () => {
  const some = [...fromHalves(randomHalves(4096, 7))];
  expect(some.every((x) => Math.abs(x) >= 0.25 && Math.abs(x) < 2)).toBe(true);
  const negative = some.filter((x) => x < 0).length;
  expect(negative).toBeGreaterThan(1800);
  expect(negative).toBeLessThan(2300);
  expect(randomHalves(64, 8)).not.toEqual(randomHalves(64, 7));
});
