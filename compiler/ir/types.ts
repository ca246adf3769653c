/**
 * The types of tile IR. They are Triton's own (TTIR): integers are signless, the operation says how
 * it reads the bits (`arith.divsi`, `arith.divui`); `i1` is a truth value. The front end keeps
 * Triton's signed and unsigned dtypes apart (`2-lower`); from here on only the width is left.
 */
import type { Layout } from './layout';

export type IntegerType = 'i1' | 'i8' | 'i16' | 'i32' | 'i64';
export type FloatType =
  | 'f16'
  | 'bf16'
  | 'f32'
  | 'f64'
  | 'f8E4M3FN'
  | 'f8E5M2'
  | 'f8E4M3FNUZ'
  | 'f8E5M2FNUZ'
  | 'f8E4M3B11FNUZ';
/** A number's type, printed as it stands. */
export type DType = IntegerType | FloatType;

export interface ScalarType {
  readonly kind: 'scalar';
  readonly dtype: DType;
}
/** An address of elements of `pointee`; printed `!tt.ptr<f32>`. */
export interface PointerType {
  readonly kind: 'pointer';
  readonly pointee: ElementType;
}
export type ElementType = ScalarType | PointerType;

/** A tile: row-major, every dimension a power of two; printed `tensor<128x64xf32>`. */
export interface TensorType {
  readonly kind: 'tensor';
  readonly shape: readonly number[];
  readonly element: ElementType;
  /** Which register, lane and subgroup holds each element; absent before `4-distribute`. */
  readonly layout?: Layout;
}

/**
 * A tile in workgroup memory; printed `!ttg.memdesc<128x16xf32, order = [0, 1], pad = 4>`.
 * `order[0]` is the dimension that runs fastest; every run of that dimension is followed by
 * `padding` unused elements.
 */
export interface MemdescType {
  readonly kind: 'memdesc';
  readonly shape: readonly number[];
  readonly element: ScalarType;
  readonly order: readonly number[];
  readonly padding: number;
  /**
   * Cut along a dimension into so many slabs, each a tile of its own in the array of that
   * dimension's slabs; printed `slabs = [0, 2]`. A subgroup that reads one slab finds it at a
   * constant offset.
   */
  readonly slabs?: readonly [dimension: 0 | 1, count: number];
}

/**
 * An accumulator in subgroup matrices, which nobody can look into; printed
 * `!ttg.fragments<128x128xf32, block = [64, 64], matrix = [16, 16]>`. Subgroups lie side by side
 * along the columns, then along the rows; each holds `block`, cut into matrices of `matrix`
 * elements. With `across = 2` it is the left operand of a dot: the subgroups of two blocks of the
 * product that lie side by side hold the same rows.
 */
export interface FragmentsType {
  readonly kind: 'fragments';
  readonly shape: readonly number[];
  readonly element: ScalarType;
  readonly block: readonly [rows: number, columns: number];
  readonly matrix: readonly [rows: number, columns: number];
  readonly across?: number;
}

export type Type = ScalarType | PointerType | TensorType | MemdescType | FragmentsType;

const scalars = new Map<DType, ScalarType>();
/** The one `ScalarType` object of a dtype. */
export function scalar(dtype: DType): ScalarType {
  let type = scalars.get(dtype);
  if (!type) scalars.set(dtype, (type = { kind: 'scalar', dtype }));
  return type;
}
export const I1 = scalar('i1');
export const I8 = scalar('i8');
export const I16 = scalar('i16');
export const I32 = scalar('i32');
export const I64 = scalar('i64');
export const F16 = scalar('f16');
export const BF16 = scalar('bf16');
export const F32 = scalar('f32');
export const F64 = scalar('f64');

export function pointer(pointee: ElementType): PointerType {
  return { kind: 'pointer', pointee };
}
/** A tile type; with an empty shape, the element type itself. */
export function tensor(shape: readonly number[], element: ElementType, layout?: Layout): Type {
  if (shape.length === 0) return element;
  return layout ? { kind: 'tensor', shape, element, layout } : { kind: 'tensor', shape, element };
}

/**
 * One of the slabs into which a tile in workgroup memory is cut; the tile itself where it is not.
 */
export function slabOf(type: MemdescType): MemdescType {
  if (!type.slabs) return type;
  const [dimension, count] = type.slabs;
  const { slabs: _, ...rest } = type;
  return { ...rest, shape: type.shape.map((size, d) => (d === dimension ? size / count : size)) };
}

/** Bytes of workgroup memory, all slabs and padding included. */
export function memdescBytes(type: MemdescType): number {
  const count = type.slabs?.[1] ?? 1;
  const slab = slabOf(type);
  const fastest = slab.shape[type.order[0]!]!;
  const runs = elementCount(slab) / fastest;
  return count * runs * (fastest + type.padding) * byteSize(type.element);
}

/** Bytes that a tile takes in workgroup memory; `words`: where each element takes whole words. */
export function localBytes(type: MemdescType, words: boolean): number {
  if (!words) return memdescBytes(slabOf(type));
  return elementCount(type) * Math.max(4, byteSize(type.element));
}

/** The element type of a tile; of a scalar or pointer, itself. */
export function elementOf(type: Type): ElementType {
  return type.kind === 'scalar' || type.kind === 'pointer' ? type : type.element;
}
/** The shape of a tile; of a scalar or pointer, `[]`. */
export function shapeOf(type: Type): readonly number[] {
  return type.kind === 'scalar' || type.kind === 'pointer' ? [] : type.shape;
}
/** Elements from one neighbour to the next along each dimension, row-major. */
export function rowMajorStrides(shape: readonly number[]): number[] {
  const strides: number[] = [];
  let stride = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    strides[d] = stride;
    stride *= shape[d]!;
  }
  return strides;
}
/** The same shape (and layout) with another element type. */
export function withElement(type: Type, element: ElementType): Type {
  return type.kind === 'tensor' ? { ...type, element } : element;
}
/** The dtype of a scalar or tile of numbers; `undefined` for pointers. */
export function dtypeOf(type: Type): DType | undefined {
  const element = elementOf(type);
  return element.kind === 'scalar' ? element.dtype : undefined;
}
export function elementCount(type: Type): number {
  return shapeOf(type).reduce((a, b) => a * b, 1);
}

const WIDTHS: Record<DType, number> = {
  i1: 1,
  i8: 8,
  i16: 16,
  i32: 32,
  i64: 64,
  f16: 16,
  bf16: 16,
  f32: 32,
  f64: 64,
  f8E4M3FN: 8,
  f8E5M2: 8,
  f8E4M3FNUZ: 8,
  f8E5M2FNUZ: 8,
  f8E4M3B11FNUZ: 8,
};
/** Bits of a value of this dtype (`i1` is 1). */
export function bitWidth(dtype: DType): number {
  return WIDTHS[dtype];
}
/**
 * Bytes that an element takes in global memory (`i1` is stored as a byte, a pointer as 8 bytes).
 */
export function byteSize(element: ElementType): number {
  return element.kind === 'pointer' ? 8 : Math.max(1, WIDTHS[element.dtype] >> 3);
}
export function isFloat(dtype: DType): dtype is FloatType {
  return !isInteger(dtype);
}
export function isInteger(dtype: DType): dtype is IntegerType {
  return dtype[0] === 'i';
}
export const DTYPES = Object.keys(WIDTHS) as DType[];
