/** Numbers in the text of the functions of f64: coefficients of series, and constants. */

/** Coefficients of a series; every series is filled up with zeros to this many. */
export const TERMS = 18;

export const hex = (x: bigint): string => `0x${x.toString(16)}u`;
const word = (x: bigint): string => `vec2<u32>(${hex(x & 0xffffffffn)}, ${hex(x >> 32n)})`;
/** The coefficients 1 / divisor(i), in units of 2⁻⁶². */
export function series(count: number, divisor: (i: number) => bigint): string {
  const one = 2n ** 62n;
  const terms = Array.from({ length: TERMS }, (_, i) => (i < count ? one / divisor(i) : 0n));
  return `array<vec2<u32>, ${TERMS}>(\n    ${terms.map(word).join(',\n    ')})`;
}

/** ln 2 in units of 2⁻⁶⁴. */
export const LN2 = 'vec2<u32>(0xd1cf79acu, 0xb17217f7u)';
export const NAN = 'vec2<u32>(0u, 0x7ff80000u)';
