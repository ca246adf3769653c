/** Halves as bits: what the buffers of f16 tensors hold. */

const scratch = new DataView(new ArrayBuffer(4));

/** The half nearest to a number, ties to even. */
function bitsOf(value: number): number {
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const exponent = (bits >>> 23) & 255;
  if (exponent === 255) return sign | 0x7c00 | ((bits & 0x7fffff) === 0 ? 0 : 0x200);
  if (exponent < 113) {
    // Below the normal halves: a multiple of 2⁻²⁴.
    const scaled = Math.abs(value) * 2 ** 24;
    const down = Math.floor(scaled);
    const rest = scaled - down;
    return sign | (down + (rest > 0.5 || (rest === 0.5 && down % 2 === 1) ? 1 : 0));
  }
  const low = bits & 0x1fff;
  const half = ((exponent - 112) << 10) | ((bits >>> 13) & 0x3ff);
  const up = low > 0x1000 || (low === 0x1000 && half % 2 === 1) ? 1 : 0;
  return sign | Math.min(0x7c00, half + up);
}

let table: Float32Array | undefined;
/** The number of each half's bits. */
function numbers(): Float32Array {
  table ??= Float32Array.from({ length: 65536 }, (_, bits) => {
    const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
    const sign = bits >> 15 === 1 ? -1 : 1;
    if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  });
  return table;
}

export function toHalves(values: Float32Array): Uint16Array<ArrayBuffer> {
  const out = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) out[i] = bitsOf(values[i]!);
  return out;
}
export function fromHalves(halves: Uint16Array): Float32Array<ArrayBuffer> {
  const known = numbers();
  const out = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i++) out[i] = known[halves[i]!]!;
  return out;
}

/** Random halves between ±0.25 and ±2, quickly: caches of keys are large. */
export function randomHalves(count: number, seed: number): Uint16Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(count / 2));
  let state = (seed * 2654435761 + 12345) >>> 0 || 1;
  for (let i = 0; i < words.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    // Signs and fractions at random; exponents −2 to 0 (13, 14, 15: 11 in the lowest bits becomes 13).
    const bits = state >>> 0;
    words[i] =
      (bits & 0x83ff83ff) | exponent((bits >>> 10) & 3) | (exponent((bits >>> 26) & 3) << 16);
  }
  return new Uint16Array(words.buffer, 0, count);
}
const exponent = (two: number): number => (two === 0 ? 14 : 12 + two) << 10;
