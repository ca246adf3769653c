/** Kernels for the tests of distribution, built as the front end would build them. */
import { Builder } from '../../ir/builder';
import { Block, Func, type Value } from '../../ir/ir';
import { UNKNOWN_LOCATION } from '../../ir/location';
import {
  F16,
  F32,
  I32,
  I8,
  pointer,
  type ScalarType,
  shapeOf,
  tensor,
  type Type,
} from '../../ir/types';

export type Parameter = readonly [name: string, type: Type, divisibility?: number];

export function makeFunc(
  name: string,
  parameters: readonly Parameter[],
  build: (b: Builder, args: Value[]) => void,
): Func {
  const body = new Block();
  const args = parameters.map(([parameter, type]) => body.addArg(type, parameter));
  const b = new Builder(body);
  build(b, args);
  b.return();
  const attributes = parameters.map(([, , divisibility]) => (divisibility ? { divisibility } : {}));
  return new Func(name, attributes, body, UNKNOWN_LOCATION);
}

export const P32 = pointer(F32);
export const P16 = pointer(F16);
const PI32 = pointer(I32);

/** `pid * size + arange(size)` */
function blockRange(b: Builder, axis: number, size: number): Value {
  const start = b.binary('arith.muli', b.programId(axis), b.i32(size));
  return b.binary('arith.addi', b.splat(start, [size]), b.makeRange(0, size));
}
const lessThan = (b: Builder, x: Value, n: Value): Value =>
  b.cmp('slt', x, b.splat(n, shapeOf(x.type)));
const at = (b: Builder, base: Value, offsets: Value): Value =>
  b.addptr(b.splat(base, shapeOf(offsets.type)), offsets);
/** rows[:, None] * stride + columns[None, :] */
function grid(
  b: Builder,
  rows: Value,
  columns: Value,
  rowStride: Value,
  columnStride?: Value,
): Value {
  const shape = [shapeOf(rows.type)[0]!, shapeOf(columns.type)[0]!];
  const r = b.expandDims(rows, 1);
  const c = b.expandDims(columns, 0);
  const scaledRows = b.binary('arith.muli', r, b.splat(rowStride, shapeOf(r.type)));
  const scaled = columnStride
    ? b.binary('arith.muli', c, b.splat(columnStride, shapeOf(c.type)))
    : c;
  return b.binary('arith.addi', b.broadcast(scaledRows, shape), b.broadcast(scaled, shape));
}
const zeros = (b: Builder, shape: readonly number[], element: ScalarType = F32): Value =>
  b.constant(tensor(shape, element), 0);

export function vectorAdd(size = 1024, p: Type = P32, divisibility: number | undefined = 16): Func {
  return makeFunc(
    'vector_add',
    [
      ['x', p, divisibility],
      ['y', p, divisibility],
      ['out', p, divisibility],
      ['n', I32, divisibility],
    ],
    (b, [x, y, out, n]) => {
      const offsets = blockRange(b, 0, size);
      const mask = lessThan(b, offsets, n!);
      const sum = b.binary(
        'arith.addf',
        b.load(at(b, x!, offsets), mask),
        b.load(at(b, y!, offsets), mask),
      );
      b.store(at(b, out!, offsets), sum, mask);
    },
  );
}

/** One program a group of `rows` rows, each of up to `columns` elements. */
export function softmax(rows = 1, columns = 1024): Func {
  return makeFunc(
    'softmax',
    [
      ['x', P32, 16],
      ['out', P32, 16],
      ['stride', I32, 16],
      ['n', I32],
    ],
    (b, [x, out, stride, n]) => {
      const shape = [rows, columns];
      const r = blockRange(b, 0, rows);
      const c = b.makeRange(0, columns);
      const offsets = grid(b, r, c, stride!);
      const mask = b.broadcast(b.expandDims(lessThan(b, c, n!), 0), shape);
      const low = b.constant(tensor(shape, F32), -Infinity);
      const row = b.load(at(b, x!, offsets), mask, low);
      const wide = (v: Value): Value => b.broadcast(b.expandDims(v, 1), shape);
      const most = b.reduce([row], 1, ([p], [q]) => [b.binary('arith.maxnumf', p!, q!)])[0]!;
      const e = b.unary('math.exp', b.binary('arith.subf', row, wide(most)));
      const sum = b.reduce([e], 1, ([p], [q]) => [b.binary('arith.addf', p!, q!)])[0]!;
      b.store(at(b, out!, offsets), b.binary('arith.divf', e, wide(sum)), mask);
    },
  );
}

export interface MatmulShape {
  readonly M: number;
  readonly N: number;
  readonly K: number;
  readonly dtype?: ScalarType;
  /** Adds a tile of the result's shape, read from memory, at the end. */
  readonly residual?: boolean;
}
/** C = A · B, row-major, K in a loop with masks, as everybody writes it. */
export function matmul({ M, N, K, dtype = F32, residual = false }: MatmulShape): Func {
  const p = pointer(dtype);
  return makeFunc(
    'matmul',
    [
      ['a', p, 16],
      ['b', p, 16],
      ['c', P32, 16],
      ['m', I32],
      ['n', I32, 16],
      ['k', I32, 16],
    ],
    (b, [A, B, C, m, n, k]) => {
      const rows = blockRange(b, 0, M);
      const columns = blockRange(b, 1, N);
      const ks = b.makeRange(0, K);
      const aPointers = at(b, A!, grid(b, rows, ks, k!));
      const bPointers = at(b, B!, grid(b, ks, columns, n!));
      const rowMask = b.broadcast(b.expandDims(lessThan(b, rows, m!), 1), [M, K]);
      const columnMask = b.broadcast(b.expandDims(lessThan(b, columns, n!), 0), [K, N]);
      const [acc] = b.forLoop(
        b.i32(0),
        k!,
        b.i32(K),
        [zeros(b, [M, N]), aPointers, bPointers],
        (i, [sum, pa, pb]) => {
          const left = b.binary('arith.subi', k!, i);
          const kMask = lessThan(b, ks, left);
          const aMask = b.binary(
            'arith.andi',
            rowMask,
            b.broadcast(b.expandDims(kMask, 0), [M, K]),
          );
          const bMask = b.binary(
            'arith.andi',
            columnMask,
            b.broadcast(b.expandDims(kMask, 1), [K, N]),
          );
          const x = b.load(pa!, aMask, zeros(b, [M, K], dtype));
          const y = b.load(pb!, bMask, zeros(b, [K, N], dtype));
          const next = b.dot(x, y, sum!);
          const step = b.binary('arith.muli', n!, b.i32(K));
          return [
            next,
            b.addptr(pa!, b.splat(b.i32(K), [M, K])),
            b.addptr(pb!, b.splat(step, [K, N])),
          ];
        },
      );
      const offsets = grid(b, rows, columns, n!);
      const mask = b.binary(
        'arith.andi',
        b.broadcast(b.expandDims(lessThan(b, rows, m!), 1), [M, N]),
        b.broadcast(b.expandDims(lessThan(b, columns, n!), 0), [M, N]),
      );
      let result = acc!;
      if (residual) result = b.binary('arith.addf', result, b.load(at(b, C!, offsets), mask));
      b.store(at(b, C!, offsets), result, mask);
    },
  );
}

/** Flash attention forward, one head, no mask: Q tile by tile over all keys. */
export function attention(BM = 64, BN = 64, D = 64, dtype: ScalarType = F32): Func {
  const p = pointer(dtype);
  return makeFunc(
    'attention',
    [
      ['q', p, 16],
      ['k', p, 16],
      ['v', p, 16],
      ['out', P32, 16],
      ['keys', I32, 16],
    ],
    (b, [Q, K, V, out, keys]) => {
      const rows = blockRange(b, 0, BM);
      const d = b.makeRange(0, D);
      const stride = b.i32(D);
      const q = b.load(at(b, Q!, grid(b, rows, d, stride)));
      const column = (v: Value, n: number): Value => b.broadcast(b.expandDims(v, 1), [BM, n]);
      const [acc, , sum] = b.forLoop(
        b.i32(0),
        keys!,
        b.i32(BN),
        [zeros(b, [BM, D]), b.constant(tensor([BM], F32), -Infinity), zeros(b, [BM])],
        (start, [o, most, total]) => {
          const ks = b.binary('arith.addi', b.splat(start, [BN]), b.makeRange(0, BN));
          const offsets = grid(b, ks, d, stride);
          const kt = b.trans(b.load(at(b, K!, offsets)), [1, 0]);
          const scores = b.dot(q, kt, zeros(b, [BM, BN]));
          const top = b.reduce([scores], 1, ([x], [y]) => [b.binary('arith.maxnumf', x!, y!)])[0]!;
          const m = b.binary('arith.maxnumf', most!, top);
          const weights = b.unary('math.exp2', b.binary('arith.subf', scores, column(m, BN)));
          const scale = b.unary('math.exp2', b.binary('arith.subf', most!, m));
          const rowSum = b.reduce([weights], 1, ([x], [y]) => [b.binary('arith.addf', x!, y!)])[0]!;
          const v = b.load(at(b, V!, offsets));
          const narrow = dtype.dtype === 'f32' ? weights : b.cast('arith.truncf', weights, dtype);
          const rescaled = b.binary('arith.mulf', o!, column(scale, D));
          return [
            b.dot(narrow, v, rescaled),
            m,
            b.binary('arith.addf', b.binary('arith.mulf', total!, scale), rowSum),
          ];
        },
      );
      const result = b.binary('arith.divf', acc!, column(sum!, D));
      b.store(at(b, out!, grid(b, rows, d, stride)), result);
    },
  );
}

/** out[j, i] = x[i, j], through a tile. */
export function transpose(M = 64, N = 64): Func {
  return makeFunc(
    'transpose',
    [
      ['x', P32, 16],
      ['out', P32, 16],
    ],
    (b, [x, out]) => {
      const [r, c] = [b.makeRange(0, M), b.makeRange(0, N)];
      const tile = b.load(at(b, x!, grid(b, r, c, b.i32(N))));
      b.store(at(b, out!, grid(b, c, r, b.i32(M))), b.trans(tile, [1, 0]));
    },
  );
}

/** Scans along `axis`, then the histogram, a gather and joins: what has rules of its own. */
export function shapesAndScans(M = 32, N = 64, axis = 1): Func {
  return makeFunc(
    'shapes',
    [
      ['x', PI32, 16],
      ['out', PI32, 16],
      ['counts', PI32, 16],
    ],
    (b, [x, out, counts]) => {
      const [r, c] = [b.makeRange(0, M), b.makeRange(0, N)];
      const offsets = grid(b, r, c, b.i32(N));
      const tile = b.load(at(b, x!, offsets));
      const running = b.scan([tile], axis, false, ([p], [q]) => [
        b.binary('arith.addi', p!, q!),
      ])[0]!;
      const both = b.value('tt.join', [running, tile]);
      const halves = b.create('tt.split', [both]).results;
      const flat = b.reshape(halves[0]!, [M * N]);
      const longer = b.value('tt.cat', [flat, b.reshape(halves[1]!, [M * N])], undefined, {
        axis: 0,
      });
      const folded = b.reshape(longer, [2, M, N]);
      const total = b.reduce([folded], 0, ([p], [q]) => [b.binary('arith.addi', p!, q!)])[0]!;
      const turned = b.trans(b.reshape(total, [N, M]), [1, 0]);
      const index = b.binary('arith.remui', tile, b.constant(tile.type, N));
      const gathered = b.value('tt.gather', [turned, index], undefined, { axis: 1 });
      b.store(at(b, out!, offsets), gathered);
      const flatIndex = b.reshape(index, [M * N]);
      const chosen = b.cmp('slt', b.makeRange(0, M * N), b.constant(flatIndex.type, (M * N) / 2));
      const bins = b.value('tt.histogram', [flatIndex, chosen], tensor([64], I32));
      b.atomicRmw('add', at(b, counts!, b.makeRange(0, 64)), bins);
    },
  );
}

/** acc = a · b for batches of tiles, all in one program; integers accumulate in i32. */
export function batchedDot(
  B: number,
  M: number,
  N: number,
  K: number,
  dtype: ScalarType = F32,
): Func {
  const p = pointer(dtype);
  const sum = dtype.dtype === 'i8' ? I32 : F32;
  return makeFunc(
    'batched',
    [
      ['a', p, 16],
      ['b', p, 16],
      ['c', pointer(sum), 16],
    ],
    (b, [A, Bs, C]) => {
      const flat = (base: Value, shape: readonly number[]): Value => {
        const size = shape.reduce((x, y) => x * y, 1);
        return at(b, base, b.reshape(b.makeRange(0, size), shape));
      };
      const acc = b.dot(
        b.load(flat(A!, [B, M, K])),
        b.load(flat(Bs!, [B, K, N])),
        zeros(b, [B, M, N], sum),
      );
      b.store(flat(C!, [B, M, N]), acc);
    },
  );
}

/** Dots whose operands do not come from loads, and an f16 accumulator. */
export function chainedDots(size = 16, K = 32): Func {
  return makeFunc(
    'chained',
    [
      ['a', P16, 16],
      ['b', P16, 16],
      ['c', P16, 16],
    ],
    (b, [A, B, C]) => {
      const grid2 = (rows: number, columns: number): Value =>
        grid(b, b.makeRange(0, rows), b.makeRange(0, columns), b.i32(columns));
      const x = b.load(at(b, A!, grid2(size, K)));
      const y = b.load(at(b, B!, grid2(K, size)));
      const first = b.dot(x, y, zeros(b, [size, size], F16));
      const second = b.dot(b.trans(first, [1, 0]), first, first);
      b.store(at(b, C!, grid2(size, size)), second);
    },
  );
}

/** Tiles carried by a while loop and chosen by a branch; a scalar atomic whose result is used. */
export function controlFlow(size = 64): Func {
  return makeFunc(
    'control',
    [
      ['x', P32, 16],
      ['out', P32, 16],
      ['count', PI32, 16],
      ['n', I32],
    ],
    (b, [x, out, count, n]) => {
      const range = b.makeRange(0, size);
      const v = b.load(at(b, x!, range));
      const wide = b.reshape(v, [4, size / 4]);
      const [i, total] = b.whileLoop(
        [b.i32(0), wide],
        ([k, t]) => ({ condition: b.cmp('slt', k!, n!), forward: [k!, t!] }),
        ([k, t]) => {
          const sums = b.reduce([t!], 0, ([p], [q]) => [b.binary('arith.addf', p!, q!)])[0]!;
          const row = b.broadcast(b.expandDims(sums, 0), [4, size / 4]);
          return [b.binary('arith.addi', k!, b.i32(1)), b.binary('arith.addf', t!, row)];
        },
      );
      const ticket = b.atomicRmw('add', count!, i!);
      const odd = b.cmp('eq', ticket, b.i32(0));
      const [chosen] = b.ifOp(
        odd,
        () => [b.reshape(total!, [size])],
        () => [b.reshape(b.trans(wide, [1, 0]), [size])],
      );
      const small = b.makeRange(0, 4);
      const old = b.atomicRmw(
        'max',
        at(b, count!, b.binary('arith.addi', small, b.splat(b.i32(4), [4]))),
        small,
      );
      const bonus = b.reduce([old], 0, ([p], [q]) => [b.binary('arith.addi', p!, q!)])[0]!;
      const scale = b.splat(b.cast('arith.sitofp', bonus, F32), [size]);
      b.store(at(b, out!, range), b.binary('arith.mulf', chosen!, scale));
    },
  );
}

/** Column sums, a scan against the rows, and a store through a mask of a slice. */
export function columns(M = 32, N = 32): Func {
  return makeFunc(
    'columns',
    [
      ['x', P32, 16],
      ['out', P32, 16],
      ['n', I32],
    ],
    (b, [x, out, n]) => {
      const offsets = grid(b, b.makeRange(0, M), b.makeRange(0, N), b.i32(N));
      const tile = b.load(at(b, x!, offsets));
      const add = ([p]: Value[], [q]: Value[]): Value[] => [b.binary('arith.addf', p!, q!)];
      const sums = b.reduce([tile], 0, add)[0]!;
      const c = b.makeRange(0, N);
      b.store(at(b, out!, c), sums, lessThan(b, c, n!));
      const running = b.scan([b.trans(tile, [1, 0])], 0, true, add)[0]!;
      const shifted = b.addptr(b.splat(out!, [N, M]), b.constant(tensor([N, M], I32), N));
      const back = grid(b, c, b.makeRange(0, M), b.i32(M));
      b.store(b.addptr(shifted, back), running);
    },
  );
}

export const MORE_CASES = [
  {
    name: 'batched dot',
    make: () => batchedDot(4, 16, 16, 16),
    sizes: [1024, 1024, 1024],
    scalars: [],
    grid: [1, 1, 1] as const,
  },
  {
    name: 'many small batches',
    make: () => batchedDot(64, 1, 4, 2),
    sizes: [128, 512, 256],
    scalars: [],
    grid: [1, 1, 1] as const,
  },
  {
    name: 'i8 dot',
    make: () => batchedDot(2, 16, 32, 64, I8),
    sizes: [2048, 4096, 1024],
    scalars: [],
    grid: [1, 1, 1] as const,
  },
  {
    name: 'chained dots',
    make: () => chainedDots(),
    sizes: [512, 512, 256],
    scalars: [],
    grid: [1, 1, 1] as const,
  },
  {
    name: 'control flow',
    make: () => controlFlow(),
    sizes: [64, 64, 8],
    scalars: [3],
    grid: [2, 1, 1] as const,
  },
  {
    name: 'columns',
    make: () => columns(),
    sizes: [1024, 1056],
    scalars: [20],
    grid: [1, 1, 1] as const,
  },
];
