/** The step of a clock, and times as they are reported. */
import { expect, it } from 'vitest';
import { quantumOf, timingOf } from './clock';

it('finds the step of a clock', () => {
  expect(quantumOf([65_536n * 3n, 65_536n * 7n])).toBe(65_536);
  expect(quantumOf([65_536n * 9n, 65_536n * 9n])).toBe(65_536);
  expect(quantumOf([1000n, 3040n, 5080n])).toBe(40);
  expect(quantumOf([123_456_789_123n, 123_456_789_123n])).toBe(1);
  expect(quantumOf([])).toBe(1);
});

it('reports the median and the spread in microseconds', () => {
  const timing = timingOf([3000, 1000, 2000], 'gpu', 1);
  expect(timing).toMatchObject({ median: 2, samples: 3, clock: 'gpu', quantum: 0.001 });
  expect(timing.low).toBeCloseTo(1.2);
  expect(timing.high).toBeCloseTo(2.8);
});
