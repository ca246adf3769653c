/**
 * Kernels for the tests of distribution, built as the front end would build them. Those that
 * multiply matrices are in `dotKernels.ts`.
 */
import type { Func, Value } from '../../ir/ir';
import { F32, I32, I8, pointer, tensor, type Type } from '../../ir/types';
import { batchedDot, chainedDots } from './dotKernels';
import { at, blockRange, grid, lessThan, makeFunc, P32 } from './kernelParts';

export { attention, batchedDot, chainedDots, matmul } from './dotKernels';
export { makeFunc, P16, P32 } from './kernelParts';

const PI32 = pointer(I32);

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
