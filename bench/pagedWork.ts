/**
 * Decoding as the gallery's `paged_attention.py` does it: one query a text, against keys and values
 * in pages. The peers get the same keys and values in one piece, which spares them the table.
 */
import pagedText from '../public/examples/paged_attention.py';
import type { Target } from '../compiler/target';
import {
  attend,
  byRow,
  computesOnCpu,
  constexpr,
  f32,
  i32,
  int,
  randomFloats,
  sampled,
  shuffled,
  some,
  type Configs,
  type Floats,
  type WorkItem,
} from './work';

const PAGE = 16;
const DIM = 64;

/**
 * Keys of a block, warps, splits; and the threads of a program, where they are not the compiler's
 * choice.
 */
type Config = readonly [keys: number, warps: number, splits: number, threads?: number];
const GPU: readonly Config[] = [
  [32, 4, 4],
  [32, 4, 8],
  [16, 2, 8],
  [64, 4, 8],
];
/** A CPU has no programs in flight to fill, and few registers. */
const CPU: readonly Config[] = [
  [32, 4, 1],
  [16, 2, 1],
  [8, 1, 1],
  [4, 1, 1],
];

export function pagedAttention(
  texts: number,
  length: number,
  target: Target,
  seed: number,
  wanted?: Configs,
): WorkItem {
  const configs = (wanted as readonly Config[]) ?? (computesOnCpu(target) ? CPU : GPU);
  const pagesOfText = length / PAGE;
  const pages = texts * pagesOfText;
  const q = randomFloats(texts * DIM, seed);
  const [keys, values] = [1, 2].map((i) => randomFloats(texts * length * DIM, seed + i));
  const table = shuffled(pages, seed + 3);
  const pooled = (whole: Float32Array): Float32Array<ArrayBuffer> => {
    const pool = new Float32Array(whole.length);
    const size = PAGE * DIM;
    table.forEach((page, i) => pool.set(whole.subarray(i * size, (i + 1) * size), page * size));
    return pool;
  };
  const splits = Math.max(...configs.map(([, , each]) => each));
  const rowIn = (x: Floats, at: number): Floats => x.subarray(at * DIM, (at + 1) * DIM);
  const attended = byRow(DIM, (text, out) =>
    attend(out, rowIn(q, text), length, 1 / Math.sqrt(DIM), {
      key: (j) => rowIn(keys!, text * length + j),
      value: (j) => rowIn(values!, text * length + j),
    }),
  );
  return {
    name: `f32 paged decode ${texts}×${length}×${DIM}`,
    shape: { kind: 'decode', texts, length },
    inputs: [q, pooled(keys!), pooled(values!), table, new Int32Array(texts).fill(length)],
    peerInputs: () => [q, keys!, values!],
    output: texts * DIM,
    outputType: 'f32',
    scratch: [texts * splits, texts * splits, texts * splits * DIM],
    bytes: 8 * texts * length * DIM,
    flops: 4 * texts * length * DIM,
    text: pagedText,
    launches: configs.map(([block, warps, parts, threads]) => ({
      what: `keys by ${block}, ${warps} warps, ${parts} splits`,
      ...(threads === undefined ? {} : { choices: { threads } }),
      launch: [
        {
          kernel: 'split_kernel',
          arguments: [
            ...[0, 1, 2].map(f32),
            ...[3, 4].map(i32),
            ...[6, 7, 8].map(f32),
            ...[pagesOfText, parts].map(int),
            { float: DIM ** -0.5 },
            ...[DIM, block].map(constexpr),
          ],
          numWarps: warps,
          grid: [texts, parts, 1],
        },
        {
          kernel: 'merge_kernel',
          arguments: [...[6, 7, 8, 5].map(f32), ...[parts, DIM].map(constexpr)],
          numWarps: 4,
          grid: [texts, 1, 1],
        },
      ],
    })),
    shaders: [],
    close: 1e-4,
    error: sampled(some(texts * DIM, 4096, seed + 4), attended),
  };
}
