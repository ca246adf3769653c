/** Share of each step of `npm run nightly --minutes`; every part of a list has its day. */
import { describe, expect, it } from 'vitest';
import { fromToday, rotated, shareOf, timeIsUp } from './budget';

describe('time for a night', () => {
  it('is shared by weight, and what one leaves over is the later ones’', () => {
    expect(shareOf(100, [1, 3])).toBe(25);
    expect(shareOf(90, [3])).toBe(90);
    expect(shareOf(Infinity, [1, 3])).toBe(Infinity);
    expect(shareOf(0, [2, 5])).toBe(0);
  });

  it('has no end where nobody says one', () => {
    expect(process.env['NIGHTLY_SECONDS']).toBeUndefined();
    expect(timeIsUp()).toBe(false);
    expect(fromToday([1, 2, 3])).toEqual([1, 2, 3]);
  });

  it.each([1, 2, 25, 36, 35, 49])('begins with each of %i in as many days', (length) => {
    const list = Array.from({ length }, (_, index) => index);
    const firsts = list.map((day) => rotated(list, 20_000 + day)[0]);
    expect(new Set(firsts).size).toBe(length);
    expect(rotated(list, 20_003).toSorted((a, b) => a - b)).toEqual(list);
  });
});
