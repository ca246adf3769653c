/**
 * List of the works: each with fresh random inputs, its reference in float64, our launches of the
 * programs' kernels (a few configurations, as an author would tune) and the hand-written WGSL (a
 * few variants). Buffers: the inputs, then the output at `output`.
 */
import attentionText from './programs/attention.py';
import layerNormText from './programs/layer_norm.py';
import matmulText from './programs/matmul.py';
import softmaxText from './programs/softmax.py';
import vectorAddText from './programs/vector_add.py';
import type { Choices } from '../compiler/4-distribute/index';
import type { Target } from '../compiler/target';
import { ATTENTION_VARIANTS, attentionWgsl, SMALL_VARIANTS } from './yardstick/attention';
import { halfMatmulShaders } from './yardstick/halfMatmul';
import { directMatmulWgsl, MATMUL_VARIANTS, matmulWgsl } from './yardstick/matmul';
import { layerNormWgsl, rowVariants, softmaxWgsl } from './yardstick/rows';
import { halfWorks, moreWorks } from './moreWorks';
import { attentionBackward } from './backwardWork';
import { pagedAttention } from './pagedWork';
import {
  attend,
  ELEMENTS,
  byRow,
  computesOnCpu,
  constexpr,
  f16,
  f32,
  int,
  powerOfTwo,
  randomFloats,
  randomTensor,
  sampled,
  some,
  wholeRows,
  type Configs,
  type Element,
  type Floats,
  type NamedWork,
  type WorkItem,
} from './work';
import { vectorAddWgsl } from './yardstick/vectorAdd';

function vectorAdd(n: number, seed: number): WorkItem {
  const [x, y] = [randomFloats(n, seed), randomFloats(n, seed + 1)];
  return {
    name: `vector add ${n}`,
    shape: { kind: 'vector add', n },
    inputs: [x, y],
    output: n,
    outputType: 'f32',
    scratch: [],
    bytes: 12 * n,
    flops: n,
    text: vectorAddText,
    launches: [1024, 4096].map((block) => ({
      what: `BLOCK ${block}`,
      launch: [
        {
          kernel: 'add_kernel',
          arguments: [f32(0), f32(1), f32(2), int(n), constexpr(block)],
          numWarps: 4,
          grid: [Math.ceil(n / block), 1, 1],
        },
      ],
    })),
    shaders: ([1, 2, 4] as const).map((each) => ({
      what: `${each} vec4 a thread`,
      ...vectorAddWgsl(n, each),
    })),
    close: 0,
    error: sampled({ all: n }, (i) => Math.fround(x[i]! + y[i]!)),
  };
}

/** Row by row of `x` in f64: `f` writes a row's results. */
function rowsOf(
  x: Floats,
  columns: number,
  f: (row: Floats, out: Float64Array) => void,
): (i: number) => number {
  return byRow(columns, (row, out) => f(x.subarray(row * columns, (row + 1) * columns), out));
}

function softmax(rows: number, columns: number, target: Target, seed: number): WorkItem {
  const x = randomFloats(rows * columns, seed);
  const block = powerOfTwo(columns);
  const expected = rowsOf(x, columns, (row, out) => {
    let high = -Infinity;
    for (const value of row) high = Math.max(high, value);
    let total = 0;
    row.forEach((value, i) => (total += out[i] = Math.exp(value - high)));
    for (let i = 0; i < columns; i++) out[i]! /= total;
  });
  return {
    name: `softmax ${rows}×${columns}`,
    shape: { kind: 'softmax', rows, columns },
    inputs: [x],
    output: rows * columns,
    outputType: 'f32',
    scratch: [],
    bytes: 8 * rows * columns,
    flops: 5 * rows * columns,
    text: softmaxText,
    launches: (block <= 2048 ? [2, 4] : [4, 8]).map((warps) => ({
      what: `${warps} warps`,
      launch: [
        {
          kernel: 'softmax_kernel',
          arguments: [f32(1), f32(0), int(columns), int(columns), constexpr(block)],
          numWarps: warps,
          grid: [rows, 1, 1],
        },
      ],
    })),
    shaders: rowVariants(columns, target.subgroupSize !== 'none', computesOnCpu(target)).map(
      (variant) => ({
        what: `${variant.threads} threads a row${variant.subgroups ? ', subgroups' : ''}`,
        buffers: [1, 0],
        ...softmaxWgsl(rows, columns, variant),
      }),
    ),
    close: 1e-6,
    error: sampled({ all: rows * columns }, expected),
  };
}

function layerNorm(rows: number, columns: number, target: Target, seed: number): WorkItem {
  const x = randomFloats(rows * columns, seed);
  const [weight, bias] = [randomFloats(columns, seed + 1), randomFloats(columns, seed + 2)];
  const block = powerOfTwo(columns);
  const expected = rowsOf(x, columns, (row, out) => {
    let [mean, squares] = [0, 0];
    for (const value of row) mean += value / columns;
    for (const value of row) squares += (value - mean) ** 2 / columns;
    const rstd = 1 / Math.sqrt(squares + 1e-5);
    row.forEach((value, i) => (out[i] = (value - mean) * rstd * weight[i]! + bias[i]!));
  });
  return {
    name: `layer norm ${rows}×${columns}`,
    shape: { kind: 'layer norm', rows, columns },
    inputs: [x, weight, bias],
    output: rows * columns,
    outputType: 'f32',
    scratch: [rows, rows],
    bytes: 8 * rows * columns + 8 * columns + 8 * rows,
    flops: 8 * rows * columns,
    text: layerNormText,
    launches: (block <= 2048 ? [2, 4] : [4, 8]).map((warps) => ({
      what: `${warps} warps`,
      launch: [
        {
          kernel: 'layer_norm_kernel',
          arguments: [
            ...[0, 3, 1, 2, 4, 5].map(f32),
            int(columns),
            int(columns),
            { float: 1e-5 },
            constexpr(block),
          ],
          numWarps: warps,
          grid: [rows, 1, 1],
        },
      ],
    })),
    shaders: rowVariants(columns, target.subgroupSize !== 'none', computesOnCpu(target)).map(
      (variant) => ({
        what: `${variant.threads} threads a row${variant.subgroups ? ', subgroups' : ''}`,
        buffers: [0, 3, 1, 2, 4, 5],
        ...layerNormWgsl(rows, columns, variant),
      }),
    ),
    close: 2e-5,
    error: sampled({ all: rows * columns }, expected),
  };
}

/** Few, long pieces of K. */
const DEEP = { kSlice: 32, predicatedPrefetch: false } as const;
type MatmulConfig = readonly [
  bm: number,
  bn: number,
  bk: number,
  warps: number,
  choices?: Partial<Choices>,
];

function matmul(
  [m, n, k]: readonly [number, number, number],
  type: Element,
  target: Target,
  quick: boolean,
  seed: number,
  wanted?: Configs,
): WorkItem {
  const [left, right] = [randomTensor(m * k, seed, type), randomTensor(k * n, seed + 1, type)];
  const [a, b] = [left.values, right.values];
  const { bytes, product, tensor, result } = ELEMENTS[type];
  const software = computesOnCpu(target);
  const configs: readonly MatmulConfig[] = quick
    ? [
        [32, 32, 64, 4],
        [32, 32, 128, 4],
        [64, 64, 64, 4],
      ]
    : type !== 'f32'
      ? [
          [128, 128, 32, 4],
          [128, 128, 64, 4],
          [128, 256, 32, 8],
          [256, 128, 32, 8],
          [64, 128, 32, 4],
        ]
      : [
          [64, 128, 16, 4],
          [128, 128, 16, 8],
          // As a tuner finds them: for 1024³, for odd sizes.
          [64, 128, 32, 4, { ...DEEP, sinkIntoEpilogue: false }],
          [64, 128, 32, 4, DEEP],
          [64, 128, 16, 4, { threads: 256, predicatedPrefetch: false }],
          [64, 128, 16, 4, { threads: 256 }],
          [64, 64, 16, 4, { threads: 256 }],
        ];
  const regular = m % 128 === 0 && n % 128 === 0 && k % 8 === 0;
  const staged = MATMUL_VARIANTS.map((variant) => ({
    what: `64×128×8 unrolled by ${variant.unroll}, ${variant.arrangement}`,
    wgsl: regular ? matmulWgsl([m, n, k], variant) : '',
    workgroups: [(m / 64) * (n / 128), 1, 1] as const,
  }));
  const direct = ([4, 8] as const).map((rows) => ({
    what: `${rows}×4 a thread, from storage`,
    ...directMatmulWgsl([m, n, k], rows, type),
  }));
  return {
    name: `${type} matmul ${m}×${n}×${k}`,
    shape: { kind: 'matmul', type, m, n, k },
    inputs: [left.data, right.data],
    peerInputs: () => [a, b],
    output: m * n,
    outputType: product,
    scratch: [],
    bytes: bytes * (m * k + k * n) + (product === 'f16' ? 2 : 4) * m * n,
    flops: 2 * m * n * k,
    text: matmulText,
    launches: ((wanted as readonly MatmulConfig[] | undefined) ?? configs).map(
      ([bm, bn, bk, warps, choices]) => ({
        what: `${bm}×${bn}×${bk}, ${warps} warps`,
        ...(choices ? { choices } : {}),
        launch: [
          {
            kernel: 'matmul_kernel',
            arguments: [
              ...[tensor(0), tensor(1), result(2)],
              ...[m, n, k].map(int),
              ...[bm, bn, bk].map(constexpr),
              constexpr(m % bm === 0 && n % bn === 0 && k % bk === 0),
              constexpr(type === 'i8'),
            ],
            numWarps: warps,
            grid: [Math.ceil(m / bm) * Math.ceil(n / bn), 1, 1],
          },
        ],
      }),
    ),
    shaders:
      type === 'f16' && target.subgroupMatrices.length > 0
        ? halfMatmulShaders([m, n, k], target)
        : !regular
          ? []
          : type !== 'f32'
            ? direct
            : software
              ? [...direct, ...staged.slice(0, 1)]
              : [...staged, ...direct],
    // Halves of numbers around 6 √k are up to 2⁻¹⁰ of them apart; sums of integers are exact.
    close: type === 'i8' ? 0 : (type === 'f16' ? 8e-3 : 1e-4) * Math.sqrt(k),
    error: sampled(some(m * n, 8192, seed + 2), (i) => {
      const [row, column] = [Math.floor(i / n), i % n];
      let sum = 0;
      for (let j = 0; j < k; j++) sum += a[row * k + j]! * b[j * n + column]!;
      return sum;
    }),
  };
}

const DIM = 64;
type AttentionConfig = readonly [bm: number, bn: number, choices?: Partial<Choices>];

function attention(
  [heads, group]: readonly [number, number],
  length: number,
  causal: boolean,
  type: Exclude<Element, 'i8'>,
  target: Target,
  quick: boolean,
  seed: number,
  wanted?: Configs,
): WorkItem {
  const tensors = [heads, heads / group, heads / group].map((each, i) =>
    randomTensor(each * length * DIM, seed + i, type),
  );
  const [q, k, v] = tensors.map(({ values }) => values) as [Floats, Floats, Floats];
  const tensor = type === 'f16' ? f16 : f32;
  const configs: readonly AttentionConfig[] = quick
    ? [
        [32, 32],
        [64, 32],
      ]
    : type === 'f16'
      ? [
          [64, 64, { predicatedPrefetch: true }],
          [64, 64, { predicatedPrefetch: true, warpSlabs: false }],
          [64, 64, { warpSlabs: false }],
          [128, 64, { predicatedPrefetch: true }],
          [128, 64],
          [128, 32],
        ]
      : [
          [64, 32],
          [64, 64],
          [64, 64, { threads: 128 }],
          [128, 64, { threads: 256, kSlice: 32, unroll: 16 }],
          [128, 64, { threads: 256, kSlice: 32, unroll: 16, prefetchRegisters: 64 }],
          [128, 64, { threads: 256, kSlice: 32, unroll: 32, prefetchRegisters: 64 }],
        ];
  const rowIn = (x: Floats, at: number): Floats => x.subarray(at * DIM, (at + 1) * DIM);
  const expected = byRow(DIM, (query, out) => {
    const base = Math.floor(query / length / group) * length;
    const keys = causal ? (query % length) + 1 : length;
    attend(out, rowIn(q, query), keys, 1 / Math.sqrt(DIM), {
      key: (j) => rowIn(k, base + j),
      value: (j) => rowIn(v, base + j),
    });
  });
  return {
    name: attentionName(type, [heads, group], length, causal),
    shape: { kind: 'attention', type, heads, group, length, causal },
    inputs: tensors.map(({ data }) => data),
    peerInputs: () => [q, k, v],
    output: heads * length * DIM,
    outputType: type,
    scratch: [],
    bytes: (type === 'f16' ? 4 : 8) * (heads + heads / group) * length * DIM,
    flops: (4 * heads * length * length * DIM) / (causal ? 2 : 1),
    text: attentionText,
    launches: ((wanted as readonly AttentionConfig[] | undefined) ?? configs).map(
      ([bm, bn, choices]) => ({
        what: `${bm}×${bn}`,
        ...(choices ? { choices } : {}),
        launch: [
          {
            kernel: 'attention_kernel',
            arguments: [
              ...[0, 1, 2, 3].map(tensor),
              { float: 0.125 },
              int(length),
              ...[DIM, bm, bn].map(constexpr),
              constexpr(causal),
              constexpr(group),
            ],
            numWarps: 4,
            grid: [length / bm, heads, 1],
          },
        ],
      }),
    ),
    shaders:
      type === 'f16' || group > 1
        ? []
        : (computesOnCpu(target) ? SMALL_VARIANTS : ATTENTION_VARIANTS).map((variant) => ({
            what:
              `${variant.threads} queries, ${variant.staged ? 'staged' : 'from storage'}, ` +
              `keys by ${variant.block}`,
            ...attentionWgsl(heads, length, causal, variant),
          })),
    // Scores are of halves rounded again by the scale; rows of a few keys average little of that
    // out.
    close: type === 'f16' ? 4e-3 : 1e-4,
    error: sampled(wholeRows(heads * length, DIM, 512, seed + 3), expected),
  };
}

function attentionName(
  type: Element,
  [heads, group]: readonly [number, number],
  length: number,
  causal: boolean,
): string {
  const what = group > 1 ? `grouped attention ${heads}÷${group}` : `attention ${heads}`;
  return `${type} ${what}×${length}×${DIM}${causal ? ' causal' : ''}`;
}

/**
 * `seed` makes the inputs. With `more`, those that a software adapter is spared otherwise.
 * `configs`: in place of the works' own, for a sweep of works of one kind.
 */
export function works(
  target: Target,
  quick: boolean,
  seed: number,
  more: boolean,
  configs?: Configs,
): NamedWork[] {
  const list: NamedWork[] = [];
  const add = (name: string, make: () => WorkItem): void => void list.push({ name, make });
  const rows = quick ? 1024 : 8192;
  const columns = quick ? 1024 : 4096;
  const count = quick ? 2 ** 20 : 2 ** 26;
  add(`vector add ${count}`, () => vectorAdd(count, seed));
  add(`softmax ${rows}×${columns}`, () => softmax(rows, columns, target, seed));
  add(`layer norm ${rows}×${columns}`, () => layerNorm(rows, columns, target, seed));
  const matmuls = (type: Element): void => {
    for (const shape of quick ? SMALL_MATMULS : MATMULS)
      if (type === 'f32' || shape.every((size) => size % 256 === 0))
        add(`${type} matmul ${shape.join('×')}`, () =>
          matmul(shape, type, target, quick, seed, configs),
        );
  };
  const [heads, tokens] = quick ? ([4, 256] as const) : ([128, 1024] as const);
  const attentions = (type: Exclude<Element, 'i8'>): void => {
    const some: (readonly [group: number, causal: boolean])[] = [
      [1, false],
      [1, true],
    ];
    // Its peers have grouped queries with a mask alone.
    if (type === 'f16') some.push([4, true]);
    for (const [group, causal] of some)
      add(attentionName(type, [heads, group], tokens, causal), () =>
        attention([heads, group], tokens, causal, type, target, quick, seed, configs),
      );
  };
  const gradients = (type: Exclude<Element, 'i8'>): void => {
    for (const causal of [false, true])
      add(`${type} attention backward ${heads}×${tokens}×${DIM}${causal ? ' causal' : ''}`, () =>
        attentionBackward(heads, tokens, causal, type, quick, seed, configs),
      );
  };
  matmuls('f32');
  attentions('f32');
  const [texts, length] = quick ? [16, 512] : [64, 4096];
  add(`f32 paged decode ${texts}×${length}×${DIM}`, () =>
    pagedAttention(texts!, length!, target, seed, configs),
  );
  if (more) {
    list.push(...moreWorks(quick, seed, configs));
    gradients('f32');
    if (target.f16) {
      matmuls('f16');
      attentions('f16');
      gradients('f16');
      list.push(...halfWorks(target, quick, seed, configs));
    }
    matmuls('i8');
  }
  return list;
}
const SMALL_MATMULS = [[256, 256, 256]] as const;
const MATMULS = [
  [4096, 4096, 4096],
  [1024, 1024, 1024],
  [8192, 4096, 1024],
  [8192, 1024, 4096],
  [1000, 1003, 997],
] as const;
