/**
 * For tests: the kernels on which faults are planted: their text, what they are compiled for, and
 * the launch. Between them every pass of the pipeline has something to change.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Choices } from '../../4-distribute/index';
import { HEADER } from '../../inspect/testing/launches';
import type { Instrumentation } from '../../program';
import { BASELINE_TARGET, type Target } from '../../target';
import { KINDS } from '../gallery';

const SOFTWARE = KINDS[0]!;
const MATRICES: Target = { ...KINDS[1]!, f16PacksToNearest: true };

/** A tensor of random numbers around 0, by the number of its elements; or a scalar. */
type Input = { readonly fp32: number } | { readonly fp16: number } | { readonly table: number };
type Argument = Input | number;

export interface Plan {
  /** A file of the gallery, or the text of a kernel. */
  readonly text: string;
  readonly kernel: string;
  /** Types in the notation of Triton's signatures, or constexprs, in the parameters' order. */
  readonly signature: string;
  readonly args: readonly Argument[];
  readonly grid: readonly [number, number, number];
  readonly target?: Target;
  readonly choices?: Partial<Choices>;
  readonly instrumentation?: Instrumentation;
}

const gallery = (file: string): string =>
  readFileSync(join(import.meta.dirname, '../../../public/examples', file), 'utf8');
const own = (text: string): string => HEADER + text;

/** 40 × 24 × 37: all three are cut by the blocks of 16. B has rows behind the last one. */
const PRODUCT: Pick<Plan, 'text' | 'kernel' | 'args' | 'grid'> = {
  text: gallery('matmul.py'),
  kernel: 'matmul_kernel',
  args: [
    ...[{ fp32: 40 * 37 }, { fp32: 48 * 24 }, { fp32: 24 }, { fp32: 40 * 24 }],
    ...[40, 24, 37, 37, 24, 24],
  ],
  grid: [6, 1, 1],
};
const SIGNATURE = '*fp32 *fp32 *fp32 *fp32 i32 i32 i32 i32 1 i32 1 i32 1';
const MATMUL: Plan = { ...PRODUCT, signature: `${SIGNATURE} True 16 16 16 2` };

const ATTENTION: Plan = {
  text: gallery('fused_attention.py'),
  kernel: 'attention_kernel',
  signature: '*fp32 *fp32 *fp32 *fp32 fp32 i32 i32 i32 16 16 16 True',
  args: [
    ...[{ fp32: 1600 }, { fp32: 1600 }, { fp32: 1600 }, { fp32: 1600 }],
    ...[0.25, 800, 16, 50],
  ],
  grid: [4, 2, 1],
};

/** Blocks of halves on subgroup matrices. */
const HALVES =
  own(`def product(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.arange(0, N)
    t = tl.arange(0, K)
    acc = tl.zeros((M, N), dtype=tl.float32)
    for first in range(0, k, K):
        left = first + t < k
        x = tl.load(
            a + i[:, None] * k + (first + t)[None, :],
            mask=(i < m)[:, None] & left[None, :],
            other=0.0,
        )
        y = tl.load(b + (first + t)[:, None] * n + j[None, :], mask=left[:, None], other=0.0)
        acc += tl.dot(x, y)
    tl.store(c + i[:, None] * n + j[None, :], acc, mask=(i < m)[:, None])
`);
const MATRIX_PRODUCT: Plan = {
  text: HALVES,
  kernel: 'product',
  signature: '*fp16:16 *fp16:16 *fp32:16 i32 i32:16 i32:16 32 32 16',
  args: [{ fp16: 48 * 64 }, { fp16: 64 * 32 }, { fp32: 48 * 32 }, 48, 32, 64],
  grid: [2, 1, 1],
  target: MATRICES,
};

const line = (name: string, text: string, rest: Omit<Plan, 'text' | 'kernel'>): Plan => ({
  text: own(text),
  kernel: name,
  ...rest,
});

export const PLANS = {
  matmul: MATMUL,
  /** On a software adapter dots read global memory, and loops of registers are loops. */
  'matmul, software': { ...MATMUL, target: SOFTWARE },
  'matmul, pipelined': {
    ...MATMUL,
    choices: { prefetchRegisters: 64, mergeBoundsGuards: true, kSlice: 16 },
  },
  'matmul, predicated': {
    ...MATMUL,
    target: { ...BASELINE_TARGET, readsZeroOutside: true },
    choices: { prefetchRegisters: 64 },
  },
  'matmul, split loads': {
    ...MATMUL,
    choices: { splitLoads: true, kSlice: 8, smallSliceBytes: 0 },
  },
  'matrix product': MATRIX_PRODUCT,
  'matrix product, many rows': {
    ...MATRIX_PRODUCT,
    signature: '*fp16:16 *fp16:16 *fp32:16 i32 i32:16 i32:16 128 64 16',
    args: [{ fp16: 100 * 32 }, { fp16: 32 * 64 }, { fp32: 100 * 64 }, 100, 64, 32],
    grid: [1, 1, 1],
  },
  attention: ATTENTION,
  'attention, delayed': {
    ...ATTENTION,
    signature: '*fp16:16 *fp16:16 *fp16:16 *fp32:16 fp32 i32:16 i32:16 i32 16 16 16 True',
    args: [
      ...[{ fp16: 1600 }, { fp16: 1600 }, { fp16: 1600 }, { fp32: 1600 }],
      ...[0.25, 800, 16, 50],
    ],
    target: MATRICES,
    choices: { delayReductions: true, prefetchRegisters: 0, rowsInSubgroup: true },
  },
  /** Pointers in memory. */
  table: line(
    'rows',
    `def rows(table, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    rows = table.to(tl.pointer_type(tl.pointer_type(tl.float32)))
    x = tl.load(tl.load(rows + tl.program_id(0)) + i, mask=i < n, other=0.0)
    tl.store(out + tl.program_id(0) * B + i, x * 2.0)
`,
    {
      signature: '*i64:16 *fp32:16 i32 32',
      args: [{ table: 3 }, { fp32: 64 }, 25],
      grid: [2, 1, 1],
    },
  ),
  /** Indices of 64 bits below 0, and a mask that is always true beside one that is not. */
  narrow: line(
    'signs',
    `def signs(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    wide = i.to(tl.int64) - 20
    v = tl.load(x + i, mask=(i < B) & (i < n), other=0.0)
    tl.store(out + i, tl.where(wide < tl.program_id(0), v, v * 3.0), mask=i < n)
`,
    {
      signature: '*fp32:16 *fp32:16 i32 64',
      args: [{ fp32: 50 }, { fp32: 50 }, 50],
      grid: [1, 1, 1],
    },
  ),
  /** A loop in groups of three, and a rest of two iterations. */
  unrolled: line(
    'strided',
    `def strided(x, out, n, B: tl.constexpr):
    total = tl.zeros((B,), dtype=tl.float32)
    for k in tl.range(0, n, B, loop_unroll_factor=3):
        i = k + tl.arange(0, B)
        total += tl.load(x + i, mask=i < n, other=0.0) * (k + 1)
    tl.store(out + tl.arange(0, B), total)
`,
    {
      signature: '*fp32:16 *fp32:16 i32 64',
      args: [{ fp32: 300 }, { fp32: 64 }, 300],
      grid: [1, 1, 1],
    },
  ),
  'ring products': line(
    'products',
    `def products(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    y = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out + i, y * y + 2.0, mask=i < n)
`,
    {
      signature: '*fp32:16 *fp32:16 i32 64',
      args: [{ fp32: 50 }, { fp32: 50 }, 50],
      grid: [1, 1, 1],
      instrumentation: 'fpsan',
    },
  ),
  /** Two counts that are equal in every iteration, and two sums that are not. */
  'two counts': line(
    'means',
    `def means(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    sum, count = tl.zeros((B,), dtype=tl.float32), tl.zeros((B,), dtype=tl.float32)
    squares, number = tl.zeros((B,), dtype=tl.float32), tl.zeros((B,), dtype=tl.float32)
    for k in range(0, n, B):
        v = tl.load(x + k + i, mask=k + i < n, other=0.0)
        sum += v
        squares += v * v
        count += tl.where(k + i < n, 1.0, 0.0)
        number += tl.where(k + i < n, 1.0, 0.0)
    tl.store(out + i, sum / count + squares / number)
`,
    {
      signature: '*fp32:16 *fp32:16 i32 64',
      args: [{ fp32: 300 }, { fp32: 64 }, 300],
      grid: [1, 1, 1],
    },
  ),
  /** Indices that a loop carries. */
  carried: line(
    'sums',
    `def sums(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    total = tl.zeros((B,), dtype=tl.float32)
    for _ in range(0, tl.cdiv(n, B)):
        total += tl.load(x + i, mask=i < n, other=0.0)
        i += B
    tl.store(out + tl.arange(0, B), total)
`,
    {
      signature: '*fp32:16 *fp32:16 i32 64',
      args: [{ fp32: 150 }, { fp32: 64 }, 150],
      grid: [1, 1, 1],
    },
  ),
  /** A pair of values of which each iteration makes the next, all at once. */
  pair: line(
    'pair',
    `def pair(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i)
    b = a * 2.0
    for _ in range(0, n):
        a, b = b, a + b
    tl.store(out + i, a - b)
`,
    {
      signature: '*fp32:16 *fp32:16 i32 64',
      args: [{ fp32: 64 }, { fp32: 64 }, 5],
      grid: [1, 1, 1],
    },
  ),
  /** Two sums of one tile's rows, across subgroups. */
  moments: line(
    'moments',
    `def moments(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out + i, v * tl.sum(v, axis=0) + tl.sum(v * v, axis=0), mask=i < n)
`,
    {
      signature: '*fp32:16 *fp32:16 i32 512',
      args: [{ fp32: 1024 }, { fp32: 900 }, 900],
      grid: [2, 1, 1],
    },
  ),
  /** Elements are stored where other threads have loaded. */
  reversed: line(
    'turn',
    `def turn(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(x + n - 1 - i, v, mask=i < n)
`,
    {
      signature: '*fp32:16 i32 256',
      args: [{ fp32: 200 }, 200],
      grid: [1, 1, 1],
      target: SOFTWARE,
    },
  ),
  /** The last of what is loaded lies out of range: every pass has to keep that report. */
  'out of range': line(
    'copy',
    `def copy(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=0.0), mask=i < n)
`,
    {
      signature: '*fp32 *fp32 i32 64',
      args: [{ fp32: 49 }, { fp32: 50 }, 50],
      grid: [1, 1, 1],
    },
  ),
  /** The last row of A is missing. */
  'matmul, out of range': {
    ...MATMUL,
    target: SOFTWARE,
    args: MATMUL.args.map((arg, i) => (i === 0 ? { fp32: 39 * 37 } : arg)),
  },
  /** A dot whose operand and accumulator are a dot's result. */
  chained: line(
    'chained',
    `def chained(a, b, c, S: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, S)
    k = tl.arange(0, K)
    x = tl.load(a + i[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * S + i[None, :])
    first = tl.dot(x, y, out_dtype=tl.float16)
    second = tl.dot(tl.trans(first), first, first, out_dtype=tl.float16)
    tl.store(c + i[:, None] * S + i[None, :], second)
`,
    {
      signature: '*fp16:16 *fp16:16 *fp16:16 16 32',
      args: [{ fp16: 512 }, { fp16: 512 }, { fp16: 256 }],
      grid: [1, 1, 1],
      target: MATRICES,
    },
  ),
  /** Two dots from global memory. Addresses of the second go up and down along K. */
  'bent, out of range': line(
    'bent',
    `def bent(a, b, curve, c, S: tl.constexpr):
    i = tl.arange(0, S)
    x = tl.load(a + i[:, None] * S + i[None, :])
    y = tl.load(b + i[:, None] * S + i[None, :])
    up = tl.load(curve + i[:, None] + (i * (S - 1 - i))[None, :])
    z = tl.load(b + i[:, None] + i[None, :] * S)
    tl.store(c + i[:, None] * S + i[None, :], tl.dot(x, y, tl.dot(up, z)))
`,
    {
      signature: '*fp32:16 *fp32:16 *fp32:16 *fp32:16 16',
      args: [{ fp32: 256 }, { fp32: 256 }, { fp32: 60 }, { fp32: 256 }],
      grid: [1, 1, 1],
      target: SOFTWARE,
    },
  ),
  /** Loops of registers: a mask that ends, and one that begins late. */
  long: line(
    'long',
    `def long(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out + i, v * 2.0 + tl.sum(v, axis=0), mask=(i < n) & (i >= 5))
`,
    {
      signature: '*fp32:16 *fp32:16 i32 2048',
      args: [{ fp32: 3000 }, { fp32: 3000 }, 3000],
      grid: [2, 1, 1],
      target: SOFTWARE,
    },
  ),
  /** A tile that is loaded is overwritten, and used behind that. */
  overwritten: line(
    'overwritten',
    `def overwritten(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(x + i, v * 2.0, mask=i < n)
    tl.store(out + i, v + 1.0, mask=i < n)
`,
    {
      signature: '*fp32:16 *fp32:16 i32 8192',
      args: [{ fp32: 3000 }, { fp32: 3000 }, 3000],
      grid: [1, 1, 1],
      target: SOFTWARE,
    },
  ),
  /** A loop that may not end, and algebra with floats that a driver must not do. */
  steps: line(
    'steps',
    `def steps(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    left = n
    while left > 1:
        v = v * 0.5 + 1.0
        left = left // 2
    tl.store(out + i, (v * 100.0 + 12582912.0) - 12582912.0, mask=i < n)
`,
    {
      signature: '*fp32:16 *fp32:16 i32 128',
      args: [{ fp32: 100 }, { fp32: 100 }, 100],
      grid: [1, 1, 1],
    },
  ),
} satisfies Readonly<Record<string, Plan>>;
