import { describe, expect, it } from 'vitest';
import { elementName, indicesOf, pitchOf, vectorPitch } from './elements';

describe('elements of a tensor', () => {
  it('have the indices that their strides say', () => {
    expect(indicesOf(3 * 20 + 17, [10, 20], [20, 1])).toEqual([3, 17]);
    // Transposed, and a part of a wider one.
    expect(indicesOf(3 * 20 + 17, [20, 10], [1, 20])).toEqual([17, 3]);
    expect(indicesOf(2 * 32 + 5, [4, 16], [32, 1])).toEqual([2, 5]);
    expect(indicesOf(2 * 32 + 20, [4, 16], [32, 1])).toBeNull();
    expect(indicesOf(7, [3, 8], [0, 1])).toEqual([0, 7]);
    expect(indicesOf(200, [10, 20], [20, 1])).toBeNull();
    expect(indicesOf(-1, [10], [1])).toBeNull();
    expect(indicesOf(0, [], [])).toEqual([]);
  });
  it('are named as Python indexes them', () => {
    expect(elementName(65, [4, 16, 2], [32, 2, 1])).toBe('[2, 0, 1]');
    expect(elementName(5, null, null)).toBeNull();
  });
  it('are drawn in rows of the matrix, a vector in rows that fill the picture', () => {
    expect(pitchOf([10, 20], [20, 1])).toBe(20);
    expect(pitchOf([20, 10], [1, 20])).toBe(20);
    expect(pitchOf([100], [1])).toBeNull();
    expect(pitchOf(null, null)).toBeNull();
    expect(vectorPitch(100, 700, 300)).toBe(64);
    expect(vectorPitch(1_000_000, 700, 300)).toBe(2048);
  });
});
