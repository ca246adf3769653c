import { describe, expect, it } from 'vitest';
import { canvasSize, clampView, fit, pan, reveal, zoomAt } from './viewport';

const extent = { rows: 100, columns: 200 };

describe('a view', () => {
  it('keeps the point under the pointer when it zooms', () => {
    const near = zoomAt(fit(extent), 4, 25, 150, extent);
    expect(near).toEqual({ top: 18.75, bottom: 43.75, left: 112.5, right: 162.5 });
    expect((25 - near.top) / (near.bottom - near.top)).toBeCloseTo(0.25);
    expect(zoomAt(near, 1 / 16, 25, 150, extent)).toEqual(fit(extent));
  });
  it('ends at a few elements and at the edges', () => {
    const near = zoomAt(fit(extent), 1e6, 100, 0, extent);
    expect(near).toEqual({ top: 96, bottom: 100, left: 0, right: 4 });
    expect(pan(near, 50, -50, extent)).toEqual(near);
    expect(clampView({ top: -5, bottom: 5, left: 195, right: 205 }, extent)).toEqual({
      top: 0,
      bottom: 10,
      left: 190,
      right: 200,
    });
    expect(fit({ rows: 1, columns: 2 })).toEqual(
      zoomAt(fit({ rows: 1, columns: 2 }), 9, 0, 0, { rows: 1, columns: 2 }),
    );
  });
  it('moves no more than it must to show an element', () => {
    const near = { top: 10, bottom: 20, left: 10, right: 20 };
    expect(reveal(near, 15, 15, extent)).toBe(near);
    expect(reveal(near, 20, 5, extent)).toEqual({ top: 11, bottom: 21, left: 5, right: 15 });
  });
});

describe('a canvas', () => {
  it('has square elements where it can', () => {
    expect(canvasSize({ rows: 4, columns: 8 }, 600, 320)).toEqual({ width: 224, height: 112 });
    expect(canvasSize({ rows: 512, columns: 512 }, 600, 320)).toEqual({ width: 320, height: 320 });
    expect(canvasSize({ rows: 1, columns: 4096 }, 600, 320)).toEqual({ width: 600, height: 24 });
    expect(canvasSize({ rows: 100_000, columns: 2 }, 600, 320)).toEqual({
      width: 240,
      height: 320,
    });
  });
});
