/**
 * Places of tiles on their way through workgroup memory: rows, columns and blocks in different
 * banks.
 */
import { expect, test } from 'vitest';
import { skewed } from './chunks';

const banks = (words: readonly number[]): number =>
  new Set(words.map((word) => skewed(word) % 32)).size;
const lanes = Array.from({ length: 32 }, (_, i) => i);

test.each([32, 64, 128])('32 lanes along a row or a column of a tile of %i columns', (columns) => {
  expect(banks(lanes)).toBe(32);
  expect(banks(lanes.map((row) => row * columns))).toBe(32 / Math.max(1, columns / 32));
});

test('lanes that hold four words in a row each', () => {
  for (const word of [0, 1, 2, 3]) expect(banks(lanes.map((lane) => 4 * lane + word))).toBe(32);
});

test('no two words share a place, and bits are placed one by one', () => {
  const places = Array.from({ length: 4096 }, (_, word) => skewed(word));
  expect(new Set(places).size).toBe(4096);
  for (const word of [5, 33, 100, 1023, 4095]) {
    const bits = lanes.map((i) => word & (1 << i)).map((bit) => skewed(bit));
    expect(bits.reduce((sum, place) => sum + place, 0)).toBe(skewed(word));
  }
});
