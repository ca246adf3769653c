/**
 * Random functions on tiles without races, for comparing a GPU with the interpreter: inputs are
 * only read, each store has elements of the outputs for itself, and what nothing stores must keep
 * its poison. Floats are kept to small integers, so that no order of additions, no fusing and no
 * rounding shows; everything else about a value (its shape, layout, masks, control flow around it)
 * is random.
 */
import { Builder } from '../../ir/builder';
import { Block, Func } from '../../ir/ir';
import type { Value } from '../../ir/ir';
import { UNKNOWN_LOCATION } from '../../ir/location';
import { floatBits } from '../../ir/numbers';
import { printType } from '../../ir/printer';
import { seededRandom } from '../../ir/random';
import {
  bitWidth,
  byteSize,
  elementOf,
  F32,
  I1,
  I32,
  isFloat,
  pointer,
  scalar,
  shapeOf,
  tensor,
} from '../../ir/types';
import type { DType, Type } from '../../ir/types';
import type { LaunchArgument } from './run';

export interface RandomTiles {
  readonly make: () => Func;
  readonly args: readonly LaunchArgument[];
  readonly grid: readonly [number, number, number];
  /** The pointer arguments: index and bytes of an element. */
  readonly pointers: readonly { readonly index: number; readonly bytes: number }[];
  readonly divisible: readonly boolean[];
}

/** Elements of each input. */
const INPUT = 4096;
const DTYPES: readonly DType[] = ['f32', 'f32', 'f16', 'bf16', 'i8', 'i16', 'i32', 'i64', 'i1'];

export interface RandomTilesOptions {
  /** The most elements of a tile. */
  readonly elements?: number;
  readonly statements?: number;
}

export function randomTiles(seed: number, options: RandomTilesOptions = {}): RandomTiles {
  const make = (): RandomTilesMaker => {
    const maker = new RandomTilesMaker(seededRandom(seed), options);
    maker.build();
    return maker;
  };
  const first = make();
  const args: LaunchArgument[] = [];
  const pointers: { index: number; bytes: number }[] = [];
  const random = seededRandom(seed + 77);
  first.parameters.forEach((type, index) => {
    const element = elementOf(type);
    if (element.kind !== 'pointer' || element.pointee.kind === 'pointer') {
      args.push(index === first.parameters.length - 1 ? [7, 0] : [first.count]);
      return;
    }
    const bytes = byteSize(element.pointee);
    pointers.push({ index, bytes });
    const { dtype } = element.pointee;
    if (index < first.inputs.length) args.push(inputBytes(dtype, random));
    else {
      const size = first.outputElements(index - first.inputs.length) * first.grid[0] * bytes;
      const out = new Uint8Array(size + 16 - (size % 16));
      // An i1 in memory is 0 or 1.
      for (let i = 0; i < out.length; i++) out[i] = dtype === 'i1' ? i % 2 : (i * 37) & 0xff;
      if (isFloat(dtype)) out.fill(0x41);
      args.push(out);
    }
  });
  return {
    make: () => make().func,
    args,
    grid: first.grid,
    pointers,
    divisible: first.divisible,
  };
}

function inputBytes(dtype: DType, random: () => number): Uint8Array<ArrayBuffer> {
  const size = byteSize(scalar(dtype));
  const view = new DataView(new ArrayBuffer(INPUT * size));
  for (let i = 0; i < INPUT; i++) {
    let bits: bigint;
    if (isFloat(dtype)) bits = floatBits(dtype, Math.floor(random() * 17) - 8);
    else if (dtype === 'i1') bits = random() < 0.5 ? 0n : 1n;
    else {
      const range = 2 ** Math.floor(random() * Math.min(50, bitWidth(dtype)));
      bits = BigInt.asUintN(bitWidth(dtype), BigInt(Math.floor((random() - 0.5) * range)));
    }
    for (let byte = 0; byte < size; byte++)
      view.setUint8(i * size + byte, Number((bits >> BigInt(8 * byte)) & 0xffn));
  }
  return new Uint8Array(view.buffer);
}

class RandomTilesMaker {
  readonly #body = new Block();
  readonly #b = new Builder(this.#body);
  #scope = new Map<string, Value[]>();
  readonly #shapes: readonly (readonly number[])[];
  readonly inputs: readonly DType[];
  readonly parameters: Type[] = [];
  readonly divisible: boolean[] = [];
  readonly grid: readonly [number, number, number];
  readonly count: number;
  readonly #outputs: readonly DType[];
  readonly #used: number[];
  /** Constants to set when the outputs' sizes are known: elements of an output for one program. */
  readonly #strides: { readonly value: Value; readonly output: number }[] = [];
  readonly #pid: Value;
  readonly #statements: number;
  func!: Func;

  constructor(
    private readonly random: () => number,
    options: RandomTilesOptions,
  ) {
    const limit = options.elements ?? 1024;
    this.#statements = options.statements ?? 14;
    const sizes = [1, 2, 4, 8, 16, 32, 64, 128];
    let [a, b] = [1, 1];
    do [a, b] = [this.#pick(sizes), this.#pick(sizes)];
    while (a * b > limit || a * b < 4);
    const long = this.#pick([16, 64, 256, limit]);
    this.#shapes = [[], [a], [b], [a, b], [a, b], [b, a], [a, 1], [1, b], [long]];
    this.inputs = [...new Set([0, 1, 2].map(() => this.#pick(DTYPES)))];
    this.#outputs = [...new Set([0, 1, 2].map(() => this.#pick(DTYPES)))];
    this.#used = this.#outputs.map(() => 0);
    this.grid = [this.#pick([1, 2, 3]), 1, 1];
    this.count = this.#int(a * b + 1);
    const types: [string, Type][] = [
      ...this.inputs.map((d, i): [string, Type] => [`in${i}`, pointer(scalar(d))]),
      ...this.#outputs.map((d, i): [string, Type] => [`out${i}`, pointer(scalar(d))]),
      ['n', I32],
      ['m', scalar('i64')],
    ];
    for (const [name, type] of types) {
      const arg = this.#body.addArg(type, name);
      this.parameters.push(type);
      this.divisible.push(type.kind === 'pointer' && this.random() < 0.7);
      if (type.kind !== 'pointer') this.#add(arg);
    }
    this.#pid = this.#add(this.#b.programId(0));
  }

  outputElements(i: number): number {
    return Math.max(16, Math.ceil(this.#used[i]! / 16) * 16);
  }

  build(): void {
    this.#statementList(this.#statements, 0);
    for (const values of [...this.#scope.values()])
      for (const value of values.slice(-2)) this.#sink(value);
    this.#b.return();
    for (const { value, output } of this.#strides)
      value.definition!.attributes['value'] = this.outputElements(output);
    const parameters = this.divisible.map((yes) => (yes ? { divisibility: 16 } : {}));
    this.func = new Func('random', parameters, this.#body, UNKNOWN_LOCATION);
  }

  #int(n: number): number {
    return Math.floor(this.random() * n);
  }
  #pick<T>(list: readonly T[]): T {
    return list[this.#int(list.length)]!;
  }
  #chance(p: number): boolean {
    return this.random() < p;
  }
  #add(value: Value): Value {
    const key = printType(value.type);
    const list = this.#scope.get(key);
    if (list) list.push(value);
    else this.#scope.set(key, [value]);
    return value;
  }
  /** Any value of these dtypes in scope, or a new one. */
  #any(dtypes: readonly DType[] = DTYPES): Value {
    const dtype = this.#pick(dtypes);
    return this.#some(tensor(this.#pick(this.#shapes), scalar(dtype)));
  }
  #some(type: Type): Value {
    const list = this.#scope.get(printType(type));
    if (list && this.#chance(0.75)) return this.#pick(list);
    return this.#add(this.#fresh(type));
  }
  #dtypeOf(value: Value): DType {
    const element = elementOf(value.type);
    if (element.kind === 'pointer') throw new Error('no number');
    return element.dtype;
  }
  #fresh(type: Type): Value {
    const b = this.#b;
    const shape = shapeOf(type);
    const element = elementOf(type);
    if (element.kind === 'pointer') throw new Error('no pointers in scope');
    const { dtype } = element;
    if (this.inputs.includes(dtype) && this.#chance(0.6)) return this.#load(dtype, shape);
    if (shape.length > 0 && this.#chance(0.25)) return b.splat(this.#some(element), shape);
    if (dtype === 'i32' && shape.length > 0 && this.#chance(0.6)) return this.#flat(shape, false);
    if (isFloat(dtype)) {
      if (this.#chance(0.5)) return b.constant(type, this.#int(17) - 8);
      return this.#toFloat(this.#some(tensor(shape, I32)), dtype);
    }
    if (dtype === 'i1') {
      const x = this.#some(tensor(shape, I32));
      return b.cmp(this.#pick(['slt', 'sge', 'ne', 'ult'] as const), x, this.#limit(shape));
    }
    return b.constant(type, this.#pick([0, 1, 2, -1, 3, 16, 100, -100]));
  }
  /** Something to compare offsets with: often `n`. */
  #limit(shape: readonly number[]): Value {
    const n = this.#body.args[this.#body.args.length - 2]!;
    if (this.#chance(0.5)) return this.#b.splat(n, shape);
    return this.#b.constant(tensor(shape, I32), this.#int(64));
  }
  #toFloat(x: Value, dtype: DType): Value {
    const b = this.#b;
    const type = x.type;
    const low = b.binary('arith.andi', x, b.constant(type, 15));
    const small = b.binary('arith.subi', low, b.constant(type, 8));
    const f = b.cast('arith.sitofp', small, F32);
    return dtype === 'f32' ? f : b.cast('arith.truncf', f, scalar(dtype));
  }
  /** Between -8 and 8. */
  #clamp(x: Value): Value {
    const b = this.#b;
    const high = b.constant(x.type, 8);
    const low = b.constant(x.type, -8);
    if (this.#chance(0.3))
      return b.value('tt.clampf', [x, low, high], undefined, { propagateNan: 'none' });
    return b.binary('arith.minnumf', b.binary('arith.maxnumf', x, low), high);
  }

  /** Each element's number: row-major, or with the dimensions in another order. */
  #flat(shape: readonly number[], anyOrder: boolean, stride = 1): Value {
    const b = this.#b;
    const order = shape.map((_, d) => d).reverse();
    if (anyOrder && this.#chance(0.35)) order.reverse();
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
  #mask(shape: readonly number[]): Value {
    const b = this.#b;
    if (this.#chance(0.4)) return this.#some(tensor(shape, I1));
    if (shape.length === 2 && this.#chance(0.5)) {
      const d = this.#int(2);
      const range = b.expandDims(b.makeRange(0, shape[d]!), 1 - d);
      const n = b.constant(range.type, this.#int(shape[d]! + 1));
      return b.broadcast(b.cmp('slt', range, n), shape);
    }
    if (shape.length === 0) return b.cmp('slt', this.#pid, b.i32(1));
    const flat = this.#flat(shape, false);
    return b.cmp('slt', flat, this.#limit(shape));
  }
  #load(dtype: DType, shape: readonly number[]): Value {
    const b = this.#b;
    const base = this.#body.args[this.inputs.indexOf(dtype)]!;
    const total = shape.reduce((x, y) => x * y, 1);
    let offset: Value;
    const kind = this.random();
    if (shape.length === 0) offset = b.i32(this.#int(INPUT));
    else if (kind < 0.6) {
      // Contiguous, or transposed, from somewhere.
      offset = this.#flat(shape, true);
      if (this.#chance(0.5)) {
        const start = this.#chance(0.5)
          ? b.binary('arith.muli', this.#pid, b.i32(this.#pick([16, 64, 3])))
          : b.i32(this.#int(INPUT - total - 200));
        offset = b.binary('arith.addi', offset, b.splat(start, shape));
      }
      const wrap = b.constant(tensor(shape, I32), INPUT - 1);
      if (this.#chance(0.3) || total + 200 > INPUT) offset = b.binary('arith.andi', offset, wrap);
    } else {
      const wrap = b.constant(tensor(shape, I32), INPUT - 1);
      offset = b.binary('arith.andi', this.#some(tensor(shape, I32)), wrap);
    }
    if (this.#chance(0.2)) offset = b.cast('arith.extsi', offset, scalar('i64'));
    const at = b.addptr(b.splat(base, shape), offset);
    const mask = this.#chance(0.4) ? this.#mask(shape) : undefined;
    const other =
      mask && this.#chance(0.7) ? b.constant(tensor(shape, scalar(dtype)), 1) : undefined;
    return b.load(at, mask, other);
  }

  /** Stores it in a place of its own. */
  #sink(value: Value): void {
    const b = this.#b;
    let x = value;
    let dtype = this.#dtypeOf(x);
    if (!this.#outputs.includes(dtype)) {
      const to = this.#pick(this.#outputs);
      x = this.#convert(x, to);
      dtype = to;
    }
    const output = this.#outputs.indexOf(dtype);
    const shape = shapeOf(x.type);
    const total = shape.reduce((p, q) => p * q, 1);
    let start = this.#used[output]!;
    if (this.#chance(0.5)) start = Math.ceil(start / 16) * 16;
    const stride = this.#chance(0.15) ? 2 : 1;
    this.#used[output] = start + total * stride + this.#pick([0, 0, 1, 3]);
    const size = b.constant(I32, 1);
    this.#strides.push({ value: size, output });
    const base = b.addptr(this.#body.args[this.inputs.length + output]!, b.i32(start));
    const own = b.addptr(base, b.binary('arith.muli', this.#pid, size));
    const at =
      shape.length === 0 ? own : b.addptr(b.splat(own, shape), this.#flat(shape, true, stride));
    const mask = this.#chance(0.4) ? this.#mask(shape) : undefined;
    const atomic = ['i32', 'f32', 'i16', 'i8', 'f16'].includes(dtype) && this.#chance(0.1);
    if (atomic && dtype === 'i32') {
      const old = b.atomicRmw(this.#pick(['add', 'max', 'xor', 'exch'] as const), at, x, mask);
      if (this.#chance(0.5)) this.#add(old);
      return;
    }
    b.store(at, x, mask);
  }
  #convert(x: Value, to: DType): Value {
    const b = this.#b;
    const from = this.#dtypeOf(x);
    if (from === to) return x;
    const type = scalar(to);
    if (isFloat(from) && isFloat(to)) {
      const wide = from === 'f32' ? x : b.cast('arith.extf', x, F32);
      return to === 'f32' ? wide : b.cast('arith.truncf', wide, type);
    }
    if (isFloat(from)) {
      const wide = from === 'f32' ? x : b.cast('arith.extf', x, F32);
      if (to === 'i1') return b.cmp('ogt', wide, b.constant(wide.type, 0));
      const int = b.cast('arith.fptosi', wide, I32);
      return this.#convert(int, to);
    }
    if (isFloat(to)) return this.#toFloat(this.#convert(x, 'i32'), to);
    if (to === 'i1') return b.cmp('ne', x, b.constant(x.type, 0));
    const [wf, wt] = [bitWidth(from), bitWidth(to)];
    if (wf > wt) return b.cast('arith.trunci', x, type);
    return b.cast(from === 'i1' || this.#chance(0.5) ? 'arith.extui' : 'arith.extsi', x, type);
  }

  #statementList(count: number, depth: number): void {
    for (let i = 0; i < count; i++) this.#statement(depth);
  }
  #statement(depth: number): void {
    const kind = this.#int(depth < 2 ? 20 : 15);
    switch (kind) {
      case 0:
      case 1:
      case 2:
        this.#arithmetic();
        return;
      case 3: {
        const x = this.#any();
        this.#add(this.#convert(x, this.#pick(DTYPES)));
        return;
      }
      case 4: {
        const x = this.#any();
        const other = this.#some(x.type);
        const condition = this.#chance(0.2)
          ? this.#some(I1)
          : this.#some(tensor(shapeOf(x.type), I1));
        this.#add(this.#b.select(condition, x, other));
        return;
      }
      case 5:
      case 6:
        this.#sink(this.#any());
        return;
      case 7:
      case 8:
        this.#add(this.#load(this.#pick(this.inputs), this.#pick(this.#shapes)));
        return;
      case 9:
      case 10:
        this.#reduce();
        return;
      case 11:
      case 12:
        this.#reshape();
        return;
      case 13:
        if (this.#chance(0.5)) this.#scan();
        else this.#collect();
        return;
      case 14:
        this.#dot();
        return;
      case 15:
      case 16:
        this.#loop(depth);
        return;
      case 17:
        this.#while(depth);
        return;
      default:
        this.#branch(depth);
    }
  }
  #arithmetic(): void {
    const b = this.#b;
    const x = this.#any();
    const y = this.#some(x.type);
    const dtype = this.#dtypeOf(x);
    if (isFloat(dtype)) {
      const name = this.#pick([
        'arith.addf',
        'arith.subf',
        'arith.mulf',
        'arith.maximumf',
        'arith.minnumf',
      ] as const);
      this.#add(this.#clamp(b.binary(name, x, y)));
      if (this.#chance(0.3))
        this.#add(b.cmp(this.#pick(['olt', 'oge', 'oeq', 'une'] as const), x, y));
      return;
    }
    if (dtype === 'i1') {
      this.#add(b.binary(this.#pick(['arith.andi', 'arith.ori', 'arith.xori'] as const), x, y));
      return;
    }
    const name = this.#pick([
      'arith.addi',
      'arith.subi',
      'arith.muli',
      'arith.xori',
      'arith.andi',
      'arith.maxsi',
      'arith.minui',
      'arith.shrsi',
      'arith.shli',
      'arith.divsi',
      'arith.remui',
    ] as const);
    let right = y;
    if (name.startsWith('arith.sh'))
      right = b.binary('arith.andi', y, b.constant(y.type, bitWidth(dtype) - 1));
    if (name === 'arith.remui' || name === 'arith.divsi') right = b.constant(y.type, 7);
    this.#add(b.binary(name, x, right));
    if (this.#chance(0.3)) this.#add(b.cmp(this.#pick(['slt', 'uge', 'eq', 'ne'] as const), x, y));
  }
  #tile(dtypes: readonly DType[]): Value {
    for (;;) {
      const x = this.#any(dtypes);
      if (x.type.kind === 'tensor') return x;
    }
  }
  #reduce(): void {
    const b = this.#b;
    const x = this.#tile(['f32', 'i32', 'i32', 'i64', 'i8', 'i16', 'f16', 'bf16']);
    const axis = this.#int(shapeOf(x.type).length);
    const dtype = this.#dtypeOf(x);
    if (dtype === 'i32' && this.#chance(0.3)) {
      // The largest and where it stands, the first of equals.
      const place = this.#flat(shapeOf(x.type), false);
      b.reduce([x, place], axis, ([l, i], [r, j]) => {
        const better = b.binary(
          'arith.ori',
          b.cmp('sgt', l!, r!),
          b.binary('arith.andi', b.cmp('eq', l!, r!), b.cmp('slt', i!, j!)),
        );
        return [b.select(better, l!, r!), b.select(better, i!, j!)];
      }).forEach((value) => this.#add(value));
      return;
    }
    const name = isFloat(dtype)
      ? this.#pick(
          dtype === 'f32'
            ? (['arith.addf', 'arith.maxnumf'] as const)
            : (['arith.maxnumf', 'arith.minimumf'] as const),
        )
      : this.#pick(['arith.addi', 'arith.xori', 'arith.maxsi', 'arith.minui'] as const);
    const sum = b.reduce([x], axis, ([l], [r]) => [b.binary(name, l!, r!)])[0]!;
    this.#add(isFloat(dtype) ? this.#clamp(sum) : sum);
  }
  #scan(): void {
    const b = this.#b;
    const x = this.#tile(['i32', 'f32', 'i64', 'i16']);
    const axis = this.#int(shapeOf(x.type).length);
    const float = isFloat(this.#dtypeOf(x));
    const name = float ? 'arith.maxnumf' : 'arith.addi';
    const out = b.scan([x], axis, this.#chance(0.4), ([l], [r]) => [b.binary(name, l!, r!)])[0]!;
    this.#add(out);
  }
  #collect(): void {
    const b = this.#b;
    const x = this.#tile(['i32']);
    const shape = shapeOf(x.type);
    if (this.#chance(0.5)) {
      const line = shape.length === 1 ? x : b.reshape(x, [shape.reduce((p, q) => p * q, 1)]);
      const bins = this.#pick([4, 16, 64]);
      const small = b.binary('arith.andi', line, b.constant(line.type, bins - 1));
      this.#add(b.value('tt.histogram', [small], tensor([bins], I32)));
      return;
    }
    const axis = this.#int(shape.length);
    const source = this.#some(tensor(shape, scalar(this.#pick(['f32', 'i32', 'i64', 'i8']))));
    const wrap = b.constant(x.type, shape[axis]! - 1);
    const indices = b.binary('arith.andi', x, wrap);
    this.#add(b.value('tt.gather', [source, indices], undefined, { axis }));
  }
  #reshape(): void {
    const b = this.#b;
    const x = this.#tile(DTYPES);
    const shape = shapeOf(x.type);
    switch (this.#int(6)) {
      case 0: {
        const axis = this.#int(shape.length + 1);
        if (shape.length < 3) this.#add(b.expandDims(x, axis));
        return;
      }
      case 1: {
        const wide = shape.map((size) => (size === 1 ? this.#pick([1, 2, 8]) : size));
        const total = wide.reduce((p, q) => p * q, 1);
        if (total <= 2048) this.#add(b.broadcast(x, wide));
        return;
      }
      case 2: {
        const total = shape.reduce((p, q) => p * q, 1);
        const first = 2 ** this.#int(Math.log2(total) + 1);
        this.#add(b.reshape(x, this.#chance(0.3) ? [total] : [first, total / first]));
        return;
      }
      case 3: {
        const order = shape.map((_, d) => d).reverse();
        this.#add(b.trans(x, order));
        return;
      }
      case 4: {
        const y = this.#some(x.type);
        if (shape.length > 2) return;
        const joined = b.value('tt.join', [x, y]);
        this.#add(joined);
        if (this.#chance(0.5))
          this.#add(b.reshape(joined, [...shape.slice(0, -1), shape.at(-1)! * 2]));
        return;
      }
      default: {
        if (shape.at(-1)! < 2) return;
        const pairs = b.reshape(x, [...shape.slice(0, -1), shape.at(-1)! / 2, 2]);
        const halves = b.create('tt.split', [pairs]).results;
        halves.forEach((half) => this.#add(half));
      }
    }
  }
  #dot(): void {
    const b = this.#b;
    const [m, n, k] = [0, 0, 0].map(() => this.#pick([1, 2, 8, 16, 32]));
    const batch = this.#chance(0.2) ? [2] : [];
    const dtype = this.#pick(['f32', 'f16', 'bf16', 'i8'] as const);
    const operand = (rows: number, columns: number): Value => {
      const shape = [...batch, rows, columns];
      let x: Value;
      if (this.inputs.includes(dtype)) {
        const base = this.#body.args[this.inputs.indexOf(dtype)]!;
        const offset = this.#flat(shape, true);
        const mask = this.#chance(0.3) ? this.#mask(shape) : undefined;
        const zero = mask && b.constant(tensor(shape, scalar(dtype)), 0);
        x = b.load(b.addptr(b.splat(base, shape), offset), mask, zero);
        if (this.#chance(0.3)) {
          const back = shape.map((_, d) => d);
          [back[back.length - 1], back[back.length - 2]] = [back.length - 2, back.length - 1];
          if (rows === columns) x = b.trans(x, back);
        }
      } else {
        const values = this.#flat(shape, true);
        const factor = b.constant(values.type, this.#pick([1, 5, 7]));
        const mixed = b.binary('arith.muli', values, factor);
        if (dtype === 'i8') x = b.cast('arith.trunci', mixed, scalar('i8'));
        else x = this.#toFloat(mixed, dtype);
      }
      return x;
    };
    const type = tensor([...batch, m!, n!], dtype === 'i8' ? I32 : F32);
    const acc = this.#chance(0.5) ? this.#some(type) : b.constant(type, 0);
    const out = b.dot(operand(m!, k!), operand(k!, n!), acc);
    this.#add(dtype === 'i8' ? out : this.#clamp(out));
  }
  #scoped<T>(body: () => T): T {
    const outer = this.#scope;
    this.#scope = new Map([...outer].map(([key, list]) => [key, [...list]]));
    try {
      return body();
    } finally {
      this.#scope = outer;
    }
  }
  /** A number of trips that the compiler may or may not know. */
  #trips(): Value {
    const b = this.#b;
    const kind = this.#int(4);
    if (kind === 0) return b.i32(this.#int(4));
    const three = b.i32(3);
    if (kind === 1) return b.binary('arith.andi', this.#body.args.at(-2)!, three);
    return b.binary('arith.andi', this.#some(I32), three);
  }
  #loop(depth: number): void {
    const b = this.#b;
    const init = Array.from({ length: this.#int(4) }, () => this.#any());
    let [low, high, step] = [b.i32(this.#int(3)), this.#trips(), b.i32(1 + this.#int(2))];
    if (this.#chance(0.25))
      [low, high, step] = [low, high, step].map((x) => b.cast('arith.extsi', x, scalar('i64'))) as [
        Value,
        Value,
        Value,
      ];
    b.forLoop(low, high, step, init, (counter, carried) =>
      this.#scoped(() => {
        this.#add(counter);
        carried.forEach((value) => this.#add(value));
        this.#statementList(3, depth + 1);
        return init.map((value) => this.#some(value.type));
      }),
    ).forEach((value) => this.#add(value));
  }
  #while(depth: number): void {
    const b = this.#b;
    const init = Array.from({ length: this.#int(3) }, () => this.#any());
    b.whileLoop(
      [this.#trips(), ...init],
      ([i, ...carried]) => {
        const condition = b.cmp('sgt', i!, b.i32(0));
        return { condition, forward: [i!, ...carried] };
      },
      ([i, ...carried]) =>
        this.#scoped(() => {
          carried.forEach((value) => this.#add(value));
          this.#statementList(2, depth + 1);
          return [
            b.binary('arith.subi', i!, b.i32(1)),
            ...init.map((value) => this.#some(value.type)),
          ];
        }),
    ).forEach((value) => this.#add(value));
  }
  #branch(depth: number): void {
    const types = Array.from({ length: this.#int(3) }, () => this.#any().type);
    const branch = (): Value[] =>
      this.#scoped(() => {
        this.#statementList(2, depth + 1);
        return types.map((type) => this.#some(type));
      });
    this.#b
      .ifOp(this.#some(I1), branch, this.#chance(0.7) || types.length > 0 ? branch : undefined)
      .forEach((value) => this.#add(value));
  }
}
