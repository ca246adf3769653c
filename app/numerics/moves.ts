/**
 * Elements moved as bits, whatever their dtype: strided copies, and picking by position. The loops
 * know three widths of words only, so that each stays compiled for them; 8 bytes are two words.
 */
import type { Values } from './dtypes';

type Words = Uint8Array | Uint16Array | Uint32Array;

/** The elements as words: one each, two where an element has 8 bytes. */
function wordsOf(values: Values): Words {
  const { buffer, byteOffset, length } = values;
  switch (values.BYTES_PER_ELEMENT) {
    case 1:
      return new Uint8Array(buffer, byteOffset, length);
    case 2:
      return new Uint16Array(buffer, byteOffset, length);
    case 4:
      return new Uint32Array(buffer, byteOffset, length);
    default:
      return new Uint32Array(buffer, byteOffset, length * 2);
  }
}

/** Strides and offset of a window, in elements. */
export interface Place {
  readonly strides: readonly number[];
  readonly offset: number;
}

interface Axes {
  readonly sizes: number[];
  readonly from: number[];
  readonly to: number[];
}

/** Neighbouring dimensions that both sides walk evenly become one. */
function merged(sizes: readonly number[], from: Place, to: Place): Axes {
  const axes: Axes = { sizes: [], from: [], to: [] };
  sizes.forEach((size, axis) => {
    if (size === 1) return;
    const a = from.strides[axis]!;
    const b = to.strides[axis]!;
    const last = axes.sizes.length - 1;
    if (last >= 0 && axes.from[last] === a * size && axes.to[last] === b * size) {
      axes.sizes[last]! *= size;
      axes.from[last] = a;
      axes.to[last] = b;
    } else {
      axes.sizes.push(size);
      axes.from.push(a);
      axes.to.push(b);
    }
  });
  while (axes.sizes.length < 2) {
    axes.sizes.unshift(1);
    axes.from.unshift(0);
    axes.to.unshift(0);
  }
  return axes;
}

/** Rows and columns of a tile: both sides' lines of a transposition stay in the cache. */
const TILE = 32;

/** Copies a window of `source` to one of `target`, of the same sizes and width of elements. */
export function move(
  source: Values,
  from: Place,
  target: Values,
  to: Place,
  sizes: readonly number[],
): void {
  if (sizes.includes(0)) return;
  const axes = merged(sizes, from, to);
  const outer = axes.sizes.length - 2;
  const [rows, columns] = [axes.sizes[outer]!, axes.sizes[outer + 1]!];
  const [a0, a1] = [axes.from[outer]!, axes.from[outer + 1]!];
  const [b0, b1] = [axes.to[outer]!, axes.to[outer + 1]!];
  const wide = source.BYTES_PER_ELEMENT === 8;
  const x = wordsOf(source);
  const y = wordsOf(target);
  const even = a1 === 1 && b1 === 1;
  const scale = wide ? 2 : 1;
  const at = axes.sizes.map(() => 0);
  for (let a = from.offset, b = to.offset; ;) {
    if (even && columns > 16)
      rowsOf(x, a * scale, a0 * scale, y, b * scale, b0 * scale, rows, columns * scale);
    else if (wide)
      tilesOfPairs(x as Uint32Array, a, a0, a1, y as Uint32Array, b, b0, b1, rows, columns);
    else tiles(x, a, a0, a1, y, b, b0, b1, rows, columns);
    let axis = outer - 1;
    for (; axis >= 0; axis--) {
      a += axes.from[axis]!;
      b += axes.to[axis]!;
      if (++at[axis]! < axes.sizes[axis]!) break;
      a -= axes.from[axis]! * axes.sizes[axis]!;
      b -= axes.to[axis]! * axes.sizes[axis]!;
      at[axis] = 0;
    }
    if (axis < 0) return;
  }
}

function rowsOf(
  x: Words,
  a: number,
  a0: number,
  y: Words,
  b: number,
  b0: number,
  rows: number,
  length: number,
): void {
  for (let r = 0; r < rows; r++) {
    const start = a + r * a0;
    y.set(x.subarray(start, start + length), b + r * b0);
  }
}

function tiles(
  x: Words,
  a: number,
  a0: number,
  a1: number,
  y: Words,
  b: number,
  b0: number,
  b1: number,
  rows: number,
  columns: number,
): void {
  for (let r0 = 0; r0 < rows; r0 += TILE)
    for (let c0 = 0; c0 < columns; c0 += TILE) {
      const r1 = Math.min(rows, r0 + TILE);
      const c1 = Math.min(columns, c0 + TILE);
      for (let r = r0; r < r1; r++) {
        let i = a + r * a0 + c0 * a1;
        let j = b + r * b0 + c0 * b1;
        for (let c = c0; c < c1; c++, i += a1, j += b1) y[j] = x[i]!;
      }
    }
}

function tilesOfPairs(
  x: Uint32Array,
  a: number,
  a0: number,
  a1: number,
  y: Uint32Array,
  b: number,
  b0: number,
  b1: number,
  rows: number,
  columns: number,
): void {
  for (let r0 = 0; r0 < rows; r0 += TILE)
    for (let c0 = 0; c0 < columns; c0 += TILE) {
      const r1 = Math.min(rows, r0 + TILE);
      const c1 = Math.min(columns, c0 + TILE);
      for (let r = r0; r < r1; r++) {
        let i = 2 * (a + r * a0 + c0 * a1);
        let j = 2 * (b + r * b0 + c0 * b1);
        for (let c = c0; c < c1; c++, i += 2 * a1, j += 2 * b1) {
          y[j] = x[i]!;
          y[j + 1] = x[i + 1]!;
        }
      }
    }
}

/** Runs of `inner` elements from the places `starts`, one after the other. */
export function pick(source: Values, starts: Float64Array, inner: number, out: Values): void {
  const wide = source.BYTES_PER_ELEMENT === 8;
  const x = wordsOf(source);
  const y = wordsOf(out);
  if (wide && inner === 1) return pickPairs(x as Uint32Array, starts, y as Uint32Array);
  const length = wide ? inner * 2 : inner;
  const scale = wide ? 2 : 1;
  if (length === 1) for (let i = 0; i < starts.length; i++) y[i] = x[starts[i]!]!;
  else if (length < 32)
    for (let i = 0; i < starts.length; i++) {
      const start = starts[i]! * scale;
      for (let j = 0; j < length; j++) y[i * length + j] = x[start + j]!;
    }
  else
    for (let i = 0; i < starts.length; i++) {
      const start = starts[i]! * scale;
      y.set(x.subarray(start, start + length), i * length);
    }
}

function pickPairs(x: Uint32Array, starts: Float64Array, y: Uint32Array): void {
  for (let i = 0; i < starts.length; i++) {
    const start = 2 * starts[i]!;
    y[2 * i] = x[start]!;
    y[2 * i + 1] = x[start + 1]!;
  }
}

/**
 * One element of `source` for each index below `size`, negative ones from the end. The words of
 * the indices are read, not BigInts.
 * @returns false where an index is out of bounds; what `out` holds is nothing then.
 */
export function pickAt(source: Values, list: BigInt64Array, size: number, out: Values): boolean {
  const words = new Int32Array(list.buffer, list.byteOffset, list.length * 2);
  const x = wordsOf(source);
  const y = wordsOf(out);
  const wide = source.BYTES_PER_ELEMENT === 8;
  return wide
    ? pickPairsAt(x as Uint32Array, words, size, y as Uint32Array)
    : pickWordsAt(x, words, size, y);
}

function pickWordsAt(x: Words, words: Int32Array, size: number, y: Words): boolean {
  let bad = 0;
  for (let i = 0; i < y.length; i++) {
    const low = words[2 * i]!;
    const at = low + (low < 0 ? size : 0);
    bad |= at | (size - 1 - at);
    y[i] = x[at]!;
  }
  return bad >= 0 && wellFormed(words, y.length);
}

function pickPairsAt(x: Uint32Array, words: Int32Array, size: number, y: Uint32Array): boolean {
  let bad = 0;
  const n = y.length / 2;
  for (let i = 0; i < n; i++) {
    const low = words[2 * i]!;
    const at = low + (low < 0 ? size : 0);
    bad |= at | (size - 1 - at);
    y[2 * i] = x[2 * at]!;
    y[2 * i + 1] = x[2 * at + 1]!;
  }
  return bad >= 0 && wellFormed(words, n);
}

/** Whether each index fits a word. */
function wellFormed(words: Int32Array, n: number): boolean {
  let bad = 0;
  for (let i = 0; i < n; i++) bad |= words[2 * i + 1]! ^ (words[2 * i]! >> 31);
  return bad === 0;
}
