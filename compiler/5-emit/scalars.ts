/** A scalar argument of a launch: from the words of the uniform buffer to a register. */
import type { Value } from '../ir/ir';
import { bitWidth } from '../ir/types';
import { fromBits } from './arithmetic/conversions';
import { dtypeOfValue } from './emission';
import type { Emission } from './emission';
import type { Parameter } from './uniforms';

/** The words hold the bits of the value in its dtype; above them anything. */
export function decodeScalar(
  e: Emission,
  value: Value,
  parameter: Extract<Parameter, { kind: 'scalar' }>,
): string {
  const dtype = dtypeOfValue(value);
  const word = (index: 0 | 1): string =>
    e.parameters.word({
      kind: 'scalar',
      path: parameter.path,
      dtype: parameter.dtype,
      word: index,
    });
  const width = bitWidth(dtype);
  if (width === 64) return `vec2<u32>(${word(0)}, ${word(1)})`;
  if (dtype === 'i32') return `i32(${word(0)})`;
  const low =
    width === 32 ? word(0) : `(${word(0)} & 0x${(2 ** Math.max(width, 8) - 1).toString(16)}u)`;
  return fromBits(e, dtype, low);
}
