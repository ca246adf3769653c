/**
 * A random function on tiles while it is made: its parameters, the values in scope by their types,
 * and where each store may go. Floats stay small integers.
 */
import { Builder } from '../../../ir/builder';
import { Block, Func } from '../../../ir/ir';
import type { Value } from '../../../ir/ir';
import { UNKNOWN_LOCATION } from '../../../ir/location';
import { printType } from '../../../ir/printer';
import {
  bitWidth,
  elementOf,
  F32,
  I1,
  I32,
  isFloat,
  pointer,
  scalar,
  shapeOf,
  tensor,
} from '../../../ir/types';
import type { DType, Type } from '../../../ir/types';
import { total } from '../kernelText';

/** Elements of each input. */
export const INPUT = 4096;
export const DTYPES: readonly DType[] = [
  'f32',
  'f32',
  'f16',
  'bf16',
  'i8',
  'i16',
  'i32',
  'i64',
  'i1',
];

export class TilesMaker {
  readonly #body = new Block();
  readonly b = new Builder(this.#body);
  #scope = new Map<string, Value[]>();
  readonly shapes: readonly (readonly number[])[];
  readonly inputs: readonly DType[];
  readonly outputs: readonly DType[];
  readonly parameters: Type[] = [];
  readonly divisible: boolean[] = [];
  readonly grid: readonly [number, number, number];
  readonly count: number;
  readonly #used: number[];
  /** Constants to set when the outputs' sizes are known: elements of an output for one program. */
  readonly #strides: { readonly value: Value; readonly output: number }[] = [];
  readonly #pid: Value;
  /** Loops and branches around. */
  depth = 0;

  /** `limit`: the most elements of a tile. */
  constructor(
    private readonly random: () => number,
    limit: number,
    /** Only what has a meaning in the ring of `prove`. */
    readonly ring = false,
  ) {
    const sizes = [1, 2, 4, 8, 16, 32, 64, 128];
    let [a, b] = [1, 1];
    do [a, b] = [this.pick(sizes), this.pick(sizes)];
    while (a * b > limit || a * b < 4);
    const long = this.pick([16, 64, 256, limit]);
    this.shapes = [[], [a], [b], [a, b], [a, b], [b, a], [a, 1], [1, b], [long]];
    this.inputs = [...new Set([0, 1, 2].map(() => this.pick(DTYPES)))];
    this.outputs = [...new Set([0, 1, 2].map(() => this.pick(DTYPES)))];
    this.#used = this.outputs.map(() => 0);
    this.grid = [this.pick([1, 2, 3]), 1, 1];
    this.count = this.int(a * b + 1);
    const types: [string, Type][] = [
      ...this.inputs.map((d, i): [string, Type] => [`in${i}`, pointer(scalar(d))]),
      ...this.outputs.map((d, i): [string, Type] => [`out${i}`, pointer(scalar(d))]),
      ['n', I32],
      ['m', scalar('i64')],
    ];
    for (const [name, type] of types) {
      const arg = this.#body.addArg(type, name);
      this.parameters.push(type);
      this.divisible.push(type.kind === 'pointer' && this.random() < 0.7);
      if (type.kind !== 'pointer') this.add(arg);
    }
    this.#pid = this.add(this.b.programId(0));
  }

  outputElements(i: number): number {
    return Math.max(16, Math.ceil(this.#used[i]! / 16) * 16);
  }

  /** Stores the last values of each type, and ends the function. */
  finish(): Func {
    for (const values of [...this.#scope.values()])
      for (const value of values.slice(-2)) this.sink(value);
    this.b.return();
    for (const { value, output } of this.#strides)
      value.definition!.attributes['value'] = this.outputElements(output);
    const parameters = this.divisible.map((yes) => (yes ? { divisibility: 16 } : {}));
    return new Func('random', parameters, this.#body, UNKNOWN_LOCATION);
  }

  /** The parameter `n`. */
  get n(): Value {
    return this.#body.args.at(-2)!;
  }
  inputOf(dtype: DType): Value {
    return this.#body.args[this.inputs.indexOf(dtype)]!;
  }

  // ── random numbers ────────────────────────────────────────────────────────────────────────────
  int(n: number): number {
    return Math.floor(this.random() * n);
  }
  pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)]!;
  }
  chance(p: number): boolean {
    return this.random() < p;
  }

  // ── the scope ─────────────────────────────────────────────────────────────────────────────────
  add(value: Value): Value {
    const key = printType(value.type);
    const list = this.#scope.get(key);
    if (list) list.push(value);
    else this.#scope.set(key, [value]);
    return value;
  }
  /** Makes the body of a loop or branch: its values are gone after it. */
  nested<T>(body: () => T): T {
    const outer = this.#scope;
    this.#scope = new Map([...outer].map(([key, list]) => [key, [...list]]));
    this.depth++;
    const out = body();
    this.depth--;
    this.#scope = outer;
    return out;
  }

  // ── values ────────────────────────────────────────────────────────────────────────────────────
  /** Any value of these dtypes in scope, or a new one. */
  any(dtypes: readonly DType[] = DTYPES): Value {
    const dtype = this.pick(dtypes);
    return this.some(tensor(this.pick(this.shapes), scalar(dtype)));
  }
  tile(dtypes: readonly DType[]): Value {
    for (;;) {
      const x = this.any(dtypes);
      if (x.type.kind === 'tensor') return x;
    }
  }
  /** A value of the type: one in scope, or a new one. */
  some(type: Type): Value {
    const list = this.#scope.get(printType(type));
    if (list && this.chance(0.75)) return this.pick(list);
    return this.add(this.fresh(type));
  }
  dtypeOf(value: Value): DType {
    const element = elementOf(value.type);
    if (element.kind === 'pointer') throw new Error('no number');
    return element.dtype;
  }
  fresh(type: Type): Value {
    const { b } = this;
    const shape = shapeOf(type);
    const element = elementOf(type);
    if (element.kind === 'pointer') throw new Error('no pointers in scope');
    const { dtype } = element;
    if (this.inputs.includes(dtype) && this.chance(0.6)) return this.load(dtype, shape);
    if (shape.length > 0 && this.chance(0.25)) return b.splat(this.some(element), shape);
    if (dtype === 'i32' && shape.length > 0 && this.chance(0.6)) return this.flat(shape, false);
    if (isFloat(dtype)) {
      if (this.chance(0.5)) return b.constant(type, this.int(17) - 8);
      return this.toFloat(this.some(tensor(shape, I32)), dtype);
    }
    if (dtype === 'i1') {
      const x = this.some(tensor(shape, I32));
      return b.cmp(this.pick(['slt', 'sge', 'ne', 'ult'] as const), x, this.limit(shape));
    }
    return b.constant(type, this.pick([0, 1, 2, -1, 3, 16, 100, -100]));
  }
  /** Something to compare offsets with: often `n`. */
  limit(shape: readonly number[]): Value {
    if (this.chance(0.5)) return this.b.splat(this.n, shape);
    return this.b.constant(tensor(shape, I32), this.int(64));
  }
  toFloat(x: Value, dtype: DType): Value {
    const { b } = this;
    const type = x.type;
    const low = b.binary('arith.andi', x, b.constant(type, 15));
    const small = b.binary('arith.subi', low, b.constant(type, 8));
    const f = b.cast('arith.sitofp', small, F32);
    return dtype === 'f32' ? f : b.cast('arith.truncf', f, scalar(dtype));
  }
  /** Between -8 and 8. */
  clamp(x: Value): Value {
    const { b } = this;
    const high = b.constant(x.type, 8);
    const low = b.constant(x.type, -8);
    if (this.chance(0.3))
      return b.value('tt.clampf', [x, low, high], undefined, { propagateNan: 'none' });
    return b.binary('arith.minnumf', b.binary('arith.maxnumf', x, low), high);
  }
  convert(x: Value, to: DType): Value {
    const { b } = this;
    const from = this.dtypeOf(x);
    if (from === to) return x;
    const type = scalar(to);
    if (isFloat(from) && isFloat(to)) {
      const wide = from === 'f32' ? x : b.cast('arith.extf', x, F32);
      return to === 'f32' ? wide : b.cast('arith.truncf', wide, type);
    }
    if (isFloat(from)) {
      const wide = from === 'f32' ? x : b.cast('arith.extf', x, F32);
      if (to === 'i1') return b.cmp('ogt', wide, b.constant(wide.type, 0));
      if (this.ring) return this.convert(b.cmp('ogt', wide, b.constant(wide.type, 1)), to);
      const int = b.cast('arith.fptosi', wide, I32);
      return this.convert(int, to);
    }
    if (isFloat(to)) return this.toFloat(this.convert(x, 'i32'), to);
    if (to === 'i1') return b.cmp('ne', x, b.constant(x.type, 0));
    const [wf, wt] = [bitWidth(from), bitWidth(to)];
    if (wf > wt) return b.cast('arith.trunci', x, type);
    return b.cast(from === 'i1' || this.chance(0.5) ? 'arith.extui' : 'arith.extsi', x, type);
  }

  // ── memory ────────────────────────────────────────────────────────────────────────────────────
  /** Each element's number: row-major, or with the dimensions in another order. */
  flat(shape: readonly number[], anyOrder: boolean, stride = 1): Value {
    const { b } = this;
    const order = shape.map((_, d) => d).reverse();
    if (anyOrder && this.chance(0.35)) order.reverse();
    let sum: Value | undefined;
    for (const d of order) {
      let part = b.makeRange(0, shape[d]!);
      for (let other = 0; other < shape.length; other++)
        if (other !== d) part = b.expandDims(part, other < d ? 0 : shapeOf(part.type).length);
      if (stride > 1) part = b.binary('arith.muli', part, b.constant(part.type, stride));
      part = b.broadcast(part, shape);
      sum = sum ? b.binary('arith.addi', sum, part) : part;
      stride *= shape[d]!;
    }
    return sum!;
  }
  mask(shape: readonly number[]): Value {
    const { b } = this;
    if (this.chance(0.4)) return this.some(tensor(shape, I1));
    if (shape.length === 2 && this.chance(0.5)) {
      const d = this.int(2);
      const range = b.expandDims(b.makeRange(0, shape[d]!), 1 - d);
      const n = b.constant(range.type, this.int(shape[d]! + 1));
      return b.broadcast(b.cmp('slt', range, n), shape);
    }
    if (shape.length === 0) return b.cmp('slt', this.#pid, b.i32(1));
    const flat = this.flat(shape, false);
    return b.cmp('slt', flat, this.limit(shape));
  }
  load(dtype: DType, shape: readonly number[]): Value {
    const { b } = this;
    let offset = this.#offsets(shape);
    if (this.chance(0.2)) offset = b.cast('arith.extsi', offset, scalar('i64'));
    const at = b.addptr(b.splat(this.inputOf(dtype), shape), offset);
    const mask = this.chance(0.4) ? this.mask(shape) : undefined;
    const other =
      mask && this.chance(0.7) ? b.constant(tensor(shape, scalar(dtype)), 1) : undefined;
    return b.load(at, mask, other);
  }
  /** Offsets of this shape within the inputs: contiguous or transposed, from somewhere; or any. */
  #offsets(shape: readonly number[]): Value {
    const { b } = this;
    const kind = this.random();
    if (shape.length === 0) return b.i32(this.int(INPUT));
    const type = tensor(shape, I32);
    if (kind >= 0.6) {
      const wrap = b.constant(type, INPUT - 1);
      return b.binary('arith.andi', this.some(type), wrap);
    }
    const count = total(shape);
    let offset = this.flat(shape, true);
    if (this.chance(0.5)) {
      const start = this.chance(0.5)
        ? b.binary('arith.muli', this.#pid, b.i32(this.pick([16, 64, 3])))
        : b.i32(this.int(INPUT - count - 200));
      offset = b.binary('arith.addi', offset, b.splat(start, shape));
    }
    const wrap = b.constant(type, INPUT - 1);
    if (this.chance(0.3) || count + 200 > INPUT) offset = b.binary('arith.andi', offset, wrap);
    return offset;
  }

  /** Stores it in a place of its own. */
  sink(value: Value): void {
    const { b } = this;
    const from = this.dtypeOf(value);
    const dtype = this.outputs.includes(from) ? from : this.pick(this.outputs);
    const x = this.convert(value, dtype);
    const shape = shapeOf(x.type);
    const at = this.#reserve(this.outputs.indexOf(dtype), shape);
    const mask = this.chance(0.4) ? this.mask(shape) : undefined;
    const atomic = ['i32', 'f32', 'i16', 'i8', 'f16'].includes(dtype) && this.chance(0.1);
    if (atomic && dtype === 'i32') {
      const old = b.atomicRmw(this.pick(['add', 'max', 'xor', 'exch'] as const), at, x, mask);
      if (this.chance(0.5)) this.add(old);
      return;
    }
    b.store(at, x, mask);
  }
  /** Pointers to elements of an output that nothing else stores. */
  #reserve(output: number, shape: readonly number[]): Value {
    const { b } = this;
    let start = this.#used[output]!;
    if (this.chance(0.5)) start = Math.ceil(start / 16) * 16;
    const stride = this.chance(0.15) ? 2 : 1;
    this.#used[output] = start + total(shape) * stride + this.pick([0, 0, 1, 3]);
    const size = b.constant(I32, 1);
    this.#strides.push({ value: size, output });
    const base = b.addptr(this.#body.args[this.inputs.length + output]!, b.i32(start));
    const own = b.addptr(base, b.binary('arith.muli', this.#pid, size));
    if (shape.length === 0) return own;
    return b.addptr(b.splat(own, shape), this.flat(shape, true, stride));
  }
}
