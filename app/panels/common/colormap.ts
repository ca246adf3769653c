/**
 * Colour carries data: one perceptual map for magnitudes, one diverging map centred on zero. Both
 * are interpolated in Oklab between anchors of even lightness steps, so equal steps of value look
 * equal.
 */
type Rgb = readonly [number, number, number];
/** Lightness, and the two colour axes of Oklab. */
type Lab = readonly [number, number, number];

function fromHex(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
const toLinear = (byte: number): number => {
  const c = byte / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
};
const toByte = (c: number): number => {
  const value = c <= 0.0031308 ? 12.92 * c : 1.055 * Math.max(0, c) ** (1 / 2.4) - 0.055;
  return Math.round(255 * Math.min(1, Math.max(0, value)));
};

// The matrices of Ottosson, "A perceptual color space for image processing", 2020.
function toLab([red, green, blue]: Rgb): Lab {
  const [r, g, b] = [toLinear(red), toLinear(green), toLinear(blue)];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}
function toRgb([lightness, a, b]: Lab): Rgb {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    toByte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    toByte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    toByte(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

const STEPS = 256;
function ramp(anchors: readonly string[]): readonly Rgb[] {
  const labs = anchors.map((hex) => toLab(fromHex(hex)));
  return Array.from({ length: STEPS }, (_, index) => {
    const at = (index / (STEPS - 1)) * (labs.length - 1);
    const low = Math.min(labs.length - 2, Math.floor(at));
    const [from, to] = [labs[low]!, labs[low + 1]!];
    const mix = (channel: 0 | 1 | 2): number =>
      from[channel] + (to[channel] - from[channel]) * (at - low);
    return toRgb([mix(0), mix(1), mix(2)]);
  });
}

const MAGNITUDE = ramp(['#0b1d2a', '#0f4c5c', '#14808a', '#58b368', '#dbe36b', '#fffbd6']);
const DIVERGING = ramp(['#7a1f0f', '#d2694a', '#f4efe9', '#3d9c93', '#07403c']);

export type Scale = {
  readonly kind: 'magnitude' | 'diverging';
  readonly low: number;
  readonly high: number;
  /** Equal ratios look equal; of magnitudes above 0, what is below `low` looks like it. */
  readonly log?: boolean;
  /** For a diverging scale: the high end has the colour of faults. */
  readonly faults?: boolean;
};

/** Diverging and symmetric where both signs occur, else from the least to the greatest. */
export function scaleFor(values: readonly (number | string)[], magnitude: boolean): Scale {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (typeof value !== 'number') continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) [low, high] = [0, 0];
  if (magnitude) return { kind: 'magnitude', low: 0, high };
  if (low < 0 && high > 0) {
    const bound = Math.max(-low, high);
    return { kind: 'diverging', low: -bound, high: bound };
  }
  return { kind: 'magnitude', low, high };
}

const FAULTS = [...DIVERGING].reverse();

function mapOf({ kind, faults }: Scale): readonly Rgb[] {
  if (kind === 'magnitude') return MAGNITUDE;
  return faults ? FAULTS : DIVERGING;
}

/** Position of a value on the scale: 0 at its low end, 1 at its high one. */
function positionOf(value: number, { kind, low, high, log }: Scale): number {
  if (log && low > 0 && high > low)
    return value > low ? Math.log(value / low) / Math.log(high / low) : 0;
  // Halves, so that a span of all numbers does not overflow.
  const span = high / 2 - low / 2;
  return span > 0 ? (value / 2 - low / 2) / span : kind === 'diverging' ? 0.5 : 0;
}

export function colorOf(value: number, scale: Scale): Rgb {
  const at = positionOf(value, scale);
  const index = Math.round(Math.min(1, Math.max(0, at)) * (STEPS - 1));
  return mapOf(scale)[index]!;
}

export function cssRamp(scale: Scale): string {
  const map = mapOf(scale);
  const stops = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
    (at) => `rgb(${map[Math.round(at * (STEPS - 1))]!.join(' ')})`,
  );
  return `linear-gradient(to right, ${stops.join(', ')})`;
}
