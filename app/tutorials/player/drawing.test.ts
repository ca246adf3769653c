import { describe, expect, it } from 'vitest';
import { gridOf, summaryOf, tokenOf } from './drawing';

const vector = { shape: [1000], strides: [1], elements: 1000, masked: 24, outside: 0 };

describe('the grid of a figure', () => {
  it('draws a vector in lines, with what hangs over its end', () => {
    const { window } = gridOf(vector);
    expect(window).toMatchObject({ pitch: 64, rows: 17, columns: 64 });
  });

  it('draws a matrix by its row stride', () => {
    const { window } = gridOf({ ...vector, shape: [6, 50], strides: [57, 1], elements: 335 });
    expect(window).toMatchObject({ pitch: 57, rows: 6 });
  });

  it('draws a transposed matrix as it lies in memory', () => {
    const { window } = gridOf({ ...vector, shape: [300, 100], strides: [1, 300], elements: 30000 });
    expect(window).toMatchObject({ pitch: 300, rows: 100 });
  });

  it('keeps a large tensor at the size of a figure', () => {
    const grid = gridOf({
      shape: [4096, 4096],
      strides: [4096, 1],
      elements: 4096 ** 2,
      masked: 0,
      outside: 0,
    });
    expect(grid.window.width * grid.cell).toBeLessThanOrEqual(448);
    expect(grid.window.height * grid.cell).toBeLessThanOrEqual(224);
  });
});

it('says what was touched, and how much of it again', () => {
  const tensor = { type: '', shape: [1000], writes: 0, distinctWrites: 0, masked: 24, outside: 0 };
  expect(summaryOf({ ...tensor, reads: 464, distinctReads: 232 })).toBe(
    '[1000], 464 loaded (232 different), 24 masked off',
  );
});

it('shows the worst of what happened to a cell', () => {
  expect(tokenOf(1 | 16)).toBe('--fail');
  expect(tokenOf(1 | 2)).toBe('--series-2');
  expect(tokenOf(8)).toBe('masked');
  expect(tokenOf(0)).toBeNull();
});
