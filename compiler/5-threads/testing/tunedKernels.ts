/**
 * For tests: kernels whose code depends most on what a tuner may choose, with how far two right
 * results of each may lie apart. Integers have no room. Floats have what the order of their sums
 * allows: of n terms, each sum is within γ(n) = nu / (1 − nu) of the sum of magnitudes (Higham,
 * Accuracy and Stability of Numerical Algorithms, 4.2), u = 2⁻²⁴, so two sums are within twice
 * that. What follows a sum carries it on.
 */
import type { Parser } from '../../1-parse/parser';
import type { Func } from '../../ir/ir';
import { roundFloat } from '../../ir/numbers';
import { seededRandom } from '../../ir/seededRandom';
import { lowerSigned, type Signature } from './lowerSigned';
import type { LaunchArgument } from './run';

export interface TunedKernel {
  readonly name: string;
  readonly dot: boolean;
  readonly source: string;
  readonly signature: Signature;
  readonly args: readonly LaunchArgument[];
  readonly grid: readonly [number, number, number];
  /** For every argument that is written: how far each element may lie from another right one. */
  readonly bounds: ReadonlyMap<number, Float64Array>;
}

const U = 2 ** -24;
const gamma = (n: number): number => (n * U) / (1 - n * U);

const random = seededRandom(11);
const floats = (n: number): Float32Array =>
  Float32Array.from({ length: n }, () => Math.fround(4 * random() - 2));
const integers = (n: number): Int8Array =>
  Int8Array.from({ length: n }, () => Math.floor(255 * random()) - 127);
/** Halves as f32 holds them, and their bytes. */
const halves = (n: number, scale: number): Float32Array =>
  floats(n).map((x) => roundFloat('f16', scale * x));
const halfBytes = (x: Float32Array): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Float16Array.from(x).buffer);
const bytes = (x: Float32Array | Int32Array | Int8Array): Uint8Array<ArrayBuffer> =>
  new Uint8Array(x.slice().buffer);
const word = (x: number): readonly number[] => [x];
const bits = (x: number): readonly number[] => [new Uint32Array(Float32Array.of(x).buffer)[0]!];
const poison = (n: number): Uint8Array<ArrayBuffer> => bytes(new Float32Array(n).fill(NaN));
/** Integers that no kernel here leaves. */
const poisonInts = (n: number): Uint8Array<ArrayBuffer> =>
  bytes(new Int32Array(n).fill(-0x5a5a5a5a));
const table = (rows: number, columns: number, of: (i: number, j: number) => number): Float64Array =>
  Float64Array.from({ length: rows * columns }, (_, at) =>
    of(Math.floor(at / columns), at % columns),
  );
const total = (n: number, of: (i: number) => number): number => {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += of(i);
  return sum;
};

const MATMUL = `
@triton.jit
def kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=DTYPE)
    for k in range(0, K, BK):
        ks = k + tl.arange(0, BK)
        a = tl.load(a_ptr + rows[:, None] * K + ks[None, :], mask=(rows[:, None] < M) & (ks[None, :] < K), other=0)
        b = tl.load(b_ptr + ks[:, None] * N + columns[None, :], mask=(ks[:, None] < K) & (columns[None, :] < N), other=0)
        acc = tl.dot(a, b, acc, OPTIONS)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc, mask=(rows[:, None] < M) & (columns[None, :] < N))
`;

/** The same, with pointers that move along K. */
const MOVING = MATMUL.replace(
  '    for k in',
  '    a_ptrs = a_ptr + rows[:, None] * K + tl.arange(0, BK)[None, :]\n    b_ptrs = b_ptr + tl.arange(0, BK)[:, None] * N + columns[None, :]\n    for k in',
)
  .replace('tl.load(a_ptr + rows[:, None] * K + ks[None, :]', 'tl.load(a_ptrs')
  .replace('tl.load(b_ptr + ks[:, None] * N + columns[None, :]', 'tl.load(b_ptrs')
  .replace('OPTIONS)', 'OPTIONS)\n        a_ptrs += BK\n        b_ptrs += BK * N');

function matmul(
  M: number,
  N: number,
  K: number,
  blocks: readonly number[],
  text = MATMUL,
): TunedKernel {
  const [a, b] = [floats(M * K), floats(K * N)];
  const [BM = 16, BN = 16, BK = 16] = blocks;
  const magnitude = (i: number, j: number): number =>
    total(K, (k) => Math.abs(a[i * K + k]! * b[k * N + j]!));
  return {
    name: `matmul ${M}×${N}×${K} in ${blocks.join('×')}`,
    dot: true,
    source: text.replace('DTYPE', 'tl.float32').replace('OPTIONS', 'input_precision="ieee"'),
    signature: { a_ptr: '*fp32', b_ptr: '*fp32', c_ptr: '*fp32', ...sizes(), BM, BN, BK },
    args: [bytes(a), bytes(b), poison(M * N), word(M), word(N), word(K)],
    grid: [Math.ceil(M / BM), Math.ceil(N / BN), 1],
    bounds: new Map([[2, table(M, N, (i, j) => 2 * gamma(K + 1) * magnitude(i, j))]]),
  };
}

/**
 * Summed in f32. Matrix units keep a few bits more or less of each sum than rounding would: four
 * times as far.
 */
function f16Matmul(M: number, N: number, K: number, blocks: readonly number[]): TunedKernel {
  const [a, b] = [halves(M * K, 0.5), halves(K * N, 0.5)];
  const [BM = 16, BN = 16, BK = 16] = blocks;
  const magnitude = (i: number, j: number): number =>
    total(K, (k) => Math.abs(a[i * K + k]! * b[k * N + j]!));
  return {
    name: `f16 matmul ${M}×${N}×${K} in ${blocks.join('×')}`,
    dot: true,
    source: MATMUL.replace('DTYPE', 'tl.float32').replace(', OPTIONS', ''),
    signature: { a_ptr: '*fp16', b_ptr: '*fp16', c_ptr: '*fp32', ...sizes(), BM, BN, BK },
    args: [halfBytes(a), halfBytes(b), poison(M * N), word(M), word(N), word(K)],
    grid: [Math.ceil(M / BM), Math.ceil(N / BN), 1],
    bounds: new Map([[2, table(M, N, (i, j) => 4 * gamma(2 * K) * magnitude(i, j))]]),
  };
}

function int8Matmul(M: number, N: number, K: number): TunedKernel {
  return {
    name: `int8 matmul ${M}×${N}×${K}`,
    dot: true,
    source: MATMUL.replace('DTYPE', 'tl.int32').replace('OPTIONS', 'out_dtype=tl.int32'),
    signature: { a_ptr: '*i8', b_ptr: '*i8', c_ptr: '*i32', ...sizes(), BM: 16, BN: 16, BK: 32 },
    args: [
      bytes(integers(M * K)),
      bytes(integers(K * N)),
      poisonInts(M * N),
      word(M),
      word(N),
      word(K),
    ],
    grid: [Math.ceil(M / 16), Math.ceil(N / 16), 1],
    bounds: new Map([[2, new Float64Array(M * N)]]),
  };
}
const sizes = (): Record<string, string> => ({ M: 'i32', N: 'i32', K: 'i32' });

function softmax(rows: number, n: number): TunedKernel {
  const x = floats(rows * n);
  const exp = (i: number, j: number): number => Math.exp(x[i * n + j]!);
  // The exponentials are the same functions of the same numbers.
  const bound = table(
    rows,
    n,
    (i, j) => ((2 * gamma(n) + 8 * U) * exp(i, j)) / total(n, (k) => exp(i, k)),
  );
  return {
    name: `softmax of ${n}`,
    dot: false,
    source: `
@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * n + at, mask=at < n, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + tl.program_id(0) * n + at, e / tl.sum(e, axis=0), mask=at < n)
`,
    signature: { x_ptr: '*fp32', y_ptr: '*fp32', n: 'i32', BLOCK: 2 ** Math.ceil(Math.log2(n)) },
    args: [bytes(x), poison(rows * n), word(n)],
    grid: [rows, 1, 1],
    bounds: new Map([[1, bound]]),
  };
}

function layerNorm(rows: number, n: number): TunedKernel {
  const [x, w, b] = [floats(rows * n), floats(n), floats(n)];
  const bound = new Float64Array(rows * n);
  for (let i = 0; i < rows; i++) {
    const row = x.subarray(i * n, (i + 1) * n);
    const mean = total(n, (j) => row[j]!) / n;
    const dMean = (2 * gamma(n + 1) * total(n, (j) => Math.abs(row[j]!))) / n;
    const centred = (j: number): number => row[j]! - mean;
    const dCentred = (j: number): number => dMean + 2 * U * Math.abs(centred(j));
    const variance = total(n, (j) => centred(j) ** 2) / n;
    const dVariance =
      2 * gamma(n + 2) * variance +
      total(n, (j) => 2 * Math.abs(centred(j)) * dCentred(j) + dCentred(j) ** 2) / n;
    const scale = 1 / Math.sqrt(variance + 1e-5);
    // A root and a quotient, each within some units in the last place.
    const dScale = dVariance / (variance + 1e-5) / 2 + 8 * U;
    for (let j = 0; j < n; j++) {
      const product = Math.abs(centred(j) * scale * w[j]!);
      bound[i * n + j] =
        Math.abs(w[j]!) * scale * dCentred(j) +
        product * (dScale + 4 * U) +
        2 * U * Math.abs(b[j]!);
    }
  }
  return {
    name: `layer norm of ${n}`,
    dot: false,
    source: `
@triton.jit
def kernel(x_ptr, w_ptr, b_ptr, y_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + at, mask=at < n, other=0.0)
    mean = tl.sum(x, axis=0) / n
    centred = tl.where(at < n, x - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / n
    scale = 1.0 / tl.sqrt(variance + eps)
    w = tl.load(w_ptr + at, mask=at < n)
    b = tl.load(b_ptr + at, mask=at < n)
    tl.store(y_ptr + row * n + at, centred * scale * w + b, mask=at < n)
`,
    signature: {
      ...{ x_ptr: '*fp32', w_ptr: '*fp32', b_ptr: '*fp32', y_ptr: '*fp32', n: 'i32', eps: 'fp32' },
      BLOCK: 2 ** Math.ceil(Math.log2(n)),
    },
    args: [bytes(x), bytes(w), bytes(b), poison(rows * n), word(n), bits(1e-5)],
    grid: [rows, 1, 1],
    bounds: new Map([[3, bound]]),
  };
}

/** Sums along a row so far: of floats, of integers, and the integers in order. */
function scans(rows: number, n: number): TunedKernel {
  const x = floats(rows * n);
  const k = Int32Array.from({ length: rows * n }, () => Math.floor(2 ** 32 * random()));
  const bound = table(
    rows,
    n,
    (i, j) => 2 * gamma(n) * total(j + 1, (l) => Math.abs(x[i * n + l]!)),
  );
  return {
    name: `scans and a sort of ${rows}×${n}`,
    dot: false,
    source: `
@triton.jit
def kernel(x_ptr, k_ptr, y_ptr, s_ptr, o_ptr, R: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, R)[:, None] * N + tl.arange(0, N)[None, :]
    k = tl.load(k_ptr + at)
    tl.store(y_ptr + at, tl.cumsum(tl.load(x_ptr + at), axis=1))
    tl.store(s_ptr + at, tl.cumsum(k, axis=0))
    tl.store(o_ptr + at, tl.sort(k, dim=1))
`,
    signature: {
      ...{ x_ptr: '*fp32', k_ptr: '*i32', y_ptr: '*fp32', s_ptr: '*i32', o_ptr: '*i32' },
      ...{ R: rows, N: n },
    },
    args: [bytes(x), bytes(k), poison(rows * n), poisonInts(rows * n), poisonInts(rows * n)],
    grid: [1, 1, 1],
    bounds: new Map([
      [2, bound],
      [3, new Float64Array(rows * n)],
      [4, new Float64Array(rows * n)],
    ]),
  };
}

/**
 * Flash attention over `n` keys, which the blocks do not divide. In f16 another order of a score's
 * sum may round its probability to the next half, and matrix units sum as they like (`f16Matmul`).
 */
function attention(m: number, n: number, d: number, type: 'fp16' | 'fp32'): TunedKernel {
  const narrow = type === 'fp16';
  const of = (count: number, scale: number): Float32Array =>
    narrow ? halves(count, scale) : floats(count);
  const pack = narrow ? halfBytes : bytes;
  const [q, k, v] = [of(m * d, 1), of(n * d, 1), of(n * d, 0.25)];
  const [sums, step] = narrow ? [4, 2 ** -11] : [1, 0];
  const bound = new Float64Array(m * d);
  for (let i = 0; i < m; i++) {
    const products = (j: number, of: (x: number) => number): number =>
      0.25 * total(d, (c) => of(q[i * d + c]! * k[j * d + c]!));
    const scores = Array.from({ length: n }, (_, j) => products(j, (x) => x));
    const most = Math.max(...scores);
    const weights = scores.map((score) => Math.exp(score - most));
    // An exponential's relative error is its argument's error, and some units of its own; rescaling
    // adds its own for each of the blocks.
    const wrong = scores.map(
      (score, j) =>
        sums * 4 * gamma(d + 2) * products(j, Math.abs) +
        step +
        (16 + 4 * Math.abs(score - most)) * U,
    );
    const worst = Math.max(...wrong) + sums * 2 * gamma(n + 8);
    const sum = total(n, (j) => weights[j]!);
    for (let c = 0; c < d; c++)
      bound[i * d + c] =
        (2 * worst * total(n, (j) => weights[j]! * Math.abs(v[j * d + c]!))) / sum + 8 * U;
  }
  return {
    name: `${narrow ? 'f16 ' : ''}attention ${m}×${n}×${d}`,
    dot: true,
    source: `
@triton.jit
def kernel(q_ptr, k_ptr, v_ptr, o_ptr, n, M: tl.constexpr, B: tl.constexpr, D: tl.constexpr):
    rows = tl.arange(0, M)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + rows[:, None] * D + d[None, :])
    most = tl.full((M,), -float("inf"), tl.float32)
    total = tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    for start in range(0, n, B):
        j = start + tl.arange(0, B)
        k = tl.load(k_ptr + j[None, :] * D + d[:, None], mask=j[None, :] < n, other=0.0)
        s = tl.dot(q, k, input_precision="ieee") * 0.25
        s = tl.where(j[None, :] < n, s, -float("inf"))
        higher = tl.maximum(most, tl.max(s, axis=1))
        p = tl.exp(s - higher[:, None])
        rescale = tl.exp(most - higher)
        total = total * rescale + tl.sum(p, axis=1)
        v = tl.load(v_ptr + j[:, None] * D + d[None, :], mask=j[:, None] < n, other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc * rescale[:, None], input_precision="ieee")
        most = higher
    tl.store(o_ptr + rows[:, None] * D + d[None, :], acc / total[:, None])
`,
    signature: {
      ...{ q_ptr: `*${type}`, k_ptr: `*${type}`, v_ptr: `*${type}`, o_ptr: '*fp32', n: 'i32' },
      ...{ M: m, B: 16, D: d },
    },
    args: [pack(q), pack(k), pack(v), poison(m * d), word(n)],
    grid: [1, 1, 1],
    bounds: new Map([[3, bound]]),
  };
}

export const TUNED_KERNELS: readonly TunedKernel[] = [
  matmul(33, 29, 45, [16, 16, 32]),
  matmul(20, 70, 17, [16, 32, 16], MOVING),
  int8Matmul(19, 35, 70),
  softmax(3, 333),
  layerNorm(3, 129),
  scans(4, 64),
  attention(16, 27, 16, 'fp32'),
  f16Matmul(33, 40, 70, [32, 32, 32]),
  attention(32, 27, 32, 'fp16'),
];

/** A new copy each time: distribution changes it in place. */
export function lowerTuned(parser: Parser, { source, signature }: TunedKernel): Func {
  const text = `import triton\nimport triton.language as tl\n${source}`;
  return lowerSigned(parser, text, signature);
}

/**
 * The difference between the buffers `after` and a right result beside `before`: '' where there is
 * none.
 */
export function notBeside(
  { bounds }: TunedKernel,
  before: readonly (Uint8Array | undefined)[],
  after: readonly (Uint8Array | undefined)[],
): string {
  for (const [argument, bound] of bounds) {
    const exact = bound.every((each) => each === 0);
    const view = (all: readonly (Uint8Array | undefined)[]): Float32Array | Int32Array => {
      const { buffer } = all[argument]!.slice();
      return exact ? new Int32Array(buffer) : new Float32Array(buffer);
    };
    const [x, y] = [view(before), view(after)];
    const wrong = y.findIndex((value, i) => !(Math.abs(value - x[i]!) <= bound[i]!));
    if (wrong < 0) continue;
    const by = exact ? '' : `, more than ${bound[wrong]!.toExponential(2)} apart`;
    return `element ${wrong} of argument ${argument}: ${y[wrong]} beside ${x[wrong]}${by}`;
  }
  return '';
}
