/**
 * The gradients of attention. The rows' sums and outputs that a forward pass leaves are numbers as
 * a forward pass would leave them, made at random: the gradients are defined by them, and computing
 * them takes float64 long.
 */
import backwardText from './programs/attention_backward.py';
import type { Choices } from '../compiler/4-distribute/index';
import {
  byRow,
  constexpr,
  f16,
  f32,
  int,
  randomFloats,
  randomTensor,
  sampled,
  tensorOf,
  wholeRows,
  type Configs,
  type Element,
  type Floats,
  type WorkItem,
} from './work';

const DIM = 64;
/** Rows of a program that sums each row's products. */
const ROWS = 32;
/** Work of the keys' and values' kernel, and of the queries'. */
type BackwardConfig = readonly [
  dkvQueries: number,
  dkvKeys: number,
  dqQueries: number,
  dqKeys: number,
  choices?: Partial<Choices>,
];

export function attentionBackward(
  heads: number,
  length: number,
  causal: boolean,
  type: Exclude<Element, 'i8'>,
  quick: boolean,
  seed: number,
  wanted?: Configs,
): WorkItem {
  const tensors = [0, 1, 2, 3].map((i) => randomTensor(heads * length * DIM, seed + i, type));
  const [q, k, v, dout] = tensors.map(({ values }) => values) as [Floats, Floats, Floats, Floats];
  const tensor = type === 'f16' ? f16 : f32;
  // Means of so many values, and logarithms of sums of so many exponentials.
  const seen = (row: number): number => (causal ? (row % length) + 1 : length);
  const means = randomFloats(heads * length * DIM, seed + 4).map(
    (x, i) => x / Math.sqrt(seen(Math.floor(i / DIM))),
  );
  const { data: outData, values: out } = tensorOf(means, type);
  const lse = randomFloats(heads * length, seed + 5).map(
    (x, row) => Math.log(seen(row)) + 0.5 + x / 20,
  );
  const scale = 1 / Math.sqrt(DIM);
  const rowIn = (x: Floats, at: number): Floats => x.subarray(at * DIM, (at + 1) * DIM);
  const product = (a: Floats, b: Floats): number => {
    let sum = 0;
    for (let d = 0; d < DIM; d++) sum += a[d]! * b[d]!;
    return sum;
  };
  /** A probability, and the gradient of its score. */
  const at = (query: number, key: number, delta: number): readonly [number, number] => {
    const p = Math.exp(product(rowIn(q, query), rowIn(k, key)) * scale - lse[query]!);
    return [p, p * (product(rowIn(dout, query), rowIn(v, key)) - delta)];
  };
  const deltaOf = (query: number): number => product(rowIn(out, query), rowIn(dout, query));
  // Rows of the result: of a head, all queries', then keys', then values'.
  const expected = byRow(DIM, (row, gradient) => {
    const first = Math.floor(row / (3 * length)) * length;
    const own = first + (row % length);
    const which = Math.floor(row / length) % 3;
    gradient.fill(0);
    const add = (x: Floats, other: number, factor: number): void => {
      for (let d = 0; d < DIM; d++) gradient[d]! += factor * x[other * DIM + d]!;
    };
    if (which === 0) {
      const delta = deltaOf(own);
      for (let key = first; key < first + seen(own); key++)
        add(k, key, at(own, key, delta)[1] * scale);
    } else {
      for (let query = causal ? own : first; query < first + length; query++) {
        const [p, ds] = at(query, own, deltaOf(query));
        if (which === 1) add(q, query, ds * scale);
        else add(dout, query, p);
      }
    }
  });
  const configs: readonly BackwardConfig[] = quick
    ? [
        [32, 32, 32, 32],
        [32, 64, 64, 32],
      ]
    : type === 'f16'
      ? [
          [64, 64, 64, 64, { mergeBoundsGuards: true, nonAliasedScratch: false, warpSlabs: false }],
          [64, 128, 128, 64, { mergeBoundsGuards: true, clusterLoads: true }],
        ]
      : [
          [64, 64, 64, 64, { threads: 256 }],
          [32, 64, 64, 32, { kSlice: 16 }],
        ];
  const common = [0, 1, 2, 3, 5, 7, 6].map((i) => (i === 5 || i === 7 ? f32(i) : tensor(i)));
  return {
    name: `${type} attention backward ${heads}×${length}×${DIM}${causal ? ' causal' : ''}`,
    shape: { kind: 'ours' },
    inputs: [...tensors.map(({ data }) => data), outData, lse],
    output: 3 * heads * length * DIM,
    outputType: type,
    scratch: [heads * length],
    bytes: (type === 'f16' ? 16 : 32) * heads * length * DIM,
    // Five products, as is usual to count; with two kernels seven are computed.
    flops: (10 * heads * length * length * DIM) / (causal ? 2 : 1),
    text: backwardText,
    launches: ((wanted as readonly BackwardConfig[] | undefined) ?? configs).map(
      ([dkvQueries, dkvKeys, dqQueries, dqKeys, choices]) => ({
        what: `${dkvQueries}×${dkvKeys} and ${dqQueries}×${dqKeys}`,
        ...(choices ? { choices } : {}),
        launch: [
          {
            kernel: 'delta_kernel',
            arguments: [tensor(4), tensor(3), f32(7), ...[DIM, ROWS].map(constexpr)],
            numWarps: 4,
            grid: [(heads * length) / ROWS, 1, 1],
          },
          ...(
            [
              ['dkv_kernel', dkvQueries, dkvKeys, length / dkvKeys],
              ['dq_kernel', dqQueries, dqKeys, length / dqQueries],
            ] as const
          ).map(([kernel, queries, keys, programs]) => ({
            kernel,
            arguments: [
              ...common,
              { float: scale },
              int(length),
              ...[DIM, queries, keys].map(constexpr),
              constexpr(causal),
            ],
            numWarps: 4,
            grid: [programs, heads, 1] as const,
          })),
        ],
      }),
    ),
    shaders: [],
    // Gradients of the first rows under a mask are of few terms, each as large as its inputs.
    close: type === 'f16' ? 5e-2 : 2e-4,
    error: sampled(wholeRows(3 * heads * length, DIM, 384, seed + 6), expected),
  };
}
