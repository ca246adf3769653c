import { describe, expect, it } from 'vitest';
import type { Timing } from '../../events';
import {
  formatBytes,
  formatMicroseconds,
  formatNumber,
  formatSpread,
  formatTiming,
} from './format';

const timing: Timing = {
  clock: 'gpu',
  median: 412.345,
  low: 400,
  high: 1500,
  samples: 5,
  quantum: 65.536,
};

describe('numbers', () => {
  it.each([
    [0, '0'],
    [98432, '98432'],
    [0.123456, '0.1235'],
    [1e-8, '1e-8'],
    [1.5e-7, '1.5e-7'],
    [123456789, '1.23e+8'],
    ['nan', 'nan'],
    [Number.NEGATIVE_INFINITY, '-inf'],
    [null, '–'],
  ] as const)('%s reads %s', (value, text) => expect(formatNumber(value)).toBe(text));

  it.each([
    [0.5, '0.5 µs'],
    [41.234, '41.2 µs'],
    [1234.5, '1.23 ms'],
    [2_500_000, '2.5 s'],
  ])('%d µs reads %s', (value, text) => expect(formatMicroseconds(value)).toBe(text));

  it('says bytes in powers of two', () => {
    expect(formatBytes(0)).toBe('0 B');
    expect(formatBytes(16384)).toBe('16 KiB');
    expect(formatBytes(1023 * 1024)).toBe('1023 KiB');
    expect(formatBytes(2 ** 30)).toBe('1 GiB');
  });
});

describe('times', () => {
  it('are never 0 where the clock is too coarse', () => {
    for (const median of [0, 30, 65])
      expect(formatTiming({ ...timing, median })).toEqual({
        text: 'below resolution (65.5 µs)',
        below: true,
      });
  });
  it('stand with their spread', () => {
    expect(formatTiming(timing)).toEqual({ text: '412 µs', below: false });
    expect(formatSpread(timing)).toBe('400 µs – 1.5 ms');
    expect(formatSpread({ ...timing, samples: 1 })).toBe('');
  });
});
