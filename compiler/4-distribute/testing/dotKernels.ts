/** Kernels for the tests of distribution that multiply matrices. */
import type { Func, Value } from '../../ir/ir';
import { F16, F32, I32, pointer, type ScalarType, tensor } from '../../ir/types';
import { at, blockRange, grid, lessThan, makeFunc, P16, P32, zeros } from './kernelParts';

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
