/**
 * The front end's dtypes: Triton's, signedness included. The IR keeps only the width; from here
 * every operation chooses by the dtype how the bits are read. Promotion follows Triton 3.8.
 */
import { pointer, scalar, type DType, type ElementType } from '../ir/types';

/** A dtype of numbers, by Triton's short name (`fp32`), as error messages print it. */
export type NumberName =
  | 'int1'
  | 'int8'
  | 'int16'
  | 'int32'
  | 'int64'
  | 'uint8'
  | 'uint16'
  | 'uint32'
  | 'uint64'
  | 'fp16'
  | 'bf16'
  | 'fp32'
  | 'fp64'
  | 'fp8e4nv'
  | 'fp8e4b8'
  | 'fp8e4b15'
  | 'fp8e5'
  | 'fp8e5b16';

export interface NumberDtype {
  readonly kind: 'number';
  readonly name: NumberName;
}
/** A dtype of integers; a type of its own, so that `!isInt(d)` leaves the floats. */
export interface IntegerDtype extends NumberDtype {
  readonly name: Extract<NumberName, `int${number}` | `uint${number}`>;
}
export interface PointerDtype {
  readonly kind: 'pointer';
  readonly element: Dtype;
  /** `tl.const`: stores are errors. */
  readonly const: boolean;
}
export type Dtype = NumberDtype | PointerDtype;

interface Facts {
  readonly ir: DType;
  readonly bits: number;
  /** The public name: `float32` for `fp32`. */
  readonly public: string;
  readonly class: 'signed' | 'unsigned' | 'float';
  /** Bits of the mantissa of a float. */
  readonly mantissa?: number;
}
const FACTS: Record<NumberName, Facts> = {
  int1: { ir: 'i1', bits: 1, public: 'int1', class: 'unsigned' },
  int8: { ir: 'i8', bits: 8, public: 'int8', class: 'signed' },
  int16: { ir: 'i16', bits: 16, public: 'int16', class: 'signed' },
  int32: { ir: 'i32', bits: 32, public: 'int32', class: 'signed' },
  int64: { ir: 'i64', bits: 64, public: 'int64', class: 'signed' },
  uint8: { ir: 'i8', bits: 8, public: 'uint8', class: 'unsigned' },
  uint16: { ir: 'i16', bits: 16, public: 'uint16', class: 'unsigned' },
  uint32: { ir: 'i32', bits: 32, public: 'uint32', class: 'unsigned' },
  uint64: { ir: 'i64', bits: 64, public: 'uint64', class: 'unsigned' },
  fp16: { ir: 'f16', bits: 16, public: 'float16', class: 'float', mantissa: 10 },
  bf16: { ir: 'bf16', bits: 16, public: 'bfloat16', class: 'float', mantissa: 7 },
  fp32: { ir: 'f32', bits: 32, public: 'float32', class: 'float', mantissa: 23 },
  fp64: { ir: 'f64', bits: 64, public: 'float64', class: 'float', mantissa: 52 },
  fp8e4nv: { ir: 'f8E4M3FN', bits: 8, public: 'float8e4nv', class: 'float', mantissa: 3 },
  fp8e4b8: { ir: 'f8E4M3FNUZ', bits: 8, public: 'float8e4b8', class: 'float', mantissa: 3 },
  fp8e4b15: { ir: 'f8E4M3B11FNUZ', bits: 8, public: 'float8e4b15', class: 'float', mantissa: 3 },
  fp8e5: { ir: 'f8E5M2', bits: 8, public: 'float8e5', class: 'float', mantissa: 2 },
  fp8e5b16: { ir: 'f8E5M2FNUZ', bits: 8, public: 'float8e5b16', class: 'float', mantissa: 2 },
};

const numbers = new Map<string, NumberDtype>();
for (const name of Object.keys(FACTS) as NumberName[]) {
  const dtype: NumberDtype = { kind: 'number', name };
  numbers.set(name, dtype);
  numbers.set(FACTS[name].public, dtype);
}
/**
 * By Triton's public or short name: `float32`, `fp32`. Other spellings in use: `i32`, `u8`, `i1`.
 */
export function dtypeNamed(name: string): NumberDtype | undefined {
  const known = numbers.get(name);
  if (known) return known;
  const short = /^([iu])(\d+)$/.exec(name);
  if (!short) return undefined;
  if (name === 'u1' || name === 'i1') return numbers.get('int1');
  return numbers.get(`${short[1] === 'u' ? 'uint' : 'int'}${short[2]}`);
}
/** The dtype of that name, which must exist. */
export function num(name: NumberName): NumberDtype {
  return numbers.get(name)!;
}

export const INT1 = num('int1');
export const INT8 = num('int8');
export const INT32 = num('int32');
export const INT64 = num('int64');
export const UINT32 = num('uint32');
export const UINT64 = num('uint64');
export const FP16 = num('fp16');
export const BF16 = num('bf16');
export const FP32 = num('fp32');
export const FP64 = num('fp64');

export function pointerTo(element: Dtype, isConst = false): PointerDtype {
  return { kind: 'pointer', element, const: isConst };
}

export function sameDtype(a: Dtype, b: Dtype): boolean {
  if (a.kind === 'number') return a === b;
  return b.kind === 'pointer' && a.const === b.const && sameDtype(a.element, b.element);
}
export function isFloating(d: Dtype): boolean {
  return d.kind === 'number' && FACTS[d.name].class === 'float';
}
export function isInt(d: Dtype): d is IntegerDtype {
  return d.kind === 'number' && FACTS[d.name].class !== 'float';
}
export function isSigned(d: Dtype): boolean {
  return d.kind === 'number' && FACTS[d.name].class === 'signed';
}
/** `int1` counts as unsigned, as in Triton. */
export function isUnsigned(d: Dtype): boolean {
  return d.kind === 'number' && FACTS[d.name].class === 'unsigned';
}
export function isFp8(d: Dtype): boolean {
  return d.kind === 'number' && d.name.startsWith('fp8');
}
export function isStandardFloating(d: Dtype): boolean {
  return isFloating(d) && !isFp8(d);
}
/** Width in bits; of a pointer, 64. */
export function bits(d: Dtype): number {
  return d.kind === 'number' ? FACTS[d.name].bits : 64;
}
export function mantissaBits(d: NumberDtype): number {
  return FACTS[d.name].mantissa ?? 0;
}
export function intRange(d: NumberDtype): { min: bigint; max: bigint } {
  const width = BigInt(FACTS[d.name].bits);
  return FACTS[d.name].class === 'signed'
    ? { min: -(1n << (width - 1n)), max: (1n << (width - 1n)) - 1n }
    : { min: 0n, max: (1n << width) - 1n };
}

/** As error messages print it: `fp32`, `pointer<fp16>`. */
export function showDtype(d: Dtype): string {
  if (d.kind === 'number') return d.name;
  return `${d.const ? 'const_pointer' : 'pointer'}<${showDtype(d.element)}>`;
}
/** As a program writes it: `tl.float32`. */
export function publicName(d: Dtype): string {
  return d.kind === 'number' ? FACTS[d.name].public : showDtype(d);
}
export function irElement(d: Dtype): ElementType {
  return d.kind === 'number' ? scalar(FACTS[d.name].ir) : pointer(irElement(d.element));
}

/** bool < integer < float. */
function rank(d: NumberDtype): number {
  return d.name === 'int1' ? 0 : isInt(d) ? 1 : 2;
}

/** C's usual conversions: the wider wins; at equal width the unsigned one. */
export function promoteIntegers(a: NumberDtype, b: NumberDtype): NumberDtype {
  if (isSigned(a) === isSigned(b)) return bits(a) > bits(b) ? a : b;
  if (isUnsigned(a)) return bits(a) >= bits(b) ? a : b;
  return bits(b) >= bits(a) ? b : a;
}

export type Promotion = NumberDtype | { readonly error: string };

/**
 * The dtype in which a binary operation computes. `aScalar`/`bScalar`: the operand is still a
 * Python number, which does not take part in the promotion unless its kind is higher. `division`:
 * `/`, `//` and `%` compute halves in fp32.
 */
export function promote(
  a: NumberDtype,
  aScalar: boolean,
  b: NumberDtype,
  bScalar: boolean,
  division: boolean,
): Promotion {
  if (aScalar !== bScalar) {
    const [number, tensor] = aScalar ? [a, b] : [b, a];
    if (rank(number) <= rank(tensor))
      return division && (tensor === FP16 || tensor === BF16) ? FP32 : tensor;
  }
  if (a === FP64 || b === FP64) return FP64;
  if (a === FP32 || b === FP32) return FP32;
  if (a === FP16 || b === FP16) return division ? FP32 : FP16;
  if (a === BF16 && b === BF16) return division ? FP32 : BF16;
  if (a === BF16 || b === BF16) return FP32;
  if (isFp8(a) && isFp8(b)) return a === b ? a : FP16;
  if (!isInt(a) || !isInt(b))
    return { error: `unexpected type ${showDtype(a)} and ${showDtype(b)}` };
  if (division && isSigned(a) !== isSigned(b))
    return {
      error:
        `Cannot use /, // or % with ${showDtype(a)} and ${showDtype(b)} because they have ` +
        'different signedness. Cast them to the same signedness',
    };
  return promoteIntegers(a, b);
}

/** The dtype of a Python integer as a tensor; `undefined` if none holds it. */
export function dtypeOfInteger(value: bigint): NumberDtype | undefined {
  if (value >= -(2n ** 31n) && value < 2n ** 31n) return INT32;
  if (value >= 2n ** 31n && value < 2n ** 32n) return UINT32;
  if (value >= -(2n ** 63n) && value < 2n ** 63n) return INT64;
  if (value >= 2n ** 63n && value < 2n ** 64n) return UINT64;
  return undefined;
}
/** The dtype of a Python float as a tensor: fp32 where it is normal there, else fp64. */
export function dtypeOfFloat(value: number): NumberDtype {
  const size = Math.abs(value);
  const fits =
    !Number.isFinite(size) ||
    size === 0 ||
    (size >= 2 ** -126 && size <= (2 - 2 ** -23) * 2 ** 127);
  return fits ? FP32 : FP64;
}
