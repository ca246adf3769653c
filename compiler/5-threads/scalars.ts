/** A scalar argument of a launch: from the launch's words to a register. */
import type { Value } from '../ir/ir';
import { bitWidth } from '../ir/types';
import { fromBits } from './arithmetic/conversions';
import type { ThreadValue } from '../ir/thread/ir';
import { dtypeOfValue } from './context';
import type { Lowering } from './context';
import type { Parameter } from './uniforms';

/** The words hold the bits of the value in its dtype; above them anything. */
export function decodeScalar(
  t: Lowering,
  value: Value,
  parameter: Extract<Parameter, { kind: 'scalar' }>,
): ThreadValue {
  const dtype = dtypeOfValue(value);
  const word = (index: 0 | 1): ThreadValue =>
    t.b.word({ kind: 'scalar', path: parameter.path, dtype: parameter.dtype, word: index });
  const width = bitWidth(dtype);
  if (width === 64) return t.x`vec2<u32>(${word(0)}, ${word(1)})`;
  if (dtype === 'i32') return t.x`i32(${word(0)})`;
  const mask = 2 ** Math.max(width, 8) - 1;
  return fromBits(t, dtype, width === 32 ? word(0) : t.x`${word(0)} & ${mask}u`);
}
