/** The works beyond those that peers know: rotary embedding, losses, gradients, decoding. */
import crossEntropyText from './programs/cross_entropy.py';
import decodeText from './programs/decode.py';
import layerNormText from './programs/layer_norm.py';
import ropeText from './programs/rope.py';
import type { Choices } from '../compiler/4-distribute/index';
import type { Target } from '../compiler/target';
import { fromHalves, randomHalves } from './halves';
import {
  attend,
  byRow,
  computesOnCpu,
  constexpr,
  f16,
  f32,
  i32,
  int,
  powerOfTwo,
  randomFloats,
  sampled,
  shuffled,
  some,
  wholeRows,
  type Configs,
  type NamedWork,
  type WorkItem,
} from './work';

export function moreWorks(quick: boolean, seed: number, configs?: Configs): NamedWork[] {
  const [tokens, length, heads] = quick ? [128, 64, 8] : [8192, 2048, 32];
  const [rows, columns] = quick ? [64, 8192] : [4096, 32000];
  const [wide, normal] = quick ? [256, 1024] : [8192, 4096];
  return [
    {
      name: `RoPE ${tokens}×${heads}×128`,
      make: () => rope(tokens!, length!, heads!, seed, configs),
    },
    {
      name: `cross entropy ${rows}×${columns}`,
      make: () => crossEntropy(rows!, columns!, seed, configs),
    },
    {
      name: `layer norm backward ${wide}×${normal}`,
      make: () => layerNormBackward(wide!, normal!, seed, configs),
    },
  ];
}
/** Works for adapters with f16. */
export function halfWorks(
  target: Target,
  quick: boolean,
  seed: number,
  configs?: Configs,
): NamedWork[] {
  const [sequences, length] = quick ? [2, 256] : [32, 4096];
  const own = computesOnCpu(target) ? CPU_DECODE : GPU_DECODE;
  return [
    {
      name: `f16 paged decode ${sequences}×32×${length}×128`,
      make: () => decode(sequences!, length!, seed, configs ?? own),
    },
  ];
}

function rope(
  tokens: number,
  length: number,
  heads: number,
  seed: number,
  configs: Configs = [[2], [4], [8]],
): WorkItem {
  const half = 64;
  const x = randomFloats(tokens * heads * 2 * half, seed);
  const angles = randomFloats(length * half, seed + 1);
  const [cos, sin] = [angles.map(Math.cos), angles.map(Math.sin)];
  const count = x.length;
  return {
    name: `RoPE ${tokens}×${heads}×${2 * half}`,
    shape: { kind: 'ours' },
    inputs: [x, cos, sin],
    output: count,
    outputType: 'f32',
    scratch: [],
    bytes: 8 * count + 8 * length * half,
    flops: 3 * count,
    text: ropeText,
    launches: configs.map(([warps = 4]) => ({
      what: `${warps} warps`,
      launch: [
        {
          kernel: 'rope_kernel',
          arguments: [...[0, 1, 2, 3].map(f32), int(length), constexpr(heads), constexpr(half)],
          numWarps: warps,
          grid: [tokens, 1, 1],
        },
      ],
    })),
    shaders: [],
    close: 1e-5,
    error: sampled(some(count, 2 ** 20, seed + 2), (i) => {
      const [token, d] = [Math.floor(i / (heads * 2 * half)), i % (2 * half)];
      const angle = (token % length) * half + (d % half);
      const [c, s] = [cos[angle]!, sin[angle]!];
      return d < half ? x[i]! * c - x[i + half]! * s : x[i]! * c + x[i - half]! * s;
    }),
  };
}

/** The next part of a row while this one is worked on. */
const AHEAD = { prefetchUnstaged: true, prefetchRegisters: 32 };
const CROSS_ENTROPY: readonly (readonly [
  block: number,
  warps: number,
  choices?: Partial<Choices>,
])[] = [
  [2048, 4],
  [4096, 8],
  [8192, 8],
  [1024, 4],
  [2048, 8],
  [2048, 4, AHEAD],
  [2048, 4, { ...AHEAD, predicatedPrefetch: true }],
  [1024, 4, { ...AHEAD, predicatedPrefetch: true }],
  [2048, 8, { ...AHEAD, predicatedPrefetch: true }],
];

function crossEntropy(rows: number, columns: number, seed: number, wanted?: Configs): WorkItem {
  const configs: typeof CROSS_ENTROPY =
    wanted?.map(([block = 4096, warps = 8]) => [block, warps]) ?? CROSS_ENTROPY;
  const logits = randomFloats(rows * columns, seed);
  const target = Int32Array.from(randomFloats(rows, seed + 1), (x) =>
    Math.min(columns - 1, Math.floor(((x + 3) / 6) * columns)),
  );
  return {
    name: `cross entropy ${rows}×${columns}`,
    shape: { kind: 'ours' },
    inputs: [logits, target],
    output: rows,
    outputType: 'f32',
    scratch: [],
    bytes: 4 * rows * columns,
    flops: 6 * rows * columns,
    text: crossEntropyText,
    launches: configs.map(([block, warps, choices]) => ({
      what: `BLOCK ${block}, ${warps} warps`,
      ...(choices ? { choices } : {}),
      launch: [
        {
          kernel: 'cross_entropy_kernel',
          arguments: [f32(0), i32(1), f32(2), int(columns), constexpr(block)],
          numWarps: warps,
          grid: [rows, 1, 1],
        },
      ],
    })),
    shaders: [],
    close: 1e-4,
    error: sampled(some(rows, 128, seed + 2), (row) => {
      const own = logits.subarray(row * columns, (row + 1) * columns);
      let total = 0;
      for (const x of own) total += Math.exp(x);
      return Math.log(total) - own[target[row]!]!;
    }),
  };
}

function layerNormBackward(
  rows: number,
  columns: number,
  seed: number,
  configs: Configs = [[4], [8], [16]],
): WorkItem {
  const [x, dy] = [randomFloats(rows * columns, seed), randomFloats(rows * columns, seed + 1)];
  const weight = randomFloats(columns, seed + 2);
  const [mean, rstd] = [new Float32Array(rows), new Float32Array(rows)];
  for (let row = 0; row < rows; row++) {
    const own = x.subarray(row * columns, (row + 1) * columns);
    let [sum, squares] = [0, 0];
    for (const value of own) sum += value;
    for (const value of own) squares += (value - sum / columns) ** 2;
    mean[row] = sum / columns;
    rstd[row] = 1 / Math.sqrt(squares / columns + 1e-5);
  }
  const programs = Math.min(rows, 256);
  const gradient = byRow(columns, (at, out) => {
    const first = at * columns;
    const [m, r] = [mean[at]!, rstd[at]!];
    let [c1, c2] = [0, 0];
    for (let i = 0; i < columns; i++) {
      const scaled = weight[i]! * dy[first + i]!;
      c1 += (((x[first + i]! - m) * r) / columns) * scaled;
      c2 += scaled / columns;
    }
    for (let i = 0; i < columns; i++)
      out[i] = (weight[i]! * dy[first + i]! - ((x[first + i]! - m) * r * c1 + c2)) * r;
  });
  return {
    name: `layer norm backward ${rows}×${columns}`,
    shape: { kind: 'ours' },
    inputs: [x, dy, weight, mean, rstd],
    output: rows * columns,
    outputType: 'f32',
    scratch: [programs * columns, programs * columns],
    bytes: 12 * rows * columns + 8 * programs * columns,
    flops: 14 * rows * columns,
    text: layerNormText,
    launches: configs.map(([warps = 8]) => ({
      what: `${warps} warps`,
      launch: [
        {
          kernel: 'layer_norm_backward_kernel',
          arguments: [
            ...[5, 1, 6, 7, 0, 2, 3, 4].map(f32),
            ...[columns, rows, columns].map(int),
            constexpr(powerOfTwo(columns)),
          ],
          numWarps: warps,
          grid: [programs, 1, 1],
        },
      ],
    })),
    shaders: [],
    close: 1e-4,
    error: sampled(some(rows * columns, 2 ** 18, seed + 3), gradient),
  };
}

/**
 * The most stretches into which a sequence's keys are split, each a program's; as in
 * `programs/decode.py`.
 */
const MOST_SPLITS = 8;
/**
 * Keys of a block, warps, splits; and the threads of a program, where they are not the compiler's
 * choice.
 */
const GPU_DECODE: Configs = [
  [64, 4, 2],
  [64, 4, 4],
  [64, 4, 8],
];
/** One subgroup: a barrier has nobody to wait for. */
const CPU_DECODE: Configs = [
  [16, 1, 2, 8],
  [32, 2, 2],
];

function decode(sequences: number, length: number, seed: number, configs: Configs): WorkItem {
  const [heads, group, dim, page] = [8, 4, 128, 16];
  const pagesARow = length / page;
  const pages = sequences * pagesARow;
  const q = randomHalves(sequences * heads * group * dim, seed);
  const [k, v] = [1, 2].map((i) => randomHalves(pages * page * heads * dim, seed + i));
  const table = shuffled(pages, seed + 3);
  const queries = sequences * heads * group;
  const scale = dim ** -0.5;
  const attended = byRow(dim, (query, out) => {
    const sequence = Math.floor(query / (heads * group));
    const head = Math.floor(query / group) % heads;
    const rowIn = (pool: Uint16Array<ArrayBuffer>, key: number): Float32Array<ArrayBuffer> => {
      const at = table[sequence * pagesARow + Math.floor(key / page)]! * page + (key % page);
      const first = (at * heads + head) * dim;
      return fromHalves(pool.subarray(first, first + dim));
    };
    attend(out, fromHalves(q.subarray(query * dim, (query + 1) * dim)), length, scale, {
      key: (j) => rowIn(k!, j),
      value: (j) => rowIn(v!, j),
    });
  });
  const inOnePiece = (pool: Uint16Array<ArrayBuffer>): Uint16Array<ArrayBuffer> => {
    const whole = new Uint16Array(pool.length);
    const size = page * heads * dim;
    table.forEach((at, i) => whole.set(pool.subarray(at * size, (at + 1) * size), i * size));
    return whole;
  };
  const shape = [heads, group, dim, page];
  return {
    name: `f16 paged decode ${sequences}×${heads * group}×${length}×${dim}`,
    shape: {
      kind: 'grouped decode',
      type: 'f16',
      texts: sequences,
      heads,
      group,
      length,
      dim,
    },
    inputs: [q, k!, v!, table, new Int32Array(sequences).fill(length)],
    peerInputs: () => [q, inOnePiece(k!), inOnePiece(v!)],
    output: queries * dim,
    outputType: 'f16',
    scratch: [queries * MOST_SPLITS * dim, queries * MOST_SPLITS * 2],
    bytes: 4 * pages * page * heads * dim,
    // Only the result's multiply-adds count; the dots compute four times as much.
    flops: 4 * queries * length * dim,
    text: decodeText,
    launches: configs.map(([bn = 64, warps = 4, splits = 4, threads]) => ({
      what: `keys by ${bn}, ${warps} warps, ${splits} splits`,
      ...(threads === undefined ? {} : { choices: { threads } }),
      launch: [
        {
          kernel: 'decode_kernel',
          arguments: [
            ...[0, 1, 2].map(f16),
            ...[3, 4].map(i32),
            ...[6, 7].map(f32),
            { float: scale },
            int(pagesARow),
            ...[...shape, splits, bn].map(constexpr),
          ],
          numWarps: warps,
          grid: [sequences, heads, splits],
        },
        {
          kernel: 'combine_kernel',
          arguments: [f32(6), f32(7), f16(5), constexpr(dim), constexpr(splits)],
          numWarps: 4,
          grid: [queries, 1, 1],
        },
      ],
    })),
    shaders: [],
    // Means of thousands of values: a result of a hundredth is a large one.
    close: 5e-4,
    error: sampled(wholeRows(queries, dim, 64, seed + 4), attended),
  };
}

/** The numbers from 0 on, in random order. */
