import { describe, expect, it } from 'vitest';
import { colorOf, scaleFor } from './colormap';

const lightness = ([r, g, b]: readonly [number, number, number]): number =>
  0.2126 * r + 0.7152 * g + 0.0722 * b;

describe('scales', () => {
  it('are centred on zero where both signs occur, and skip what is no number', () => {
    expect(scaleFor([-1, 3, 'nan', 'inf'], false)).toEqual({ kind: 'diverging', low: -3, high: 3 });
    expect(scaleFor([1, 3], false)).toEqual({ kind: 'magnitude', low: 1, high: 3 });
    expect(scaleFor([1, 3], true)).toEqual({ kind: 'magnitude', low: 0, high: 3 });
    expect(scaleFor(['nan'], true)).toEqual({ kind: 'magnitude', low: 0, high: 0 });
  });
});

describe('colours', () => {
  it('of magnitudes grow lighter all the way', () => {
    const scale = { kind: 'magnitude', low: 0, high: 255 } as const;
    const steps = Array.from({ length: 52 }, (_, i) => lightness(colorOf(i * 5, scale)));
    for (let i = 1; i < steps.length; i++) expect(steps[i]!).toBeGreaterThan(steps[i - 1]!);
  });
  it('of errors are lightest at zero and different on both sides', () => {
    const scale = { kind: 'diverging', low: -1, high: 1 } as const;
    expect(lightness(colorOf(0, scale))).toBeGreaterThan(lightness(colorOf(0.5, scale)));
    expect(lightness(colorOf(0, scale))).toBeGreaterThan(lightness(colorOf(-0.5, scale)));
    expect(colorOf(-1, scale)).not.toEqual(colorOf(1, scale));
  });
  it('stay inside the map for values outside it', () => {
    const scale = { kind: 'magnitude', low: 0, high: 1 } as const;
    expect(colorOf(7, scale)).toEqual(colorOf(1, scale));
    expect(colorOf(0, { ...scale, high: 0 })).toEqual(colorOf(0, scale));
  });
});

describe('scales of faults', () => {
  it('are white at 1, and have the colour of faults above it', () => {
    const scale = { kind: 'diverging', low: 0.01, high: 100, log: true, faults: true } as const;
    const [red, , blue] = colorOf(100, scale);
    expect(red).toBeGreaterThan(2 * blue);
    expect(lightness(colorOf(1, scale))).toBeGreaterThan(lightness(colorOf(10, scale)));
    expect(colorOf(0, scale)).toEqual(colorOf(0.01, scale));
  });
});

describe('logarithmic scales', () => {
  it('give equal ratios equal steps, and zero the low end', () => {
    const log = { kind: 'magnitude', low: 1e-6, high: 1, log: true } as const;
    const linear = { kind: 'magnitude', low: 0, high: 1 } as const;
    expect(colorOf(1e-3, log)).toEqual(colorOf(0.5, linear));
    expect(colorOf(0, log)).toEqual(colorOf(0, linear));
  });
  it('do not overflow on the whole range of f64', () => {
    const scale = { kind: 'diverging', low: -1.7e308, high: 1.7e308 } as const;
    expect(colorOf(0, scale)).toEqual(colorOf(0, { ...scale, low: -1, high: 1 }));
  });
});
