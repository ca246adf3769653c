/**
 * The types of thread IR: what one thread of a workgroup holds, as WGSL has it. Numbers are scalars
 * or vectors of up to four; fragments are a subgroup's share of a matrix; a memory is a variable or
 * an array in an address space. Each type is one object, so types compare with `===`.
 */

export type ScalarName = 'bool' | 'i32' | 'u32' | 'f32' | 'f16';
export type VectorSize = 1 | 2 | 3 | 4;

/** A scalar (`size` 1) or a vector; printed as in WGSL: `f32`, `vec4<f32>`. */
export interface NumberType {
  readonly kind: 'number';
  readonly scalar: ScalarName;
  readonly size: VectorSize;
}

/** A subgroup matrix; printed `!thread.left<f16, 16x8>`, rows × columns. */
export interface FragmentType {
  readonly kind: 'fragment';
  readonly role: 'left' | 'right' | 'result';
  readonly scalar: 'f16' | 'f32' | 'i32' | 'u32' | 'i8' | 'u8';
  readonly rows: number;
  readonly columns: number;
}

/** `storage`: a binding; `workgroup`: shared by a program's threads; `private`: a thread's own. */
export type AddressSpace = 'storage' | 'workgroup' | 'private';

/**
 * A variable (`shape` is empty) or an array. A length of 0 is known at run time only. Printed
 * `memref<?xvec4<f32>, storage>`, `memref<64xatomic<u32>, workgroup>`.
 */
export interface MemoryType {
  readonly kind: 'memory';
  readonly space: AddressSpace;
  readonly element: NumberType;
  readonly atomic: boolean;
  readonly shape: readonly number[];
}

export type ThreadType = NumberType | FragmentType | MemoryType;

const interned = new Map<string, FragmentType | MemoryType>();
/** The one object of a type. */
function intern<T extends FragmentType | MemoryType>(type: T): T {
  const key = printThreadType(type);
  const found = interned.get(key);
  if (found) return found as T;
  interned.set(key, type);
  return type;
}

const SCALARS: readonly ScalarName[] = ['bool', 'i32', 'u32', 'f32', 'f16'];
const sizes = (scalar: ScalarName): readonly NumberType[] =>
  ([1, 2, 3, 4] as const).map((size) => ({ kind: 'number', scalar, size }));
const NUMBERS = Object.fromEntries(SCALARS.map((scalar) => [scalar, sizes(scalar)])) as Readonly<
  Record<ScalarName, readonly NumberType[]>
>;

export function number(scalar: ScalarName, size: VectorSize = 1): NumberType {
  return NUMBERS[scalar][size - 1]!;
}
export const BOOL = number('bool');
export const I32 = number('i32');
export const U32 = number('u32');
export const F32 = number('f32');
export const F16 = number('f16');

export function fragment(
  role: FragmentType['role'],
  scalar: FragmentType['scalar'],
  rows: number,
  columns: number,
): FragmentType {
  return intern({ kind: 'fragment', role, scalar, rows, columns });
}

export function memory(
  space: AddressSpace,
  element: NumberType,
  shape: readonly number[],
  atomic = false,
): MemoryType {
  return intern({ kind: 'memory', space, element, atomic, shape });
}

export function printThreadType(type: ThreadType): string {
  switch (type.kind) {
    case 'number':
      return type.size === 1 ? type.scalar : `vec${type.size}<${type.scalar}>`;
    case 'fragment':
      return `!thread.${type.role}<${type.scalar}, ${type.rows}x${type.columns}>`;
    case 'memory': {
      const element = printThreadType(type.element);
      const shape = type.shape.map((length) => `${length === 0 ? '?' : length}x`).join('');
      return `memref<${shape}${type.atomic ? `atomic<${element}>` : element}, ${type.space}>`;
    }
    default:
      return type satisfies never;
  }
}
/** Words of 32 bits that a value takes in registers. */
export function wordsOfType(type: ThreadType, subgroupSize = 32): number {
  switch (type.kind) {
    case 'number':
      return type.size;
    case 'fragment':
      return Math.ceil((type.rows * type.columns) / subgroupSize);
    case 'memory':
      return type.space === 'private' ? type.shape.reduce((a, b) => a * b, type.element.size) : 0;
    default:
      return type satisfies never;
  }
}
