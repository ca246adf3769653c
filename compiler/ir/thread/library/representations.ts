/**
 * How numbers stand in a thread's registers: the components of a value of thread IR, and the number
 * that they are. 64 bits are two words, low first; small floats that have no type of their own are
 * the bits in a u32.
 */
import { encodeSmall, floatFromBits } from '../../numbers';
import type { DType, FloatType } from '../../types';
import { BOOL, F32, I32, number, U32 } from '../types';
import type { NumberType } from '../types';

/** The components of a value; truth values are 0 and 1. */
export type Components = readonly number[];

/** The type in registers, and the one of the number. */
export interface Kind {
  readonly type: NumberType;
  readonly dtype: DType;
}
/** As a function takes it. */
export interface Decoded<T> extends Kind {
  readonly decode: (components: Components) => T;
}
export interface Representation<T> extends Decoded<T> {
  readonly encode: (value: T) => Components;
}

const scalar = (
  type: NumberType,
  dtype: DType,
  round: (x: number) => number,
): Representation<number> => ({
  type,
  dtype,
  decode: ([x]) => x!,
  encode: (x) => [round(x)],
});
export const u32 = scalar(U32, 'i32', (x) => x >>> 0);
export const i32 = scalar(I32, 'i32', (x) => x | 0);
export const f32 = scalar(F32, 'f32', Math.fround);
export const bool: Representation<boolean> = {
  type: BOOL,
  dtype: 'i1',
  decode: ([x]) => x !== 0,
  encode: (x) => [x ? 1 : 0],
};
export const f32Pair: Representation<readonly [number, number]> = {
  type: number('f32', 2),
  dtype: 'f32',
  decode: ([x, y]) => [x!, y!],
  encode: ([x, y]) => [Math.fround(x), Math.fround(y)],
};

export const WORDS2 = number('u32', 2);
export const WORDS3 = number('u32', 3);
export const WORDS4 = number('u32', 4);
const words = new Uint32Array(2);
const signed = new BigInt64Array(words.buffer);
const unsigned = new BigUint64Array(words.buffer);
const double = new Float64Array(words.buffer);
/** By way of a typed array on the words' bytes: JavaScript's machines are little-endian. */
const pair = <T>(dtype: DType, view: { [at: number]: T }): Representation<T> => ({
  type: WORDS2,
  dtype,
  decode: ([low, high]) => {
    words[0] = low!;
    words[1] = high!;
    return view[0]!;
  },
  encode: (value) => {
    view[0] = value;
    return [words[0]!, words[1]!];
  },
});
export const i64 = pair<bigint>('i64', signed);
export const u64 = pair<bigint>('i64', unsigned);
export const f64 = pair<number>('f64', double);

/** A float by its bits, already rounded to the format. */
export const bitsOf = (dtype: FloatType): Representation<number> => ({
  type: U32,
  dtype,
  decode: ([bits]) => floatFromBits(dtype, BigInt(bits!)),
  encode: (value) => [encodeSmall(dtype, value)],
});
