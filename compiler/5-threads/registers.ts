/**
 * How a value of each dtype lives in a register of one thread, and what its constants are. Narrow
 * integers are i32 with the sign extended; i64 and f64 are two words, low first; bf16, and f16
 * where the target has none, are f32 that hold only values of the narrow type; fp8 are their bits;
 * pointers are offsets in elements from the start of their group.
 */
import { floatBits, scalarBits } from '../ir/numbers';
import type { ScalarValue } from '../ir/numbers';
import type { ThreadBuilder } from '../ir/thread/builder';
import type { ThreadValue } from '../ir/thread/ir';
import { BOOL, F16, F32, I32, number, U32 } from '../ir/thread/types';
import type { NumberType } from '../ir/thread/types';
import type { DType, ElementType } from '../ir/types';
import { isFloat } from '../ir/types';

/** Two words: a 64-bit number, low word first. */
export const PAIR = number('u32', 2);

/** Which of the types that WebGPU may lack are native here. */
export interface NativeTypes {
  readonly f16: boolean;
}

export function registerType(element: ElementType, native: NativeTypes): NumberType {
  return element.kind === 'pointer' ? I32 : dtypeRegister(element.dtype, native);
}

export function dtypeRegister(dtype: DType, native: NativeTypes): NumberType {
  switch (dtype) {
    case 'i1':
      return BOOL;
    case 'i8':
    case 'i16':
    case 'i32':
      return I32;
    case 'i64':
    case 'f64':
      return PAIR;
    case 'f16':
      return native.f16 ? F16 : F32;
    case 'bf16':
    case 'f32':
      return F32;
    case 'f8E4M3FN':
    case 'f8E5M2':
    case 'f8E4M3FNUZ':
    case 'f8E5M2FNUZ':
    case 'f8E4M3B11FNUZ':
      return U32;
    default:
      return dtype satisfies never;
  }
}

/** A constant of `dtype` as it is held. */
export function constantOf(
  b: ThreadBuilder,
  dtype: DType,
  value: ScalarValue,
  native: NativeTypes,
): ThreadValue {
  switch (dtype) {
    case 'i1':
      return b.bool(Boolean(value));
    case 'i8':
    case 'i16':
    case 'i32':
      return b.i32(Number(value));
    case 'i64':
    case 'f64': {
      const bits = scalarBits(dtype, value);
      return b.vector(
        [Number(bits & 0xffffffffn), Number((bits >> 32n) & 0xffffffffn)].map((word) =>
          b.u32(word),
        ),
      );
    }
    case 'f16':
      return native.f16 ? b.constant(F16, Number(value)) : b.f32(Number(value));
    case 'bf16':
    case 'f32':
      return b.f32(Number(value));
    default:
      if (!isFloat(dtype)) throw new Error(`no literal of ${dtype as string}`);
      return b.u32(Number(floatBits(dtype, Number(value))));
  }
}
