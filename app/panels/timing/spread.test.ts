import { describe, expect, it } from 'vitest';
import type { Timing } from '../../events';
import { changeOf, isBelow, spreadOf, type Spread } from './spread';

const timing = (median: number, over: Partial<Timing> = {}): Timing => ({
  clock: 'gpu',
  median,
  low: median,
  high: median,
  samples: 1,
  quantum: 1,
  ...over,
});
const spread = (median: number, half: number, over: Partial<Spread> = {}): Spread => ({
  clock: 'gpu',
  quantum: 1,
  median,
  low: median - half,
  high: median + half,
  of: 'quartiles',
  n: 100,
  ...over,
});

describe('a spread', () => {
  it('is of quartiles over launches, of deciles over the samples of one', () => {
    expect(spreadOf({ timings: [] })).toBeNull();
    expect(spreadOf({ timings: [5, 1, 3, 2, 4].map((time) => timing(time)) })).toEqual({
      clock: 'gpu',
      quantum: 1,
      median: 3,
      low: 2,
      high: 4,
      of: 'quartiles',
      n: 5,
    });
    const sampled = timing(10, { low: 9, high: 12, samples: 40 });
    expect(spreadOf({ timings: [sampled] })).toMatchObject({
      low: 9,
      high: 12,
      of: 'deciles',
      n: 40,
    });
    expect(spreadOf({ timings: [timing(7)] })).toMatchObject({ of: 'one', n: 1 });
  });
  it('below the step of its clock says so', () => {
    expect(isBelow(spread(60, 0, { quantum: 65.536 }))).toBe(true);
    expect(isBelow(spread(66, 0, { quantum: 65.536 }))).toBe(false);
  });
});

describe('a change', () => {
  it('is none while the spreads overlap', () => {
    expect(changeOf(spread(100, 5), spread(108, 4))).toEqual({ kind: 'same', ratio: 1.08 });
    expect(changeOf(spread(100, 5), spread(50, 5))).toEqual({ kind: 'faster', ratio: 0.5 });
    expect(changeOf(spread(100, 5), spread(200, 5))).toEqual({ kind: 'slower', ratio: 2 });
  });
  it('smaller than the clock’s step is none', () => {
    const step = { quantum: 65.536 };
    expect(changeOf(spread(131, 0, step), spread(196, 0, step)).kind).toBe('same');
    expect(changeOf(spread(1310, 0, step), spread(1966, 0, step)).kind).toBe('slower');
  });
  it('of single samples is believed only where it is large', () => {
    const one = { n: 1, of: 'one' } as const;
    expect(changeOf(spread(1000, 0, one), spread(1080, 0, one)).kind).toBe('same');
    expect(changeOf(spread(1000, 0, one), spread(1200, 0, one)).kind).toBe('slower');
  });
  it('is not known below the resolution, or over two clocks', () => {
    const below = changeOf(spread(0, 0, { quantum: 65 }), spread(100, 0, { quantum: 65 }));
    expect(below.kind).toBe('unknown');
    expect(changeOf(spread(9, 1), spread(9, 1, { clock: 'cpu' })).kind).toBe('unknown');
  });
});
