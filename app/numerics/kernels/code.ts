/**
 * WebAssembly as bytes: instructions by name, and a module with one function over a shared memory.
 * It follows the WebAssembly 2.0 specification, sections 5 (binary format) and 5.4.9 (vectors).
 *
 * A program's worker evaluates no text, so kernels specialized to dtypes cannot be JavaScript made
 * at run time; WebAssembly modules may be.
 */

/** Instructions, in order; an expression leaves one value on the stack. */
export type Code = readonly number[];

export const I32 = 0x7f;
export const I64 = 0x7e;
export const F64 = 0x7c;
export const V128 = 0x7b;
export type ValueType = typeof I32 | typeof I64 | typeof F64 | typeof V128;

/** Unsigned LEB128. */
export function unsigned(value: number): number[] {
  const out: number[] = [];
  do {
    const low = value & 0x7f;
    value >>>= 7;
    out.push(value ? low | 0x80 : low);
  } while (value);
  return out;
}

/** Signed LEB128. */
export function signed(value: bigint): number[] {
  const out: number[] = [];
  for (;;) {
    const low = Number(value & 0x7fn);
    value >>= 7n;
    if ((value === 0n && !(low & 0x40)) || (value === -1n && low & 0x40)) return [...out, low];
    out.push(low | 0x80);
  }
}

/** Opcodes behind the prefix 0xfd. */
const VECTOR = {
  load: 0, load8x8_s: 1, load8x8_u: 2, load16x4_s: 3, load16x4_u: 4,
  load32_splat: 9, load64_splat: 10, store: 11, const: 12, shuffle: 13,
  'i32x4.splat': 17, 'i64x2.splat': 18, 'f32x4.splat': 19, 'f64x2.splat': 20,
  'i32x4.extract': 27, 'i32x4.replace': 28, 'i64x2.extract': 29, 'i64x2.replace': 30,
  'f32x4.extract': 31, 'f32x4.replace': 32, 'f64x2.extract': 33, 'f64x2.replace': 34,
  'i32x4.eq': 55, 'i32x4.ne': 56, 'i32x4.lt': 57, 'i32x4.gt': 59, 'i32x4.le': 61, 'i32x4.ge': 63,
  'f32x4.eq': 65, 'f32x4.ne': 66, 'f32x4.lt': 67, 'f32x4.gt': 68, 'f32x4.le': 69, 'f32x4.ge': 70,
  'f64x2.eq': 71, 'f64x2.ne': 72, 'f64x2.lt': 73, 'f64x2.gt': 74, 'f64x2.le': 75, 'f64x2.ge': 76,
  not: 77, and: 78, andnot: 79, or: 80, xor: 81, bitselect: 82, any_true: 83,
  store32_lane: 90, store64_lane: 91, load32_zero: 92,
  'f32x4.demote': 94, 'f64x2.promote': 95,
  'f32x4.ceil': 103, 'f32x4.floor': 104, 'f32x4.trunc': 105, 'f32x4.nearest': 106,
  'f64x2.ceil': 116, 'f64x2.floor': 117, 'f64x2.trunc': 122, 'f64x2.nearest': 148,
  'i16x8.extend_s': 135, 'i16x8.extend_u': 137,
  'i32x4.abs': 160, 'i32x4.neg': 161, 'i32x4.extend_s': 167, 'i32x4.extend_u': 169,
  'i32x4.shl': 171, 'i32x4.shr_s': 172, 'i32x4.shr_u': 173, 'i32x4.add': 174, 'i32x4.sub': 177,
  'i32x4.mul': 181, 'i32x4.min': 182, 'i32x4.max': 184,
  'i64x2.abs': 192, 'i64x2.neg': 193, 'i64x2.low_s': 199, 'i64x2.high_s': 200, 'i64x2.low_u': 201,
  'i64x2.high_u': 202, 'i64x2.shl': 203, 'i64x2.shr_s': 204, 'i64x2.shr_u': 205, 'i64x2.add': 206,
  'i64x2.sub': 209, 'i64x2.mul': 213, 'i64x2.eq': 214, 'i64x2.ne': 215, 'i64x2.lt': 216,
  'i64x2.gt': 217, 'i64x2.le': 218, 'i64x2.ge': 219,
  'f32x4.abs': 224, 'f32x4.neg': 225, 'f32x4.sqrt': 227, 'f32x4.add': 228, 'f32x4.sub': 229,
  'f32x4.mul': 230, 'f32x4.div': 231, 'f32x4.pmin': 234, 'f32x4.pmax': 235,
  'f64x2.abs': 236, 'f64x2.neg': 237, 'f64x2.sqrt': 239, 'f64x2.add': 240, 'f64x2.sub': 241,
  'f64x2.mul': 242, 'f64x2.div': 243, 'f64x2.pmin': 246, 'f64x2.pmax': 247,
  'i32x4.trunc_f32x4': 248, 'f32x4.convert_s': 250, 'f32x4.convert_u': 251,
  'i32x4.trunc_f64x2': 252, 'f64x2.convert_s': 254, 'f64x2.convert_u': 255,
} as const; // prettier-ignore
export type Vector = keyof typeof VECTOR;

const SCALAR = {
  'i32.eqz': 0x45, 'i32.eq': 0x46, 'i32.lt': 0x48, 'i32.ge': 0x4e, 'i32.ge_u': 0x4f,
  'i64.eqz': 0x50, 'i64.eq': 0x51, 'i64.lt': 0x53, 'i64.ge_u': 0x5a, 'f64.lt': 0x63,
  'i32.add': 0x6a, 'i32.sub': 0x6b, 'i32.mul': 0x6c, 'i32.div': 0x6d, 'i32.rem': 0x6f, 'i32.and': 0x71,
  'i32.or': 0x72, 'i32.xor': 0x73, 'i32.shl': 0x74, 'i32.shr': 0x75, 'i32.shr_u': 0x76,
  'i64.add': 0x7c, 'i64.sub': 0x7d, 'i64.mul': 0x7e, 'i64.div': 0x7f, 'i64.rem': 0x81,
  'i64.xor': 0x85,
  'i64.shl': 0x86, 'i64.shr': 0x87, 'f64.abs': 0x99,
  'i32.wrap': 0xa7, 'i64.extend': 0xac, 'f32.convert_i64': 0xb4, 'f64.convert_i64': 0xb9, 'f32.demote': 0xb6,
  'f64.promote': 0xbb, select: 0x1b,
} as const; // prettier-ignore
export type Scalar = keyof typeof SCALAR;

/** A vector instruction on its operands. */
export function v(name: Vector, ...operands: readonly Code[]): Code {
  return [...operands.flat(), 0xfd, ...unsigned(VECTOR[name])];
}
/** One with a lane. */
export function lane(name: Vector, index: number, ...operands: readonly Code[]): Code {
  return [...v(name, ...operands), index];
}
/** One on memory at `address` + `offset`, unaligned; `index`: its lane, if it has one. */
export function memory(
  name: Vector,
  offset: number,
  address: Code,
  value: Code = [],
  index: Code = [],
) {
  return [...address, ...value, 0xfd, ...unsigned(VECTOR[name]), 0, ...unsigned(offset), ...index];
}
export function s(name: Scalar, ...operands: readonly Code[]): Code {
  return [...operands.flat(), SCALAR[name]];
}
/** i64.trunc_sat_f64_s */
export function truncated(x: Code): Code {
  return [...x, 0xfc, 6];
}
export function i32(value: number): Code {
  return [0x41, ...signed(BigInt(value | 0))];
}
export function i64(value: bigint): Code {
  return [0x42, ...signed(value)];
}
export function f64(value: number): Code {
  return [0x44, ...new Uint8Array(new Float64Array([value]).buffer)];
}
/** A constant of 128 bits. */
export function v128(bytes: ArrayBufferView): Code {
  const all = new Uint8Array(bytes.buffer, bytes.byteOffset, 16);
  return [0xfd, 12, ...all];
}
export const i32x4 = (x: number): Code => v128(new Int32Array(4).fill(x));
export const i64x2 = (x: bigint): Code => v128(new BigInt64Array(2).fill(x));
export const f32x4 = (x: number): Code => v128(new Float32Array(4).fill(x));
export const f64x2 = (x: number): Code => v128(new Float64Array(2).fill(x));
/** Bytes of two vectors, by number: 0 to 15 of the first, 16 to 31 of the second. */
export function shuffle(a: Code, b: Code, bytes: readonly number[]): Code {
  return [...v('shuffle', a, b), ...bytes];
}

/** A function's body in the making: statements, and locals that hold what is used twice. */
export class Body {
  readonly code: number[] = [];
  private readonly locals: ValueType[] = [];
  /** @param parameters locals that the function is called with. */
  constructor(private readonly parameters: number) {}

  local(type: ValueType): number {
    return this.parameters + this.locals.push(type) - 1;
  }
  get(local: number): Code {
    return [0x20, ...unsigned(local)];
  }
  set(local: number, value: Code): void {
    this.code.push(...value, 0x21, ...unsigned(local));
  }
  /** Computes `value` once. @returns what reads it. */
  let(type: ValueType, value: Code): Code {
    const local = this.local(type);
    this.set(local, value);
    return this.get(local);
  }
  do(code: Code): void {
    this.code.push(...code);
  }
  /** Statements that run where `condition`, an i32, is not 0. */
  when(condition: Code, then: () => void, otherwise?: () => void): void {
    this.code.push(...condition, 0x04, 0x40);
    then();
    if (otherwise) {
      this.code.push(0x05);
      otherwise();
    }
    this.code.push(0x0b);
  }
  /** Repeats statements while `condition`, tested after them, is not 0. */
  loop(statements: () => void, condition: Code): void {
    this.code.push(0x03, 0x40);
    statements();
    this.code.push(...condition, 0x0d, 0, 0x0b);
  }
  get bytes(): number[] {
    const locals = this.locals.flatMap((type) => [1, type]);
    return [...unsigned(this.locals.length), ...locals, ...this.code, 0x0b];
  }
}

export const call = (index: number, ...operands: readonly Code[]): Code => [
  ...operands.flat(),
  0x10,
  ...unsigned(index),
];

const section = (id: number, content: readonly number[]): number[] => [
  id,
  ...unsigned(content.length),
  ...content,
];
const text = (value: string): number[] => [value.length, ...new TextEncoder().encode(value)];

/**
 * A module whose function 1, `run`, takes i32s and has the given body. It imports the memory `m.m`
 * and, as function 0, `m.f(f64, f64) → f64`.
 */
export function moduleOf(body: Body, parameters = 1): Uint8Array<ArrayBuffer> {
  const code = body.bytes;
  return new Uint8Array([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [
      2,
      0x60,
      2,
      F64,
      F64,
      1,
      F64,
      0x60,
      parameters,
      ...Array<number>(parameters).fill(I32),
      0,
    ]),
    ...section(2, [2, ...text('m'), ...text('m'), 2, 0, 1, ...text('m'), ...text('f'), 0, 0]),
    ...section(3, [1, 1]),
    ...section(7, [1, ...text('run'), 0, 1]),
    ...section(10, [1, ...unsigned(code.length), ...code]),
  ]);
}
