/**
 * For tests: a Triton kernel that is written line by line: its indentation, the variables in scope
 * with their dtype and shape, and where the random numbers come from.
 */
import type { DType } from '../../ir/types';

export interface KernelDtype {
  /** As Triton's signatures write it: `fp32`. */
  readonly name: string;
  /** As a kernel writes it. */
  readonly tl: string;
  readonly ir: DType;
  readonly bits: number;
  readonly kind: 'bool' | 'signed' | 'unsigned' | 'float' | 'fp8';
}
const dtype = (
  name: string,
  tl: string,
  ir: DType,
  bits: number,
  kind: KernelDtype['kind'],
): KernelDtype => ({ name, tl: `tl.${tl}`, ir, bits, kind });

export const I1 = dtype('i1', 'int1', 'i1', 1, 'bool');
export const I32 = dtype('i32', 'int32', 'i32', 32, 'signed');
export const I64 = dtype('i64', 'int64', 'i64', 64, 'signed');
export const F32 = dtype('fp32', 'float32', 'f32', 32, 'float');
export const F16 = dtype('fp16', 'float16', 'f16', 16, 'float');
export const BF16 = dtype('bf16', 'bfloat16', 'bf16', 16, 'float');
export const I8 = dtype('i8', 'int8', 'i8', 8, 'signed');
export const INTEGERS: readonly KernelDtype[] = [
  I32,
  I8,
  dtype('i16', 'int16', 'i16', 16, 'signed'),
  I64,
  dtype('u8', 'uint8', 'i8', 8, 'unsigned'),
  dtype('u16', 'uint16', 'i16', 16, 'unsigned'),
  dtype('u32', 'uint32', 'i32', 32, 'unsigned'),
  dtype('u64', 'uint64', 'i64', 64, 'unsigned'),
];
export const FLOATS: readonly KernelDtype[] = [F32, F16, BF16];
export const FP8: readonly KernelDtype[] = [
  dtype('fp8e4nv', 'float8e4nv', 'f8E4M3FN', 8, 'fp8'),
  dtype('fp8e5', 'float8e5', 'f8E5M2', 8, 'fp8'),
];
/** Those that arithmetic takes. */
export const NUMBERS: readonly KernelDtype[] = [...INTEGERS, ...FLOATS];
export const ALL: readonly KernelDtype[] = [I32, F32, ...INTEGERS, ...FLOATS, I1, ...FP8];

export const isFloatKind = ({ kind }: KernelDtype): boolean => kind === 'float';
export const isIntKind = ({ kind }: KernelDtype): boolean =>
  kind === 'signed' || kind === 'unsigned';

/** A variable of the kernel: a tile, or a number where the shape is empty. */
export interface Variable {
  readonly name: string;
  readonly dtype: KernelDtype;
  readonly shape: readonly number[];
}
export const total = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);
export const list = (shape: readonly number[]): string => `[${shape.join(', ')}]`;

/** Writes the lines and keeps the scope. */
export class KernelText {
  readonly lines: string[] = [];
  #depth = 1;
  #names = 0;
  #scope = new Map<string, Variable[]>();

  /** `random`: may be changed between statements, so that each has numbers of its own. */
  constructor(public random: () => number) {}

  int(n: number): number {
    return Math.min(n - 1, Math.floor(this.random() * n));
  }
  pick<T>(from: readonly T[]): T {
    return from[this.int(from.length)]!;
  }
  /** False where the random numbers have run out: a shrunk kernel does less. */
  chance(p: number): boolean {
    return this.random() > 1 - p;
  }

  line(text: string): void {
    this.lines.push('    '.repeat(this.#depth) + text);
  }
  /** A variable with the value of the expression. */
  let(dtype: KernelDtype, shape: readonly number[], expression: string): Variable {
    const name = `v${this.#names++}`;
    this.line(`${name} = ${expression}`);
    return this.add({ name, dtype, shape });
  }
  fresh(hint: string): string {
    return `${hint}${this.#names++}`;
  }
  add(variable: Variable): Variable {
    const key = keyOf(variable);
    const known = this.#scope.get(key);
    if (known) known.push(variable);
    else this.#scope.set(key, [variable]);
    return variable;
  }
  known(dtype: KernelDtype, shape: readonly number[]): readonly Variable[] {
    return this.#scope.get(keyOf({ dtype, shape })) ?? [];
  }
  get variables(): readonly Variable[] {
    return [...this.#scope.values()].flat();
  }
  /** A block of a compound statement; what it defines is gone after it. */
  block(head: string, body: () => void): void {
    this.line(head);
    this.#depth++;
    const outer = this.#scope;
    this.#scope = new Map([...outer].map(([key, values]) => [key, [...values]]));
    const before = this.lines.length;
    body();
    if (this.lines.length === before) this.line('pass');
    this.#scope = outer;
    this.#depth--;
  }
}
function keyOf({ dtype, shape }: Pick<Variable, 'dtype' | 'shape'>): string {
  return `${dtype.name}:${shape.join('x')}`;
}
