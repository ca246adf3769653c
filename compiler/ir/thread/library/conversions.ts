/** Conversions between integers and floats as the library computes them: rounded once. */
import { roundFloat } from '../../numbers';
import { floatToInteger } from '../../ops/element';

const word = new Uint32Array(1);
const float = new Float32Array(word.buffer);

/** Rounded to odd: toward zero, with the last bit set where something was lost. */
export function roundToOdd(x: number): number {
  float[0] = roundFloat('f32', x, 'rtz');
  if (float[0] !== x && x === x) word[0]! |= 1;
  return float[0]!;
}

/** The f32 of an integer of up to 64 bits; to nearest even, or to odd where `odd` is not 0. */
export function integerToF32(x: bigint, odd: number): number {
  const magnitude = x < 0n ? -x : x;
  let value = Number(magnitude);
  if (magnitude >= 2n ** 53n) {
    // A double has room for 53 bits: the lowest of them says whether a lower one is set.
    const high = magnitude >> 11n;
    const sticky = high << 11n === magnitude ? 0n : 1n;
    value = Number(high | sticky) * 2 ** 11;
  }
  const rounded = odd === 0 ? Math.fround(value) : roundToOdd(value);
  return x < 0n ? -rounded : rounded;
}

/** Truncated and limited to the range; NaN is 0, or of f64 the highest bit alone. */
export function floatToI32(from: 'f32' | 'f64', x: number, signed: boolean): number {
  return Number(floatToInteger(from, 'i32', x, signed));
}
/** Truncated and limited to the range; NaN is the highest bit alone, as in PTX. */
export function floatToI64(x: number, signed: boolean): bigint {
  return BigInt(floatToInteger('f64', 'i64', x, signed));
}
