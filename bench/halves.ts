/** Halves as bits: what the buffers of f16 tensors hold. */
/// <reference lib="esnext.float16" />

export function toHalves(values: Float32Array): Uint16Array<ArrayBuffer> {
  return new Uint16Array(new Float16Array(values).buffer);
}
export function fromHalves(halves: Uint16Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  return new Float32Array(new Float16Array(halves.buffer, halves.byteOffset, halves.length));
}

/** Random halves between ±0.25 and ±2, quickly: caches of keys are large. */
export function randomHalves(count: number, seed: number): Uint16Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(count / 2));
  let state = (seed * 2654435761 + 12345) >>> 0 || 1;
  for (let i = 0; i < words.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    // Signs and fractions at random; exponents −2 to 0 (13, 14, 15: 11 in the lowest bits becomes
    // 13).
    const bits = state >>> 0;
    words[i] =
      (bits & 0x83ff83ff) | exponent((bits >>> 10) & 3) | (exponent((bits >>> 26) & 3) << 16);
  }
  return new Uint16Array(words.buffer, 0, count);
}
const exponent = (two: number): number => (two === 0 ? 14 : 12 + two) << 10;
