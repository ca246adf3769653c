/**
 * How a value of each dtype lives in a register of one thread, as a WGSL type, and what its constants
 * look like. Narrow integers are i32 with the sign extended; i64, and f64, which is only moved, are
 * two words, low first; bf16, and f16 where the target has none, are f32 that hold only values of the
 * narrow type; fp8 are their bits; pointers are offsets in elements from the start of their group.
 */
import { floatBits, scalarBits } from '../ir/numbers';
import type { ScalarValue } from '../ir/numbers';
import type { DType, ElementType } from '../ir/types';
import { isFloat } from '../ir/types';

export type RegisterType = 'bool' | 'i32' | 'f32' | 'f16' | 'vec2<u32>' | 'u32';

/** Which of the types that WebGPU may lack are native here. */
export interface NativeTypes {
  readonly f16: boolean;
}

export function registerType(element: ElementType, native: NativeTypes): RegisterType {
  if (element.kind === 'pointer') return 'i32';
  return dtypeRegister(element.dtype, native);
}

export function dtypeRegister(dtype: DType, native: NativeTypes): RegisterType {
  switch (dtype) {
    case 'i1':
      return 'bool';
    case 'i8':
    case 'i16':
    case 'i32':
      return 'i32';
    case 'i64':
    case 'f64':
      return 'vec2<u32>';
    case 'f16':
      return native.f16 ? 'f16' : 'f32';
    case 'bf16':
    case 'f32':
      return 'f32';
    case 'f8E4M3FN':
    case 'f8E5M2':
    case 'f8E4M3FNUZ':
    case 'f8E5M2FNUZ':
    case 'f8E4M3B11FNUZ':
      return 'u32';
    default:
      return dtype satisfies never;
  }
}

/** The zero of a register type. */
export function zeroOf(type: RegisterType): string {
  return type === 'bool' ? 'false' : `${type}(0)`;
}

/** A f32 literal of exactly this value; infinities, NaNs and -0 from bits made at run time. */
export function f32Literal(value: number): string {
  const x = Math.fround(value);
  if (Object.is(x, -0) || !Number.isFinite(x) || (x !== 0 && Math.abs(x) < 2 ** -126)) {
    const bits = Number(floatBits('f32', x));
    // A constant expression that is infinite or NaN is an error; `runtime_zero` makes it none.
    return `bitcast<f32>(0x${bits.toString(16)}u + runtime_zero)`;
  }
  const text = String(x);
  return /[.e]/.test(text) ? `${text}f` : `${text}.0f`;
}

export function i32Literal(value: number): string {
  const x = value | 0;
  return x < 0 ? `i32(${x})` : `${x}i`;
}

/** A constant of `dtype` as a WGSL expression. May need `runtime_zero` (see `f32Literal`). */
export function literal(dtype: DType, value: ScalarValue, native: NativeTypes): string {
  switch (dtype) {
    case 'i1':
      return value ? 'true' : 'false';
    case 'i8':
    case 'i16':
    case 'i32':
      return i32Literal(Number(value));
    case 'i64':
    case 'f64': {
      const bits = scalarBits(dtype, value);
      const low = Number(bits & 0xffffffffn);
      const high = Number((bits >> 32n) & 0xffffffffn);
      return `vec2<u32>(0x${low.toString(16)}u, 0x${high.toString(16)}u)`;
    }
    case 'f16': {
      const x = Number(value);
      if (!native.f16) return f32Literal(x);
      if (Number.isFinite(x) && !Object.is(x, -0)) return `f16(${f32Literal(x)})`;
      return `bitcast<vec2<f16>>(0x${floatBits('f16', x).toString(16)}u + runtime_zero).x`;
    }
    case 'bf16':
    case 'f32':
      return f32Literal(Number(value));
    default:
      if (!isFloat(dtype)) throw new Error(`no literal of ${dtype as string}`);
      return `0x${floatBits(dtype, Number(value)).toString(16)}u`;
  }
}
