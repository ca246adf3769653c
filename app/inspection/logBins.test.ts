/** Bins for errors of every size. */
import { expect, it } from 'vitest';
import { logBin, logEdge } from './logBins';

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
