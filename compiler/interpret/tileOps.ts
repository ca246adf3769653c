/**
 * Operations of whole tiles that are more than index lists: dot, histogram, gather, and reading an
 * axis pairwise for reductions.
 */
import { SIMD_BLOCK, simdDot } from './simd/dot';
import type { Numbers, Tile } from './tile';
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
  const round = rounderOf(out.dtype, out.data);
  const [z, o] = [acc.data, out.data];
  const simd = m % SIMD_BLOCK === 0 && n % SIMD_BLOCK === 0 ? simdDot() : undefined;
  if (simd)
    return () => {
      const operands = simd.operands(m, n, k);
      for (let g = 0; g < batch; g++) {
        operands.x.set(part(a, g, m * k));
        operands.y.set(part(b, g, k * n));
        operands.z.set(part(acc, g, m * n));
        simd.run(m, n, k);
        // A loop: typed arrays' own `set` narrows several times slower.
        const sums = operands.z;
        for (let i = 0, at = g * m * n; i < sums.length; i++) o[at + i] = sums[i]!;
      }
      round?.(out.count);
    };
  // In doubles, so that the inner loop converts nothing.
  const x = new Float64Array(batch * m * k);
  const y = new Float64Array(batch * k * n);
  /** One element. Integer sums are exact below 2⁵³, and wrap by being stored. */
  const single = (r: number, first: number, j: number): void => {
    let sum = z[r * n + j]!;
    for (let p = 0; p < k; p++) sum += x[r * k + p]! * y[first + p * n + j]!;
    o[r * n + j] = sum;
  };
  /** Two rows by four columns: eight sums stay in registers, and every number read serves several. */
  const block = (r: number, first: number, j: number): void => {
    const [top, low] = [r * n + j, r * n + n + j];
    let [s0, s1, s2, s3] = [z[top]!, z[top + 1]!, z[top + 2]!, z[top + 3]!];
    let [t0, t1, t2, t3] = [z[low]!, z[low + 1]!, z[low + 2]!, z[low + 3]!];
    const left = r * k;
    let q = first + j;
    for (let p = left; p < left + k; p++, q += n) {
      const u = x[p]!;
      const v = x[p + k]!;
      const y0 = y[q]!;
      const y1 = y[q + 1]!;
      const y2 = y[q + 2]!;
      const y3 = y[q + 3]!;
      s0 += u * y0;
      s1 += u * y1;
      s2 += u * y2;
      s3 += u * y3;
      t0 += v * y0;
      t1 += v * y1;
      t2 += v * y2;
      t3 += v * y3;
    }
    o[top] = s0;
    o[top + 1] = s1;
    o[top + 2] = s2;
    o[top + 3] = s3;
    o[low] = t0;
    o[low + 1] = t1;
    o[low + 2] = t2;
    o[low + 3] = t3;
  };
  const [evenRows, evenColumns] = [m - (m % 2), n - (n % 4)];
  return () => {
    x.set(a.data.subarray(0, x.length));
    y.set(b.data.subarray(0, y.length));
    for (let g = 0; g < batch; g++) {
      const [row, first] = [g * m, g * k * n];
      for (let r = 0; r < evenRows; r += 2)
        for (let j = 0; j < evenColumns; j += 4) block(row + r, first, j);
      for (let r = 0; r < m; r++)
        for (let j = r < evenRows ? evenColumns : 0; j < n; j++) single(row + r, first, j);
    }
    round?.(out.count);
  };
}

/** Matrix `index` of a batch. */
function part({ data }: Tile, index: number, size: number): Numbers {
  return data.subarray(index * size, (index + 1) * size);
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
