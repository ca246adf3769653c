/** Powers of two and e as loops over f32: the interpreter's frequent functions. */
import type { Numbers } from '../tile';

/** 2^(i/64) of each part, and every power of two of a double. */
const FRACTIONS = Float64Array.from({ length: 64 }, (_, i) => 2 ** (i / 64));
const POWERS = Float64Array.from({ length: 2048 }, (_, i) => 2 ** (i - 1023));
/** Of 2^r for |r| ≤ 1/128, from Taylor's series: the error is below 2⁻⁵⁵. */
const [E1, E2, E3, E4, E5] = [1, 2, 3, 4, 5].map(
  (i) => Math.LN2 ** i / [1, 1, 2, 6, 24, 120][i]!,
) as [number, number, number, number, number];

/** 2^(scale · x), rounded to f32: what `exact` gives, in a third of the time. */
export function exponentials(
  a: Numbers,
  scale: number,
  exact: (x: number) => number,
  o: Float32Array,
  n: number,
): void {
  for (let i = 0; i < n; i++) {
    const x = a[i]! * scale;
    // Neither NaN nor infinite, and far from where POWERS ends.
    if (!(x > -1000 && x < 1000)) {
      o[i] = exact(a[i]!);
      continue;
    }
    const k = Math.floor(x * 64 + 0.5);
    const r = x - k / 64;
    const near = 1 + r * (E1 + r * (E2 + r * (E3 + r * (E4 + r * E5))));
    o[i] = near * FRACTIONS[k & 63]! * POWERS[(k >> 6) + 1023]!;
  }
}
