/**
 * Operations of whole tiles that are more than index lists: dot, histogram, gather, and reading an
 * axis pairwise for reductions.
 */
import type { Tile } from './tile';
import { bigElements, elementAt, rounderOf, setElement } from './tile';

/**
 * acc + a · b, batched. Products and sums are in double precision and the result is rounded once, to
 * the accumulator's type: at least as exact as any order of f32 additions on a GPU. Integers wrap.
 */
export function dotStep(
  [batch, m, n, k]: readonly [number, number, number, number],
  a: Tile,
  b: Tile,
  acc: Tile,
  out: Tile,
): () => void {
  if (out.dtype === 'i64') throw new Error('tt.dot of i64');
  const row = new Float64Array(n);
  const round = rounderOf(out.dtype, out.data);
  const [x, y, z, o] = [a.data, b.data, acc.data, out.data];
  return () => {
    for (let r = 0; r < batch * m; r++) {
      const bStart = Math.floor(r / m) * k * n;
      for (let j = 0; j < n; j++) row[j] = z[r * n + j]!;
      let p = 0;
      for (; p + 3 < k; p += 4) {
        const [a0, a1] = [x[r * k + p]!, x[r * k + p + 1]!];
        const [a2, a3] = [x[r * k + p + 2]!, x[r * k + p + 3]!];
        const b0 = bStart + p * n;
        for (let j = 0; j < n; j++) {
          const q = b0 + j;
          row[j] =
            row[j]! + a0 * y[q]! + a1 * y[q + n]! + (a2 * y[q + 2 * n]! + a3 * y[q + 3 * n]!);
        }
      }
      for (; p < k; p++) {
        const a0 = x[r * k + p]!;
        const b0 = bStart + p * n;
        for (let j = 0; j < n; j++) row[j] = row[j]! + a0 * y[b0 + j]!;
      }
      // Integer sums are exact below 2⁵³, and wrap by being stored.
      for (let j = 0; j < n; j++) o[r * n + j] = row[j]!;
    }
    round?.(out.count);
  };
}

/** Counts of 0 … bins - 1; other values are dropped. */
export function histogramStep(x: Tile, mask: Tile | undefined, out: Tile): () => void {
  return () => {
    out.data.fill(0);
    for (let i = 0; i < x.count; i++) {
      if (mask && !mask.data[i]) continue;
      const value = Number(elementAt(x, i));
      if (value >= 0 && value < out.count) out.data[value] = out.data[value]! + 1;
    }
  };
}

/** `shape` is the indices' shape as [outer, axis, inner]; the source's axis has `size` elements. */
export function gatherStep(
  [outer, axis, inner]: readonly [number, number, number],
  size: number,
  source: Tile,
  indices: Tile,
  out: Tile,
): () => void {
  return () => {
    out.wide = false;
    if (source.wide) {
      out.big ??= new BigInt64Array(out.count);
      out.wide = true;
    }
    const from = source.wide ? source.big! : source.data;
    const to = source.wide ? out.big! : out.data;
    let i = 0;
    for (let o = 0; o < outer; o++)
      for (let k = 0; k < axis; k++)
        for (let j = 0; j < inner; j++, i++) {
          const index = Number(elementAt(indices, i));
          const at = index >= 0 && index < size ? index : 0;
          (to as { [i: number]: number | bigint })[i] = from[(o * size + at) * inner + j]!;
        }
  };
}

/** The addresses `count` elements of `bytes` on. Addresses are exact in doubles. */
export function addptrStep(pointer: Tile, offset: Tile, bytes: number, out: Tile): () => void {
  const n = out.count;
  const a = pointer.data;
  const o = out.data;
  return () => {
    if (offset.wide) {
      for (let i = 0; i < n; i++)
        o[i] = Number(BigInt.asUintN(64, BigInt(a[i]!) + offset.big![i]! * BigInt(bytes)));
      return;
    }
    const b = offset.data;
    for (let i = 0; i < n; i++) o[i] = a[i]! + b[i]! * bytes;
  };
}

/** Between i64 and pointers: the same number, unsigned as an address. */
export function pointerCastStep(x: Tile, out: Tile): () => void {
  const n = out.count;
  return () => {
    out.wide = false;
    if (!x.wide) {
      out.data.set(x.data);
      return;
    }
    const big = bigElements(x, n);
    for (let i = 0; i < n; i++) setElement(out, i, Number(BigInt.asUintN(64, big[i]!)));
  };
}
