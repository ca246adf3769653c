import { expect, it } from 'vitest';
import { formatRate } from './rates';

it('have three digits and a prefix', () => {
  expect(formatRate(12_345_678_901, 'B/s')).toBe('12.3 GB/s');
  expect(formatRate(1.85e12, 'FLOP/s')).toBe('1.85 TFLOP/s');
  expect(formatRate(999_960_000, 'B/s')).toBe('1 GB/s');
  expect(formatRate(500, 'B/s')).toBe('500 B/s');
  expect(formatRate(100e9, 'B/s')).toBe('100 GB/s');
  expect(formatRate(0, 'B/s')).toBe('0 B/s');
  expect(formatRate(0.25, 'FLOP/s')).toBe('0.25 FLOP/s');
});
