/**
 * Random small functions for tests: every one verifies, touches only memory that its parameters
 * point to, ends, and depends on nothing undefined. Parameters: `%x`, `%y` (64 floats each), `%z`
 * (64 i32), `%w` (64 i64), scalars `%n` (i32, 0 … 20), `%m` (i64), `%s` (f32). Everything computed
 * flows into stores, so that a pass that changes a value is seen in memory.
 */
import { Builder } from '../builder';
import { Block, Func } from '../ir';
import type { Value } from '../ir';
import { UNKNOWN_LOCATION } from '../location';
import type { OpName } from '../ops';
import { printType } from '../printer';
import { seededRandom } from '../seededRandom';
import { F16, F32, I1, I16, I32, I64, elementOf, pointer, shapeOf, tensor } from '../types';
import type { ElementType, Type } from '../types';

/** Elements that each pointer parameter of a random function may touch. */
export const RANDOM_BUFFER_ELEMENTS = 64;
const RANDOM_PARAMETERS: readonly (readonly [string, Type])[] = [
  ['x', pointer(F32)],
  ['y', pointer(F32)],
  ['z', pointer(I32)],
  ['w', pointer(I64)],
  ['n', I32],
  ['m', I64],
  ['s', F32],
];

const SHAPES: readonly (readonly number[])[] = [[], [8], [4, 8], [8, 1], [1, 4]];
const INT_BINARY: readonly OpName[] = [
  'arith.addi',
  'arith.subi',
  'arith.muli',
  'arith.andi',
  'arith.ori',
  'arith.xori',
  'arith.maxsi',
  'arith.minsi',
  'arith.maxui',
  'arith.divsi',
  'arith.remsi',
  'arith.divui',
  'arith.remui',
];
const FLOAT_BINARY: readonly OpName[] = [
  'arith.addf',
  'arith.subf',
  'arith.mulf',
  'arith.divf',
  'arith.maxnumf',
  'arith.minimumf',
];
const FLOAT_UNARY: readonly OpName[] = ['arith.negf', 'math.absf', 'math.floor', 'math.sqrt'];

export function randomFunc(seed: number, size = 24): Func {
  return new RandomFunc(seededRandom(seed)).build(size);
}

class RandomFunc {
  readonly #body = new Block();
  readonly #b = new Builder(this.#body);
  /** Values in scope, by printed type. */
  #scope = new Map<string, Value[]>();

  constructor(private readonly random: () => number) {}

  build(size: number): Func {
    for (const [name, type] of RANDOM_PARAMETERS) this.#add(this.#body.addArg(type, name));
    this.#add(this.#b.programId(0));
    this.#statements(size, 0);
    for (const values of [...this.#scope.values()]) for (const v of values.slice(-3)) this.#sink(v);
    this.#b.return();
    const parameters = RANDOM_PARAMETERS.map(() => ({ divisibility: 16 }));
    return new Func('random', parameters, this.#body, UNKNOWN_LOCATION);
  }

  #int(n: number): number {
    return Math.floor(this.random() * n);
  }
  #pick<T>(list: readonly T[]): T {
    return list[this.#int(list.length)]!;
  }
  #add(value: Value): Value {
    const key = printType(value.type);
    const list = this.#scope.get(key);
    if (list) list.push(value);
    else this.#scope.set(key, [value]);
    return value;
  }
  /** A value of the type: one in scope, or a new constant or tile. */
  #some(type: Type): Value {
    const list = this.#scope.get(printType(type));
    if (list && this.random() < 0.8) return this.#pick(list);
    return this.#add(this.#fresh(type));
  }
  #fresh(type: Type): Value {
    const shape = shapeOf(type);
    const element = elementOf(type);
    if (element.kind === 'pointer') return this.#pointer(element.pointee, shape);
    if (shape.length > 0 && this.random() < 0.5) return this.#b.splat(this.#some(element), shape);
    if (shape.length === 1 && element === I32) {
      const start = this.#int(9) - 2;
      return this.#b.makeRange(start, start + shape[0]!);
    }
    switch (element.dtype) {
      case 'i1':
        return this.#b.constant(type, this.random() < 0.5);
      case 'f16':
      case 'f32':
        return this.#b.constant(type, this.#pick([0, -0, 1, 2, 0.5, -3, 1e10, Infinity, NaN]));
      default:
        return this.#b.constant(type, this.#pick([0, 1, 2, -1, 3, 16, 64, 1000, -(2 ** 31)]));
    }
  }
  /** An address within the buffer. */
  #pointer(pointee: ElementType, shape: readonly number[]): Value {
    const names = { f32: this.#pick([0, 1]), i32: 2, i64: 3 } as Record<string, number>;
    const base = this.#body.args[names[printType(pointee)]!]!;
    const wide = this.random() < 0.5;
    const offsetType = tensor(shape, wide ? I64 : I32);
    const limit = this.#b.constant(offsetType, RANDOM_BUFFER_ELEMENTS - 1);
    const offset = this.#b.binary('arith.andi', this.#some(offsetType), limit);
    return this.#b.addptr(this.#b.splat(base, shape), offset);
  }
  #shape(): readonly number[] {
    return this.#pick(SHAPES);
  }

  #statements(count: number, depth: number): void {
    for (let i = 0; i < count; i++) this.#statement(depth);
  }
  #statement(depth: number): void {
    const b = this.#b;
    const shape = this.#shape();
    const integer = tensor(shape, this.#pick([I32, I32, I64, I16]));
    const float = tensor(shape, this.#pick([F32, F32, F16]));
    const kind = this.#int(depth < 2 ? 18 : 13);
    switch (kind) {
      case 0:
      case 1:
        this.#add(b.binary(this.#pick(INT_BINARY), this.#some(integer), this.#some(integer)));
        return;
      case 2:
      case 3:
        this.#add(b.binary(this.#pick(FLOAT_BINARY), this.#some(float), this.#some(float)));
        return;
      case 4:
        this.#add(b.unary(this.#pick(FLOAT_UNARY), this.#some(float)));
        return;
      case 5:
        this.#add(
          b.cmp(this.#pick(['slt', 'sge', 'eq', 'ult', 'ne'] as const), ...this.#two(integer)),
        );
        return;
      case 6:
        this.#add(b.cmp(this.#pick(['olt', 'oge', 'oeq', 'une'] as const), ...this.#two(float)));
        return;
      case 7:
        this.#add(
          b.select(this.#some(tensor(shape, I1)), ...this.#two(this.#pick([integer, float]))),
        );
        return;
      case 8:
        this.#cast(shape);
        return;
      case 9: {
        const type = tensor(shape, this.#pick([F32, I32, I64]));
        const at = this.#pointer(elementOf(type), shape);
        const mask = this.random() < 0.5 ? this.#some(tensor(shape, I1)) : undefined;
        const other = mask && this.random() < 0.5 ? this.#some(type) : undefined;
        this.#add(b.load(at, mask, other));
        return;
      }
      case 10:
        this.#sink(this.#some(tensor(shape, this.#pick([F32, I32, I64]))));
        return;
      case 11:
        this.#reshape();
        return;
      case 12:
        this.#add(
          b.reduce([this.#some(tensor([4, 8], F32))], this.#int(2), ([l], [r]) => [
            b.binary(this.#pick(['arith.addf', 'arith.maxnumf'] as const), l!, r!),
          ])[0]!,
        );
        return;
      case 13:
        this.#loop(depth);
        return;
      case 14:
        this.#walk(depth);
        return;
      case 15:
        this.#multiply();
        return;
      case 16:
        this.#twins(depth);
        return;
      default:
        this.#branch(depth);
    }
  }
  #two(type: Type): [Value, Value] {
    return [this.#some(type), this.#some(type)];
  }
  #cast(shape: readonly number[]): void {
    const b = this.#b;
    const [from, to, name] = this.#pick([
      [I32, I64, 'arith.extsi'],
      [I32, I64, 'arith.extui'],
      [I64, I32, 'arith.trunci'],
      [I16, I32, 'arith.extsi'],
      [I32, I16, 'arith.trunci'],
      [I32, F32, 'arith.sitofp'],
      [F32, I32, 'arith.fptosi'],
      [F32, F16, 'arith.truncf'],
      [F16, F32, 'arith.extf'],
      [I1, I32, 'arith.extui'],
      [I32, F32, 'arith.bitcast'],
    ] as const);
    this.#add(b.cast(name, this.#some(tensor(shape, from)), to));
  }
  #reshape(): void {
    const b = this.#b;
    const element = this.#pick([F32, I32, I64, I1]);
    switch (this.#int(5)) {
      case 0:
        this.#add(b.expandDims(this.#some(tensor([8], element)), 1));
        return;
      case 1:
        this.#add(b.broadcast(this.#some(tensor([1, 8], element)), [4, 8]));
        return;
      case 2:
        this.#add(b.reshape(this.#some(tensor([8, 4], element)), [4, 8]));
        return;
      case 3:
        this.#add(b.trans(this.#some(tensor([8, 4], element)), [1, 0]));
        return;
      default:
        this.#add(b.broadcast(this.#some(tensor([4, 1], element)), [4, 8]));
    }
  }
  /** Statements in a scope of their own; what they define is not visible after. */
  #scoped<T>(body: () => T): T {
    const outer = this.#scope;
    this.#scope = new Map([...outer].map(([key, list]) => [key, [...list]]));
    try {
      return body();
    } finally {
      this.#scope = outer;
    }
  }
  #loop(depth: number): void {
    const b = this.#b;
    const types = [
      tensor(this.#shape(), this.#pick([F32, I32, I64])),
      tensor([8], pointer(this.#pick([F32, I32]))),
    ].slice(0, 1 + this.#int(2));
    const init = types.map((type) => this.#some(type));
    const upper = this.random() < 0.5 ? b.i32(this.#int(4)) : this.#body.args[4]!;
    const hints: Record<string, number> =
      this.random() < 0.3 ? { 'tt.loop_unroll_factor': 2 + this.#int(3) } : {};
    const n = this.#body.args[4]!;
    const lower = this.random() < 0.8 ? b.i32(0) : b.binary('arith.subi', n, b.i32(20));
    const body = (counter: Value, carried: Value[]): Value[] =>
      this.#scoped(() => {
        this.#add(counter);
        carried.forEach((value) => this.#add(value));
        this.#statements(3, depth + 1);
        return types.map((type) => this.#some(type));
      });
    const results = b.forLoop(lower, upper, b.i32(1 + this.#int(3)), init, body, hints);
    results.forEach((value) => this.#add(value));
  }
  /** Three values that a loop carries from one start, by expressions that may be equal. */
  #twins(depth: number): void {
    const b = this.#b;
    const type = tensor(this.#shape(), this.#pick([F32, I32]));
    const init = this.#some(type);
    const steps = [this.#some(type), this.#some(type)];
    const add = elementOf(type) === F32 ? 'arith.addf' : 'arith.addi';
    const condition = this.random() < 0.5 ? this.#some(I1) : undefined;
    const next = (value: Value): Value => {
      const sum = (): Value => b.binary(add, value, this.#pick(steps));
      return condition
        ? b.ifOp(
            condition,
            () => [sum()],
            () => [value],
          )[0]!
        : sum();
    };
    b.forLoop(b.i32(0), b.i32(this.#int(4)), b.i32(1), [init, init, init], (_, carried) =>
      this.#scoped(() => {
        const values = carried.map(next);
        values.forEach((value) => this.#add(value));
        this.#statements(1, depth + 1);
        return this.random() < 0.8 ? values : values.toReversed();
      }),
    ).forEach((value) => this.#add(value));
  }
  /** A tile of pointers that a loop advances by one amount everywhere, within the buffer. */
  #walk(depth: number): void {
    const b = this.#b;
    const element = this.#pick([F32, I32]);
    const wide = this.random() < 0.5 ? I64 : I32;
    const base = this.#body.args[element === F32 ? this.#int(2) : 2]!;
    let init = b.addptr(b.splat(base, [8]), b.makeRange(0, 8));
    if (this.random() < 0.5) {
      const column = b.expandDims(init, 1);
      const rows = b.broadcast(b.expandDims(b.makeRange(0, 4), 0), [8, 4]);
      init = b.addptr(b.broadcast(column, [8, 4]), rows);
    }
    const shape = shapeOf(init.type);
    const steps = 1 + this.#int(4);
    const step = b.constant(wide, 1 + this.#int(4));
    const sum = b.constant(tensor(shape, element), 1);
    const add = element === F32 ? 'arith.addf' : 'arith.addi';
    b.forLoop(b.i32(0), b.i32(steps), b.i32(1), [init, sum], (_, [at, acc]) =>
      this.#scoped(() => {
        const next = b.binary(add, acc!, b.load(at!));
        this.#add(next);
        this.#statements(1, depth + 1);
        return [b.addptr(at!, b.splat(step, shape)), next];
      }),
    ).forEach((value) => this.#add(value));
  }
  /** Onto an accumulator, or added to one. */
  #multiply(): void {
    const b = this.#b;
    const integers = (shape: readonly number[]) =>
      b.cast('arith.sitofp', this.#some(tensor(shape, I16)), F32);
    const acc = integers([4, 4]);
    const zero = b.constant(acc.type, 0);
    // Small integers, so that no order of additions rounds.
    const dot = b.dot(integers([4, 8]), integers([8, 4]), zero);
    this.#add(b.binary('arith.addf', dot, acc));
  }
  #branch(depth: number): void {
    const type = tensor(this.#shape(), this.#pick([F32, I32, I64]));
    const branch = () =>
      this.#scoped(() => {
        this.#statements(2, depth + 1);
        return [this.#some(type)];
      });
    this.#b.ifOp(this.#some(I1), branch, branch).forEach((value) => this.#add(value));
  }
  /** Stores it where nothing can overwrite it unseen: the address depends on where we are. */
  #sink(value: Value): void {
    const b = this.#b;
    const type = printType(elementOf(value.type));
    const shape = shapeOf(value.type);
    if (type.startsWith('!')) return;
    let stored = value;
    let pointee: ElementType = I32;
    if (type === 'f32' || type === 'f16') pointee = F32;
    if (type === 'i64') pointee = I64;
    if (type === 'f16') stored = b.cast('arith.extf', value, F32);
    if (type === 'i16' || type === 'i1') stored = b.cast('arith.extui', value, I32);
    const base = b.splat(this.#body.args[{ f32: 1, i32: 2, i64: 3 }[printType(pointee)]!]!, shape);
    // Each element has its own address, so that the order of elements does not matter.
    let offset = b.i32(this.#int(RANDOM_BUFFER_ELEMENTS - 32));
    if (shape.length === 1) {
      offset = b.binary('arith.addi', b.makeRange(0, shape[0]!), b.splat(offset, shape));
    } else if (shape.length === 2) {
      const row = b.expandDims(b.makeRange(0, shape[0]!), 1);
      const column = b.expandDims(b.makeRange(0, shape[1]!), 0);
      const stride = b.constant(row.type, shape[1]!);
      const rows = b.broadcast(b.binary('arith.muli', row, stride), shape);
      offset = b.binary('arith.addi', rows, b.broadcast(column, shape));
    }
    b.store(b.addptr(base, offset), stored);
  }
}
