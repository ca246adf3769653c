/** Tensors for the tests of this folder. */
import { arrayType, encode, isCoded, type Dtype } from '../numerics/dtypes';
import { elementsOf, type Elements } from './elements';

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
