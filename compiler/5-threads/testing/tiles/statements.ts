/** The statements that a random function on tiles is made of, each as often as it is listed. */
import type { Value } from '../../../ir/ir';
import { bitWidth, F32, I1, I32, isFloat, scalar, shapeOf, tensor } from '../../../ir/types';
import type { DType } from '../../../ir/types';
import { total } from '../kernelText';
import { DTYPES } from './maker';
import type { TilesMaker } from './maker';

type Write = (k: TilesMaker) => void;

const PLAIN: readonly Write[] = [
  arithmetic,
  arithmetic,
  arithmetic,
  convert,
  choose,
  sink,
  sink,
  load,
  load,
  reduce,
  reduce,
  reshape,
  reshape,
  scanOrCollect,
  dot,
];
const STATEMENTS: readonly Write[] = [...PLAIN, loop, loop, whileLoop, branch, branch];
/** Loops and branches within each other, at the most. */
const DEPTH = 2;

export function writeStatements(k: TilesMaker, count: number): void {
  for (let i = 0; i < count; i++) k.pick(k.depth < DEPTH ? STATEMENTS : PLAIN)(k);
}

// ── element by element ──────────────────────────────────────────────────────────────────────────
function arithmetic(k: TilesMaker): void {
  const { b } = k;
  const x = k.any();
  const y = k.some(x.type);
  const dtype = k.dtypeOf(x);
  if (isFloat(dtype)) {
    const name = k.pick([
      'arith.addf',
      'arith.subf',
      'arith.mulf',
      'arith.maximumf',
      'arith.minnumf',
    ] as const);
    k.add(k.clamp(b.binary(name, x, y)));
    if (k.chance(0.3)) k.add(b.cmp(k.pick(['olt', 'oge', 'oeq', 'une'] as const), x, y));
    return;
  }
  if (dtype === 'i1') {
    k.add(b.binary(k.pick(['arith.andi', 'arith.ori', 'arith.xori'] as const), x, y));
    return;
  }
  const name = k.pick([
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
  k.add(b.binary(name, x, right));
  if (k.chance(0.3)) k.add(b.cmp(k.pick(['slt', 'uge', 'eq', 'ne'] as const), x, y));
}

function convert(k: TilesMaker): void {
  const x = k.any();
  k.add(k.convert(x, k.pick(DTYPES)));
}

function choose(k: TilesMaker): void {
  const x = k.any();
  const other = k.some(x.type);
  const condition = k.chance(0.2) ? k.some(I1) : k.some(tensor(shapeOf(x.type), I1));
  k.add(k.b.select(condition, x, other));
}

function sink(k: TilesMaker): void {
  k.sink(k.any());
}

function load(k: TilesMaker): void {
  k.add(k.load(k.pick(k.inputs), k.pick(k.shapes)));
}

// ── along an axis ───────────────────────────────────────────────────────────────────────────────
function reduce(k: TilesMaker): void {
  const { b } = k;
  const x = k.tile(['f32', 'i32', 'i32', 'i64', 'i8', 'i16', 'f16', 'bf16']);
  const axis = k.int(shapeOf(x.type).length);
  const dtype = k.dtypeOf(x);
  if (dtype === 'i32' && k.chance(0.3)) {
    reduceWithPlace(k, x, axis);
    return;
  }
  const name = isFloat(dtype)
    ? k.pick(
        dtype === 'f32'
          ? (['arith.addf', 'arith.maxnumf'] as const)
          : (['arith.maxnumf', 'arith.minimumf'] as const),
      )
    : k.pick(['arith.addi', 'arith.xori', 'arith.maxsi', 'arith.minui'] as const);
  const sum = b.reduce([x], axis, ([l], [r]) => [b.binary(name, l!, r!)])[0]!;
  k.add(isFloat(dtype) ? k.clamp(sum) : sum);
}

/** The largest and where it stands, the first of equals. */
function reduceWithPlace(k: TilesMaker, x: Value, axis: number): void {
  const { b } = k;
  const place = k.flat(shapeOf(x.type), false);
  const found = b.reduce([x, place], axis, ([l, i], [r, j]) => {
    const better = b.binary(
      'arith.ori',
      b.cmp('sgt', l!, r!),
      b.binary('arith.andi', b.cmp('eq', l!, r!), b.cmp('slt', i!, j!)),
    );
    return [b.select(better, l!, r!), b.select(better, i!, j!)];
  });
  for (const value of found) k.add(value);
}

function scanOrCollect(k: TilesMaker): void {
  if (k.chance(0.5)) scan(k);
  else collect(k);
}

function scan(k: TilesMaker): void {
  const { b } = k;
  const x = k.tile(['i32', 'f32', 'i64', 'i16']);
  const axis = k.int(shapeOf(x.type).length);
  const name = isFloat(k.dtypeOf(x)) ? 'arith.maxnumf' : 'arith.addi';
  k.add(b.scan([x], axis, k.chance(0.4), ([l], [r]) => [b.binary(name, l!, r!)])[0]!);
}

function collect(k: TilesMaker): void {
  const { b } = k;
  const x = k.tile(['i32']);
  const shape = shapeOf(x.type);
  if (k.chance(0.5)) {
    const line = shape.length === 1 ? x : b.reshape(x, [total(shape)]);
    const bins = k.pick([4, 16, 64]);
    const small = b.binary('arith.andi', line, b.constant(line.type, bins - 1));
    k.add(b.value('tt.histogram', [small], tensor([bins], I32)));
    return;
  }
  const axis = k.int(shape.length);
  const source = k.some(tensor(shape, scalar(k.pick(['f32', 'i32', 'i64', 'i8']))));
  const wrap = b.constant(x.type, shape[axis]! - 1);
  const indices = b.binary('arith.andi', x, wrap);
  k.add(b.value('tt.gather', [source, indices], undefined, { axis }));
}

// ── shapes ──────────────────────────────────────────────────────────────────────────────────────
/** The ways to change a tile's shape; some fit only tiles of some shapes. */
const RESHAPES: readonly ((k: TilesMaker, x: Value, shape: readonly number[]) => void)[] = [
  expand,
  broadcast,
  regroup,
  (k, x, shape) => k.add(k.b.trans(x, shape.map((_, d) => d).reverse())),
  join,
  split,
];

function reshape(k: TilesMaker): void {
  const x = k.tile(DTYPES);
  k.pick(RESHAPES)(k, x, shapeOf(x.type));
}

function expand(k: TilesMaker, x: Value, shape: readonly number[]): void {
  const axis = k.int(shape.length + 1);
  if (shape.length < 3) k.add(k.b.expandDims(x, axis));
}

function broadcast(k: TilesMaker, x: Value, shape: readonly number[]): void {
  const wide = shape.map((size) => (size === 1 ? k.pick([1, 2, 8]) : size));
  if (total(wide) <= 2048) k.add(k.b.broadcast(x, wide));
}

function regroup(k: TilesMaker, x: Value, shape: readonly number[]): void {
  const count = total(shape);
  const first = 2 ** k.int(Math.log2(count) + 1);
  k.add(k.b.reshape(x, k.chance(0.3) ? [count] : [first, count / first]));
}

function join(k: TilesMaker, x: Value, shape: readonly number[]): void {
  const y = k.some(x.type);
  if (shape.length > 2) return;
  const joined = k.add(k.b.value('tt.join', [x, y]));
  if (k.chance(0.5)) k.add(k.b.reshape(joined, [...shape.slice(0, -1), shape.at(-1)! * 2]));
}

function split(k: TilesMaker, x: Value, shape: readonly number[]): void {
  if (shape.at(-1)! < 2) return;
  const pairs = k.b.reshape(x, [...shape.slice(0, -1), shape.at(-1)! / 2, 2]);
  for (const half of k.b.create('tt.split', [pairs]).results) k.add(half);
}

// ── products of tiles ───────────────────────────────────────────────────────────────────────────
function dot(k: TilesMaker): void {
  const { b } = k;
  const [rows, columns, inner] = [0, 0, 0].map(() => k.pick([1, 2, 8, 16, 32]));
  const batch = k.chance(0.2) ? [2] : [];
  const dtype = k.pick(['f32', 'f16', 'bf16', 'i8'] as const);
  const operand = k.inputs.includes(dtype) ? loadedOperand : computedOperand;
  const type = tensor([...batch, rows!, columns!], dtype === 'i8' ? I32 : F32);
  const acc = k.chance(0.5) ? k.some(type) : b.constant(type, 0);
  const left = operand(k, dtype, [...batch, rows!, inner!]);
  const right = operand(k, dtype, [...batch, inner!, columns!]);
  const out = b.dot(left, right, acc);
  k.add(dtype === 'i8' ? out : k.clamp(out));
}

function loadedOperand(k: TilesMaker, dtype: DType, shape: readonly number[]): Value {
  const { b } = k;
  const offset = k.flat(shape, true);
  const mask = k.chance(0.3) ? k.mask(shape) : undefined;
  const zero = mask && b.constant(tensor(shape, scalar(dtype)), 0);
  const x = b.load(b.addptr(b.splat(k.inputOf(dtype), shape), offset), mask, zero);
  const isTransposed = k.chance(0.3);
  if (!isTransposed || shape.at(-1) !== shape.at(-2)) return x;
  const batch = shape.slice(0, -2).map((_, d) => d);
  return b.trans(x, [...batch, shape.length - 1, shape.length - 2]);
}

function computedOperand(k: TilesMaker, dtype: DType, shape: readonly number[]): Value {
  const { b } = k;
  const values = k.flat(shape, true);
  const factor = b.constant(values.type, k.pick([1, 5, 7]));
  const mixed = b.binary('arith.muli', values, factor);
  return dtype === 'i8' ? b.cast('arith.trunci', mixed, scalar('i8')) : k.toFloat(mixed, dtype);
}

// ── control ─────────────────────────────────────────────────────────────────────────────────────
/** A number of trips that the compiler may or may not know. */
function trips(k: TilesMaker): Value {
  const { b } = k;
  const kind = k.int(4);
  if (kind === 0) return b.i32(k.int(4));
  const three = b.i32(3);
  return b.binary('arith.andi', kind === 1 ? k.n : k.some(I32), three);
}

/** Values of any types, for a loop to carry. */
function initial(k: TilesMaker, most: number): Value[] {
  return Array.from({ length: k.int(most + 1) }, () => k.any());
}

function loop(k: TilesMaker): void {
  const { b } = k;
  const init = initial(k, 3);
  const bounds = [b.i32(k.int(3)), trips(k), b.i32(1 + k.int(2))];
  const isWide = k.chance(0.25);
  const [low, high, step] = bounds.map((x) =>
    isWide ? b.cast('arith.extsi', x, scalar('i64')) : x,
  );
  const results = b.forLoop(low!, high!, step!, init, (counter, carried) =>
    k.nested(() => {
      for (const value of [counter, ...carried]) k.add(value);
      writeStatements(k, 3);
      return init.map((value) => k.some(value.type));
    }),
  );
  for (const value of results) k.add(value);
}

function whileLoop(k: TilesMaker): void {
  const { b } = k;
  const init = initial(k, 2);
  const results = b.whileLoop(
    [trips(k), ...init],
    (args) => ({ condition: b.cmp('sgt', args[0]!, b.i32(0)), forward: args }),
    ([i, ...carried]) =>
      k.nested(() => {
        for (const value of carried) k.add(value);
        writeStatements(k, 2);
        return [b.binary('arith.subi', i!, b.i32(1)), ...init.map((value) => k.some(value.type))];
      }),
  );
  for (const value of results) k.add(value);
}

function branch(k: TilesMaker): void {
  const types = initial(k, 2).map(({ type }) => type);
  const body = (): Value[] =>
    k.nested(() => {
      writeStatements(k, 2);
      return types.map((type) => k.some(type));
    });
  const condition = k.some(I1);
  const hasElse = k.chance(0.7) || types.length > 0;
  for (const value of k.b.ifOp(condition, body, hasElse ? body : undefined)) k.add(value);
}
