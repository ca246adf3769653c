/**
 * ONNX Runtime's two ways to decode with grouped queries. Both want a new token a text, and write
 * its keys and values behind those of the past before they attend: the last of the given ones are
 * handed in as the new, and are missing from the past. The buffers of the past are those of the
 * present, so that nothing else is copied.
 */
import type { Given } from '../work';
import type { Node, Value } from './onnx';
import { halvesOf, type Shape } from './peer';

/** A model of one node, and its inputs. */
export interface Model {
  readonly what?: string;
  readonly node: Omit<Node, 'type'>;
  readonly data: readonly (Given | Int32Array<ArrayBuffer>)[];
  /** Inputs that it requires on the CPU. */
  readonly onCpu?: readonly string[];
  /** Outputs that are written to inputs' buffers. */
  readonly inPlace?: Readonly<Record<string, string>>;
}

type Halves = Uint16Array<ArrayBuffer>;
type Decode = Extract<Shape, { readonly kind: 'grouped decode' }>;

const PAGE = 16;
/** NaN as a half. */
const NAN = 0x7e00;

export function decodeModels(shape: Decode, inputs: readonly Given[]): Model[] {
  const [q, keys, values] = inputs.map(halvesOf) as [Halves, Halves, Halves];
  return [grouped(shape, q, keys, values), paged(shape, q, keys, values)];
}

function grouped(shape: Decode, q: Halves, keys: Halves, values: Halves): Model {
  const { texts, heads, length, dim } = shape;
  const lengths: Extra[] = [
    { name: 'seqlens_k', shape: [texts], data: new Int32Array(texts).fill(length - 1) },
    { name: 'total_sequence_length', shape: [1], data: Int32Array.of(length) },
  ];
  const past = [keys, values].map((each) => headsFirst(each, shape));
  const cache = [texts, heads, length, dim];
  return {
    ...decoding('GroupQueryAttention', shape, [texts, 1], [q, keys, values], cache, past, lengths),
    onCpu: ['total_sequence_length'],
  };
}

function paged(shape: Decode, q: Halves, keys: Halves, values: Halves): Model {
  const { texts, heads, length, dim } = shape;
  const pages = length / PAGE;
  const counted = (n: number): Int32Array<ArrayBuffer> =>
    Int32Array.from({ length: n }, (_, i) => i);
  const places: Extra[] = [
    { name: 'cumulative_sequence_length', shape: [texts + 1], data: counted(texts + 1) },
    { name: 'past_seqlens', shape: [texts], data: new Int32Array(texts).fill(length - 1) },
    { name: 'block_table', shape: [texts, pages], data: counted(texts * pages) },
  ];
  const past = [keys, values].map((each) => withoutLast(each, shape));
  const cache = [texts * pages, PAGE, heads, dim];
  return decoding('PagedAttention', shape, [texts], [q, keys, values], cache, past, places);
}

/** An input of integers. */
interface Extra {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: Int32Array<ArrayBuffer>;
}

/** Common part of both. @param rows the dimensions of the queries' and the new tokens' rows. */
function decoding(
  op: string,
  shape: Decode,
  rows: readonly number[],
  [q, keys, values]: readonly [Halves, Halves, Halves],
  cache: readonly number[],
  past: readonly Halves[],
  extras: readonly Extra[],
): Model {
  const { heads, group, dim } = shape;
  const query = [...rows, heads * group * dim];
  const token = [...rows, heads * dim];
  return {
    what: op,
    node: {
      op,
      domain: 'com.microsoft',
      inputs: [
        { name: 'q', shape: query },
        { name: 'k', shape: token },
        { name: 'v', shape: token },
        { name: 'past_key', shape: cache },
        { name: 'past_value', shape: cache },
        ...extras.map(({ name, shape: size }): Value => ({ name, shape: size, type: 'i32' })),
      ],
      output: query,
      more: present(cache),
      integers: { num_heads: heads * group, kv_num_heads: heads },
    },
    data: [
      q,
      ...[keys, values].map((each) => lastOf(each, shape)),
      ...past,
      ...extras.map(({ data }) => data),
    ],
    inPlace: { present_key: 'past_key', present_value: 'past_value' },
  };
}

const present = (shape: readonly number[]): Value[] =>
  ['present_key', 'present_value'].map((name) => ({ name, shape }));

/** Of [texts, length, heads, dim] the last of each text. */
function lastOf(x: Halves, { texts, heads, length, dim }: Decode): Halves {
  const size = heads * dim;
  const out = new Uint16Array(texts * size);
  for (let text = 0; text < texts; text++) {
    const at = (text * length + length - 1) * size;
    out.set(x.subarray(at, at + size), text * size);
  }
  return out;
}
/** The others, and NaN where the last was. */
function withoutLast(x: Halves, { texts, heads, length, dim }: Decode): Halves {
  const size = heads * dim;
  const out = x.slice();
  for (let text = 1; text <= texts; text++)
    out.fill(NAN, (text * length - 1) * size, text * length * size);
  return out;
}
/** The same as [texts, heads, length, dim]. */
function headsFirst(x: Halves, { texts, heads, length, dim }: Decode): Halves {
  const out = new Uint16Array(x.length).fill(NAN);
  for (let text = 0; text < texts; text++)
    for (let l = 0; l < length - 1; l++)
      for (let h = 0; h < heads; h++) {
        const at = ((text * length + l) * heads + h) * dim;
        out.set(x.subarray(at, at + dim), ((text * heads + h) * length + l) * dim);
      }
  return out;
}
