/** Tensors for the tests of this folder. */
import { arrayType, encode, isCoded, type Dtype } from '../numerics/dtypes';
import { elementsOf, type Elements } from './elements';
import type { Pair, Tolerance } from './errors';

export const EXACT: Tolerance = { rtol: 0, atol: 0, equalNan: false };

/** A vector of a dtype with these values. */
export function vector(dtype: Dtype, values: readonly (number | bigint)[]): Elements {
  const raw = new (arrayType(dtype) as Float64ArrayConstructor)(values.length);
  if (isCoded(dtype)) encode(dtype, values as number[], raw as unknown as Uint16Array);
  else values.forEach((value, i) => (raw[i] = value as number));
  return elementsOf(dtype, [values.length], new Uint8Array(raw.buffer as ArrayBuffer));
}

export function tensor(
  dtype: Dtype,
  shape: readonly number[],
  values: readonly (number | bigint)[],
): Elements {
  return { ...vector(dtype, values), shape };
}

/** Two vectors to compare. */
export const pair = (
  actual: readonly (number | bigint)[],
  expected: readonly (number | bigint)[],
  dtype: Dtype = 'float32',
): Pair => ({ actual: vector(dtype, actual), expected: vector(dtype, expected) });
