/**
 * Definition of a work that is compared, and of its inputs and references: random numbers,
 * arguments of launches, checks against float64.
 */
import type { Choices } from '../compiler/4-distribute/index';
import { machineOf, type Target } from '../compiler/target';
import type { Numbers } from './device';
import { fromHalves, toHalves } from './halves';
import type { Launch } from './ours';
import type { Argument } from './specialize';

/** Description of a work for a peer. */
export type Shape =
  | { readonly kind: 'vector add'; readonly n: number }
  | { readonly kind: 'softmax' | 'layer norm'; readonly rows: number; readonly columns: number }
  | {
      readonly kind: 'matmul';
      readonly type: Element;
      readonly m: number;
      readonly n: number;
      readonly k: number;
    }
  | {
      readonly kind: 'attention';
      readonly type: Element;
      /** Heads of queries; each of keys and values is shared by `group` of them. */
      readonly heads: number;
      readonly group: number;
      readonly length: number;
      readonly causal: boolean;
    }
  /** One query a text, one head. */
  | { readonly kind: 'decode'; readonly texts: number; readonly length: number }
  /** One query a text; `group` heads of queries for each of `heads` of keys and values. */
  | {
      readonly kind: 'grouped decode';
      readonly type: 'f16';
      readonly texts: number;
      readonly heads: number;
      readonly group: number;
      readonly length: number;
      readonly dim: number;
    }
  /** Works that peers skip. */
  | { readonly kind: 'ours' };

export type Floats = Float32Array<ArrayBuffer>;
/** Numbers, or halves as their bits. */
export type Given = Floats | Uint16Array<ArrayBuffer>;

export interface Shader {
  readonly what: string;
  readonly wgsl: string;
  readonly workgroups: readonly [number, number, number];
  /** Which of the buffers it binds, in order; all where absent. */
  readonly buffers?: readonly number[];
}

/** A way to launch ours; with choices of distribution, as the author's tuning would find them. */
export interface Candidate {
  readonly what: string;
  readonly launch: readonly Launch[];
  readonly choices?: Partial<Choices>;
}

export interface WorkItem {
  readonly name: string;
  readonly shape: Shape;
  readonly inputs: readonly Numbers[];
  /** Inputs of peers, made on demand; ours where absent. Numbers of f16 are halves already. */
  readonly peerInputs?: () => readonly Given[];
  /** Elements of the output, and of scratch buffers behind it, which are f32. */
  readonly output: number;
  readonly outputType: 'f32' | 'f16' | 'i32';
  readonly scratch: readonly number[];
  readonly bytes: number;
  readonly flops: number;
  readonly text: string;
  /** Buffers: inputs, the output, scratch. */
  readonly launches: readonly Candidate[];
  readonly shaders: readonly Shader[];
  /**
   * The largest error that is right, and the largest that `out` has; NaN where one was not written.
   */
  readonly close: number;
  error(out: Floats): number;
}

export const f16 = (buffer: number): Argument => ({ tensor: 'float16', buffer });
export const f32 = (buffer: number): Argument => ({ tensor: 'float32', buffer });
export const i8 = (buffer: number): Argument => ({ tensor: 'int8', buffer });
export const i32 = (buffer: number): Argument => ({ tensor: 'int32', buffer });
export const int = (value: number): Argument => ({ int: value });
export const constexpr = (value: number | boolean): Argument => ({ constexpr: value });

/** Whether the adapter is a driver that computes on the CPU. */
export const computesOnCpu = (target: Target): boolean => machineOf(target).computesOn === 'cpu';

export const powerOfTwo = (n: number): number => 2 ** Math.ceil(Math.log2(n));

/** Normal-ish numbers, of a generator (mulberry32) that starts anywhere. */
export function randomFloats(count: number, seed: number): Floats {
  let state = seed >>> 0;
  const out = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    const bits = (mixed ^ (mixed >>> 14)) >>> 0;
    // The sum of three uniform numbers.
    out[i] = ((bits & 1023) + ((bits >>> 10) & 1023) + ((bits >>> 20) & 1023)) / 512 - 2.997;
  }
  return out;
}

/** The numbers below `count` in a random order. */
export function shuffled(count: number, seed: number): Int32Array<ArrayBuffer> {
  const keys = randomFloats(count, seed);
  const order = Array.from({ length: count }, (_, i) => i).sort((a, b) => keys[a]! - keys[b]!);
  return Int32Array.from(order);
}

/**
 * The largest difference of `expected`, which is of all elements, or of those `at`; NaN where `out`
 * has one.
 */
export function worst(out: Floats, expected: Float64Array, at?: Int32Array): number {
  // Plain loops: there may be a hundred million elements, and a check goes before each variant's
  // time.
  for (let i = 0; i < out.length; i++) if (Number.isNaN(out[i]!)) return NaN;
  let most = 0;
  for (let i = 0; i < expected.length; i++) {
    const difference = Math.abs(out[at ? at[i]! : i]! - expected[i]!);
    if (!(difference <= most)) most = difference;
  }
  return most;
}
/** About `count` of `all`, at another place in every stretch. */
export function* some(all: number, count: number, seed: number): Iterable<number> {
  const stretch = Math.max(1, Math.floor(all / count));
  const shift = randomFloats(Math.ceil(all / stretch), seed);
  let i = 0;
  for (let start = 0; start < all; start += stretch) {
    const at = start + Math.floor(((shift[i++]! + 3) / 6) * stretch);
    yield Math.min(all - 1, at);
  }
}

/** The check of some elements, or of all `count`: what is expected is computed once. */
export function sampled(
  at: Iterable<number> | { readonly all: number },
  expected: (i: number) => number,
): (out: Floats) => number {
  let known: Float64Array | undefined;
  let places: Int32Array | undefined;
  return (out) => {
    if (!known) {
      if ('all' in at) {
        known = new Float64Array(at.all);
        for (let i = 0; i < known.length; i++) known[i] = expected(i);
      } else {
        places = Int32Array.from(at);
        known = Float64Array.from(places, expected);
      }
    }
    return worst(out, known, places);
  };
}

/** A tile's element type in a work's name and in its buffers. */
export type Element = 'f32' | 'f16' | 'i8';
/** Type of tensors, and of the sums of their products. */
export const ELEMENTS = {
  f32: { bytes: 4, product: 'f32', tensor: f32, result: f32 },
  f16: { bytes: 2, product: 'f16', tensor: f16, result: f16 },
  i8: { bytes: 1, product: 'i32', tensor: i8, result: i32 },
} as const;

/** Random numbers as the buffers have them, and as the reference reads them. */
export function randomTensor(
  count: number,
  seed: number,
  type: Element,
): { data: Numbers; values: Floats } {
  const values = randomFloats(count, seed);
  if (type !== 'i8') return tensorOf(values, type);
  const data = Int8Array.from(values, (x) => Math.round(x * 42));
  return { data, values: Float32Array.from(data) };
}
/** Numbers as the buffers have them, and as the reference reads them. */
export function tensorOf(
  values: Floats,
  type: Exclude<Element, 'i8'>,
): { data: Numbers; values: Floats } {
  if (type === 'f32') return { data: values, values };
  const data = toHalves(values);
  return { data, values: fromHalves(data) };
}

/** Expected rows of `columns`, each computed when the first of its elements is read. */
export function byRow(
  columns: number,
  write: (row: number, out: Float64Array) => void,
): (i: number) => number {
  const out = new Float64Array(columns);
  let known = -1;
  return (i) => {
    const row = Math.floor(i / columns);
    if (row !== known) write(row, out);
    known = row;
    return out[i % columns]!;
  };
}
/** All elements of some of the rows. */
export function* wholeRows(
  rows: number,
  columns: number,
  count: number,
  seed: number,
): Iterable<number> {
  for (const row of some(rows, count, seed))
    for (let i = 0; i < columns; i++) yield row * columns + i;
}

/** Attention of one query in f64, written to `out`; its scores are multiplied by `scale`. */
export function attend(
  out: Float64Array,
  query: Floats,
  keys: number,
  scale: number,
  row: { key(j: number): Floats; value(j: number): Floats },
): void {
  const scores = Float64Array.from({ length: keys }, (_, j) => {
    const key = row.key(j);
    let sum = 0;
    for (let d = 0; d < out.length; d++) sum += query[d]! * key[d]!;
    return sum * scale;
  });
  const high = scores.reduce((a, b) => Math.max(a, b), -Infinity);
  let total = 0;
  out.fill(0);
  scores.forEach((score, j) => {
    const p = Math.exp(score - high);
    total += p;
    const value = row.value(j);
    for (let d = 0; d < out.length; d++) out[d]! += p * value[d]!;
  });
  for (let d = 0; d < out.length; d++) out[d]! /= total;
}

/** Tiles, warps and the like, in the order of the work's own: in place of its own, for a sweep. */
export type Configs = readonly (readonly number[])[];
/** A work that is made when its turn comes, because it holds its inputs. */
export interface NamedWork {
  readonly name: string;
  make(): WorkItem;
}
