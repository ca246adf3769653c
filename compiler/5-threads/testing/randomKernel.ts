/**
 * Random Triton kernels as text, well-typed and without races: inputs are only read, each store has
 * elements of the outputs for itself, and what nothing stores must keep its poison.
 *
 * Floats are of one of two kinds. *Exact* kernels keep them to whole numbers of at most 8, so that
 * no order of additions and no rounding shows, and use every operation. *Wild* kernels have
 * infinities, NaN and numbers of any size, and only operations that IEEE 754 rounds once. Functions
 * that WGSL allows to be inexact (division, exp …) go to an output of their own, with the bound
 * that WGSL gives them.
 */
import { seededRandom } from '../../ir/seededRandom';
import { byteSize, scalar } from '../../ir/types';
import type { Tolerance } from './differential';
import { INPUT, inputBytes, poison } from './kernelMemory';
import { ALL, F32, I1, I32, KernelText, isFloatKind, list, total } from './kernelText';
import type { KernelDtype, Variable } from './kernelText';
import type { Signature } from './lowerSigned';
import { STATEMENTS } from './randomStatements';
import type { LaunchArgument } from './run';

/** Elements of an output, for each program, at the most. */
const OUTPUT_LIMIT = 60_000;

export interface KernelOptions {
  /** The most elements of a tile. */
  readonly elements?: number;
  /** Whether every access is in range of its tensor: elsewhere nothing checks. */
  readonly inside?: boolean;
  /** Only what has a meaning in the ring of `prove`. */
  readonly ring?: boolean;
}
/** Inputs that make a kernel: a seed for its dtypes and shapes, and one for each statement. */
export interface KernelSeeds {
  readonly head: number;
  readonly statements: readonly number[];
}
export interface RandomKernel {
  readonly source: string;
  readonly signature: Signature;
  readonly args: readonly LaunchArgument[];
  readonly grid: readonly [number, number, number];
  readonly pointers: readonly { readonly index: number; readonly bytes: number }[];
  readonly divisible: readonly boolean[];
  /** Whether it goes below the start of a tensor by itself: bounds must be checked. */
  readonly outside: boolean;
  readonly tolerance: (argument: number) => Tolerance;
}

/**
 * The same seeds make the same kernel; without one of the statements the others stay much alike.
 */
export function randomKernel(seeds: KernelSeeds, options: KernelOptions = {}): RandomKernel {
  const text = new KernelText(seededRandom(seeds.head));
  return new KernelMaker(text, options).build(seeds);
}

/** An output, of which each program has `below + used` elements. */
export interface Output {
  readonly dtype: KernelDtype;
  /** Elements taken from where the program's part starts. */
  used: number;
  /** Elements taken below it: another program's, or below the tensor's start. */
  below: number;
  readonly inexact: boolean;
}

export class KernelMaker {
  readonly shapes: readonly (readonly number[])[];
  readonly inputs: readonly KernelDtype[];
  readonly outputs: Output[];
  readonly wild: boolean;
  readonly grid: readonly [number, number, number];
  readonly limit: number;
  readonly inside: boolean;
  readonly ring: boolean;
  readonly helpers: string[] = [];
  depth = 0;
  outside = false;

  constructor(
    readonly t: KernelText,
    options: KernelOptions,
  ) {
    this.limit = options.elements ?? 1024;
    this.inside = options.inside ?? false;
    this.ring = options.ring ?? false;
    this.wild = t.chance(0.3);
    const sizes = [1, 2, 4, 8, 16, 32, 64, 128].filter((size) => size <= this.limit);
    const shape = (rank: number): number[] => {
      const out: number[] = [];
      for (let i = 0; i < rank; i++) {
        const room = this.limit / total(out);
        out.push(t.pick(sizes.filter((size) => size <= room)));
      }
      return out;
    };
    const [a, b] = shape(2) as [number, number];
    const more = t.chance(0.4) ? [shape(t.pick([3, 3, 4]))] : [];
    const long = t.pick([16, 64, 256, this.limit].filter((size) => size <= this.limit));
    this.shapes = [[long], [], [a, b], [a, b], [a], [b], [b, a], [a, 1], [1, b], ...more, ...more];
    const distinct = (n: number): KernelDtype[] => [
      ...new Set(Array.from({ length: n }, () => t.pick(ALL))),
    ];
    this.inputs = distinct(3);
    this.outputs = distinct(3).map((dtype) => ({
      dtype,
      used: 0,
      below: 0,
      inexact: false,
    }));
    this.outputs.push({ dtype: F32, used: 0, below: 0, inexact: true });
    this.grid = [t.pick([1, 2, 3]), 1, 1];
  }

  build({ head, statements }: KernelSeeds): RandomKernel {
    const { t } = this;
    t.add({ name: 'n', dtype: I32, shape: [] });
    t.line('pid = tl.program_id(0)');
    t.add({ name: 'pid', dtype: I32, shape: [] });
    for (const seed of statements) {
      t.random = seededRandom(seed);
      this.statement();
    }
    t.random = seededRandom(head + 1);
    for (const variable of t.variables.slice(-12)) this.sink(variable);
    return this.#finish();
  }

  statement(): void {
    const { t } = this;
    const fitting = STATEMENTS.filter((s) => (s.nests ? this.depth < 2 : true));
    const sum = fitting.reduce((all, s) => all + s.weight, 0);
    let at = t.random() * sum;
    (fitting.find((s) => (at -= s.weight) < 0) ?? fitting[0]!).write(this);
  }
  nested(head: string, count: number, after: () => void = () => undefined): void {
    this.depth++;
    this.t.block(head, () => {
      for (let i = 0; i < count; i++) this.statement();
      after();
    });
    this.depth--;
  }

  // ── values ────────────────────────────────────────────────────────────────────────────────────
  shape(): readonly number[] {
    return this.t.pick(this.shapes);
  }
  any(dtypes: readonly KernelDtype[] = ALL): Variable {
    return this.some(this.t.pick(dtypes), this.shape());
  }
  tile(dtypes: readonly KernelDtype[] = ALL): Variable {
    const tiles = this.shapes.filter((shape) => shape.length > 0);
    return this.some(this.t.pick(dtypes), this.t.pick(tiles));
  }
  /** A variable of the type: one in scope, or a new one. */
  some(dtype: KernelDtype, shape: readonly number[]): Variable {
    const known = this.t.known(dtype, shape);
    if (known.length > 0 && !this.t.chance(0.3)) return known[this.t.int(known.length)]!;
    return this.fresh(dtype, shape);
  }
  fresh(dtype: KernelDtype, shape: readonly number[]): Variable {
    const { t } = this;
    if (this.inputs.includes(dtype) && t.chance(0.7)) return this.load(dtype, shape);
    if (dtype === I32) {
      const flat = shape.length > 0 && t.chance(0.7) ? this.flat(shape) : undefined;
      if (flat) return t.let(dtype, shape, t.chance(0.3) ? `${flat} - ${t.int(50)}` : flat);
    }
    if (dtype === I1) {
      const x = this.some(I32, shape);
      return t.let(I1, shape, `${x.name} ${t.pick(['<', '>=', '!=', '=='])} ${this.limitText()}`);
    }
    if (shape.length > 0 && t.chance(0.4))
      return t.let(dtype, shape, `tl.full(${list(shape)}, ${this.literal(dtype)}, ${dtype.tl})`);
    const from = this.some(I32, shape);
    return this.convert(from, dtype);
  }
  /** A number to compare offsets with. */
  limitText(): string {
    return this.t.chance(0.5) ? 'n' : String(this.t.int(64));
  }
  literal(dtype: KernelDtype): string {
    const { t } = this;
    if (dtype.kind === 'bool') return t.pick(['True', 'False']);
    if (dtype.kind === 'fp8') return t.pick(['0.0', '1.0', '-2.0', '7.0']);
    if (dtype.kind === 'float')
      return this.wild && t.chance(0.5)
        ? t.pick(['float("inf")', 'float("-inf")', 'float("nan")', '0.1', '-65504.0', '3.5'])
        : t.pick(['0.0', '1.0', '-3.0', '8.0']);
    if (dtype.kind === 'unsigned') return t.pick(['0', '1', '3', '100', '255']);
    return t.pick(['0', '1', '-1', '5', '-100', '127']);
  }
  /** The dtype of a value changed, as the kernel's kind of floats allows. */
  convert(x: Variable, to: KernelDtype): Variable {
    const { t } = this;
    if (x.dtype === to) return x;
    const { shape } = x;
    const float = to.kind === 'float' || to.kind === 'fp8';
    if (x.dtype.kind === 'float' || x.dtype.kind === 'fp8') {
      if (float && x.dtype.kind === 'fp8' && to.kind === 'fp8')
        return t.let(to, shape, `${x.name}.to(tl.float32).to(${to.tl})`);
      if (float) return t.let(to, shape, `${x.name}.to(${to.tl})`);
      const number = x.dtype.kind === 'fp8' ? `${x.name}.to(tl.float32)` : x.name;
      if (to.kind === 'bool') return t.let(to, shape, `${number} > 0.0`);
      // Out of range of an integer is undefined, and so are negative numbers for unsigned ones.
      if (this.wild)
        return t.let(to, shape, `tl.where(tl.abs(${number}) < 100.0, 3, 5).to(${to.tl})`);
      if (this.ring) return t.let(to, shape, `tl.where(${number} > 1.0, 3, 5).to(${to.tl})`);
      return t.let(to, shape, `${number}.to(tl.int32).to(${to.tl})`);
    }
    if (!float) {
      if (x.dtype.bits === to.bits && t.chance(0.3))
        return t.let(to, shape, `${x.name}.to(${to.tl}, bitcast=True)`);
      return t.let(to, shape, to.kind === 'bool' ? `${x.name} != 0` : `${x.name}.to(${to.tl})`);
    }
    const small = x.dtype.kind === 'bool' ? x.name : `((${x.name} & 15).to(tl.int32) - 8)`;
    const wide = this.wild && to.kind === 'float' && t.chance(0.5) ? x.name : small;
    return to.kind === 'fp8'
      ? t.let(to, shape, `${small}.to(tl.float32).to(${to.tl})`)
      : t.let(to, shape, `${wide}.to(${to.tl})`);
  }
  /** A float within the bound of exact kernels. */
  tamed(dtype: KernelDtype, shape: readonly number[], expression: string): Variable {
    const { t } = this;
    if (!isFloatKind(dtype)) return t.let(dtype, shape, expression);
    // `tl.maximum` and `tl.minimum` promote bf16 to fp32.
    if (this.wild) return t.let(dtype, shape, `(${expression}).to(${dtype.tl})`);
    const text = t.chance(0.3)
      ? `tl.clamp(${expression}, -8.0, 8.0)`
      : `tl.minimum(tl.maximum(${expression}, -8.0), 8.0)`;
    return t.let(dtype, shape, `${text}.to(${dtype.tl})`);
  }

  // ── memory ────────────────────────────────────────────────────────────────────────────────────
  /** Each element's number, row-major or in another order of the dimensions; i32. */
  flat(shape: readonly number[], anyOrder = false, stride = 1): string {
    const order = shape.map((_, d) => d).reverse();
    if (anyOrder && this.t.chance(0.35)) order.reverse();
    const parts: string[] = [];
    let step = stride;
    for (const d of order) {
      const index = shape.map((_, i) => (i === d ? ':' : 'None')).join(', ');
      const range = `tl.arange(0, ${shape[d]})${shape.length > 1 ? `[${index}]` : ''}`;
      parts.push(step === 1 ? range : `${range} * ${step}`);
      step *= shape[d]!;
    }
    return parts.join(' + ');
  }
  mask(shape: readonly number[]): string {
    const { t } = this;
    if (t.chance(0.4)) return this.some(I1, shape).name;
    if (shape.length === 0) return 'pid < 1';
    if (shape.length === 2 && t.chance(0.5)) {
      const d = t.int(2);
      const index = d === 0 ? '[:, None]' : '[None, :]';
      return `tl.arange(0, ${shape[d]})${index} < ${t.int(shape[d]! + 1)}`;
    }
    return `${this.flat(shape)} < ${this.limitText()}`;
  }
  /** An expression of i32 offsets of this shape within the inputs. */
  offsets(shape: readonly number[]): string {
    const { t } = this;
    const count = total(shape);
    if (shape.length === 0) return String(t.int(INPUT));
    if (t.chance(0.3)) return `(${this.some(I32, shape).name} & ${INPUT - 1})`;
    const flat = this.flat(shape, true);
    const room = INPUT - count - 300;
    if (room <= 0) return count > INPUT ? `((${flat}) & ${INPUT - 1})` : flat;
    const start = t.pick(['', ` + pid * ${t.pick([16, 64, 3])}`, ` + ${t.int(room)}`]);
    return `${flat}${start}`;
  }
  load(dtype: KernelDtype, shape: readonly number[]): Variable {
    const { t } = this;
    const base = `in_${dtype.name}`;
    let offsets = this.offsets(shape);
    if (t.chance(0.2)) offsets = shape.length > 0 ? `(${offsets}).to(tl.int64)` : offsets;
    if (!t.chance(0.4)) return t.let(dtype, shape, `tl.load(${base} + ${offsets})`);
    const mask = this.mask(shape);
    const other = t.chance(0.7) && dtype.kind !== 'fp8' ? `, other=${this.literal(dtype)}` : '';
    return t.let(dtype, shape, `tl.load(${base} + ${offsets}, mask=${mask}${other})`);
  }
  /**
   * Space in an output for the elements, as an expression of its beginning; undefined where full.
   */
  reserve(output: Output, elements: number, aligned = false): string | undefined {
    const { t } = this;
    const start = !aligned && t.chance(0.5) ? output.used : Math.ceil(output.used / 16) * 16;
    if (output.below + start + elements > OUTPUT_LIMIT) return undefined;
    output.used = start + elements + t.pick([0, 0, 1, 3]);
    return `${partOf(output)} + ${start}`;
  }
  /** Pointers to places of its own for each element. */
  place(output: Output, shape: readonly number[], stride = 1): string | undefined {
    const start = this.reserve(output, total(shape) * stride);
    if (!start || shape.length === 0) return start;
    return `${start} + ${this.flat(shape, true, stride)}`;
  }
  /**
   * The same below the start of the program's part, and across it where nothing is there yet; the
   * first program has none of these, but for what is before its tensor in the storage. Undefined
   * where full, and with a probability of `1 - often`.
   */
  placeBelow(output: Output, shape: readonly number[], often = 0.15): string | undefined {
    const { t } = this;
    const count = total(shape);
    if (this.inside || !t.chance(often)) return undefined;
    if (output.below + output.used + count > OUTPUT_LIMIT) return undefined;
    const across = output.used === 0 ? t.int(count) : 0;
    output.used += across;
    output.below += count - across;
    this.outside = true;
    const flat = shape.length === 0 ? '' : ` + ${this.flat(shape, true)}`;
    return `${partOf(output)} - ${output.below}${flat}`;
  }
  /** Stores it in a place of its own. */
  sink(value: Variable): void {
    const { t } = this;
    const exact = this.outputs.filter((o) => !o.inexact);
    const output = exact.find((o) => o.dtype === value.dtype) ?? t.pick(exact);
    const x = this.convert(value, output.dtype);
    this.store(x.name, x.shape, output);
  }
  store(expression: string, shape: readonly number[], output: Output): void {
    const { t } = this;
    const at = this.place(output, shape, t.chance(0.15) ? 2 : 1);
    if (!at) return;
    const mask = t.chance(0.3) ? `, mask=${this.mask(shape)}` : '';
    t.line(`tl.store(${at}, ${expression}${mask})`);
  }

  // ── the launch ────────────────────────────────────────────────────────────────────────────────
  #finish(): RandomKernel {
    const { t } = this;
    const parameters: string[] = [];
    const signature: Record<string, string | number> = {};
    const args: LaunchArgument[] = [];
    const pointers: { index: number; bytes: number }[] = [];
    const divisible: boolean[] = [];
    const inexact = new Set<number>();
    const sizes: [string, number][] = [];
    const add = (name: string, dtype: KernelDtype, bytes: Uint8Array<ArrayBuffer>): void => {
      const index = args.length;
      parameters.push(name);
      divisible.push(t.chance(0.7));
      pointers.push({ index, bytes: byteSize(scalar(dtype.ir)) });
      signature[name] = `*${dtype.name}${divisible[index] ? ':16' : ''}`;
      args.push(bytes);
    };
    for (const d of this.inputs) add(`in_${d.name}`, d, inputBytes(d.ir, t.random, this.wild));
    for (const output of this.outputs) {
      const name = nameOf(output);
      if (output.inexact && output.used === 0) continue;
      if (output.inexact) inexact.add(args.length);
      const size = Math.max(16, Math.ceil((output.below + output.used) / 16) * 16);
      sizes.push([`SIZE_${name}`, size]);
      const bytes = byteSize(scalar(output.dtype.ir));
      add(name, output.dtype, poison(output.dtype.ir, size * this.grid[0] * bytes));
    }
    parameters.push('n');
    signature['n'] = 'i32';
    divisible.push(false);
    args.push([t.int(100)]);
    for (const [name, size] of sizes) {
      parameters.push(`${name}: tl.constexpr`);
      signature[name] = size;
    }
    const source = [
      'import triton\nimport triton.language as tl\n\n\n',
      ...this.helpers.map((helper) => `${helper}\n\n\n`),
      `@triton.jit\ndef kernel(${parameters.join(', ')}):\n${t.lines.join('\n')}\n`,
    ].join('');
    const small = { ulps: 0, absolute: this.wild ? 6.2e-5 : 0 };
    return {
      source,
      signature,
      args,
      grid: this.grid,
      pointers,
      divisible,
      outside: this.outside,
      tolerance: (i) => (inexact.has(i) ? { ulps: 24, absolute: 1e-6 } : small),
    };
  }
}

const nameOf = ({ inexact, dtype }: Output): string => `out_${inexact ? 'inexact' : dtype.name}`;
/** The start of the program's part of an output. */
const partOf = (output: Output): string => `${nameOf(output)} + pid * SIZE_${nameOf(output)}`;
