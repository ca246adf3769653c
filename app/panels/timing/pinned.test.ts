import { expect, it } from 'vitest';
import { matchRows, type PinnedRow } from './pinned';

const row = (kernel: string, grid: number, median = 1): PinnedRow => ({
  kernel,
  grid: [grid, 1, 1],
  spread: { clock: 'gpu', quantum: 0, median, low: median, high: median, of: 'one', n: 1 },
});

it('matches rows by kernel and grid, then by kernel in order, none twice', () => {
  const before = [row('add', 97, 1), row('add', 10, 2), row('mul', 4, 3)];
  const now = [row('add', 194), row('add', 97), row('div', 4), row('mul', 8), row('add', 5)];
  expect(matchRows(before, now).map((found) => found?.spread.median ?? null)).toEqual([
    2,
    1,
    null,
    3,
    null,
  ]);
});
