/**
 * The matrix product in WebAssembly's 128-bit SIMD: z += x · y in double precision, four rows by
 * four columns at a time. Every element adds its products in the order of K, one rounding a step,
 * so its result is bit for bit that of the loop in `interpret/dot.ts`, which is used where there is
 * no SIMD.
 */
import type { Code } from './assembler';
import {
  add,
  addF64x2,
  constant,
  get,
  instantiate,
  load,
  loadSplat,
  moduleOf,
  mulF64x2,
  repeat,
  reserve,
  set,
  shiftLeft,
  shiftRight,
  store,
} from './assembler';

/** Rows and columns of a block: both must divide the sizes. */
export const SIMD_BLOCK = 4;

export interface SimdDot {
  /**
   * Addresses of x (m × k), y (k × n), z (m × n), and of z afterwards. Good until the next call.
   */
  operands(m: number, n: number, k: number): { readonly [name in 'x' | 'y' | 'z']: Float64Array };
  run(m: number, n: number, k: number): void;
}

let found: SimdDot | undefined;

/** Undefined where the engine has no WebAssembly SIMD. */
export function simdDot(): SimdDot | undefined {
  return (found ??= make());
}

function make(): SimdDot | undefined {
  const instance = instantiate(assemble);
  if (!instance) return undefined;
  const { memory, functions } = instance;
  const dot = functions['d']!;
  return {
    operands(m, n, k) {
      const buffer = reserve(memory, 8 * (m * k + k * n + m * n));
      return {
        x: new Float64Array(buffer, 0, m * k),
        y: new Float64Array(buffer, 8 * m * k, k * n),
        z: new Float64Array(buffer, 8 * (m * k + k * n), m * n),
      };
    },
    run: (m, n, k) => dot(0, 8 * m * k, 8 * (m * k + k * n), m, n, k),
  };
}

function assemble(): Uint8Array<ArrayBuffer> {
  // Parameters: addresses of the matrices, then the sizes.
  const [x, y, z, m, n, k] = [0, 1, 2, 3, 4, 5];
  // Bytes of a row of y and z, and of x; what is left of rows, columns and K; addresses.
  const [rowBytes, leftBytes, rows, columns, depth, column, target, at, right] = [
    6, 7, 8, 9, 10, 11, 12, 13, 14,
  ];
  /** Addresses in the four rows of x. */
  const lefts = [15, 16, 17, 18];
  const numbers = 13;
  const sums = lefts.map((_, r) => [19 + 2 * r, 20 + 2 * r] as const);
  const [y0, y1, factor] = [27, 28, 29];
  const vectors = 11;

  /** Goes through the block's rows of z. */
  const eachRow = (row: (r: number) => Code): Code[] => [
    set(at, get(target)),
    ...sums.map((_, r) => [...row(r), ...set(at, add(get(at), get(rowBytes)))]),
  ];
  const block: Code[] = [
    ...eachRow((r) => [
      ...set(sums[r]![0], load(get(at), 0)),
      ...set(sums[r]![1], load(get(at), 16)),
    ]),
    ...lefts.map((left, r) =>
      set(left, r === 0 ? get(x) : add(get(lefts[r - 1]!), get(leftBytes))),
    ),
    set(right, get(column)),
    repeat(depth, get(k), [
      set(y0, load(get(right), 0)),
      set(y1, load(get(right), 16)),
      ...lefts.map((left, r) => [
        ...set(factor, loadSplat(get(left))),
        ...set(sums[r]![0], addF64x2(get(sums[r]![0]), mulF64x2(get(factor), get(y0)))),
        ...set(sums[r]![1], addF64x2(get(sums[r]![1]), mulF64x2(get(factor), get(y1)))),
        ...set(left, add(get(left), constant(8))),
      ]),
      set(right, add(get(right), get(rowBytes))),
    ]),
    ...eachRow((r) => [
      ...store(get(at), 0, get(sums[r]![0])),
      ...store(get(at), 16, get(sums[r]![1])),
    ]),
  ];
  const body: Code[] = [
    set(rowBytes, shiftLeft(get(n), 3)),
    set(leftBytes, shiftLeft(get(k), 3)),
    repeat(rows, shiftRight(get(m), 2), [
      set(column, get(y)),
      set(target, get(z)),
      repeat(columns, shiftRight(get(n), 2), [
        ...block,
        set(column, add(get(column), constant(32))),
        set(target, add(get(target), constant(32))),
      ]),
      set(x, add(get(x), shiftLeft(get(leftBytes), 2))),
      set(z, add(get(z), shiftLeft(get(rowBytes), 2))),
    ]),
  ];
  return moduleOf([{ name: 'd', parameters: 6, locals: { i32: numbers, v128: vectors }, body }]);
}
