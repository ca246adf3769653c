/** Products of tiles, by SIMD instructions where the shape allows. */
import { SIMD_BLOCK, simdDot, type SimdDot } from './simd/dot';
import type { Numbers, Tile } from '../ir/tile';
import { bigElements, rounderOf, settleBig } from '../ir/tile';

/** Matrices of a batch, and M, N and K of each. */
type DotShape = readonly [batch: number, m: number, n: number, k: number];
type DotTiles = Readonly<Record<'a' | 'b' | 'acc' | 'out', Tile>>;

/**
 * acc + a · b, batched. Products and sums are in double precision and the result is rounded once,
 * to the accumulator's type: at least as exact as any order of f32 additions on a GPU. Integers
 * wrap.
 */
export function dotStep(shape: DotShape, a: Tile, b: Tile, acc: Tile, out: Tile): () => void {
  if (out.dtype === 'i64') return wideProduct(shape, { a, b, acc, out });
  if (a.dtype === 'i32') return wrappingProduct(shape, { a, b, acc, out });
  const [, m, n] = shape;
  const simd = m % SIMD_BLOCK === 0 && n % SIMD_BLOCK === 0 ? simdDot() : undefined;
  const tiles = { a, b, acc, out };
  const multiply = simd ? simdProduct(simd, shape, tiles) : scalarProduct(shape, tiles);
  const round = rounderOf(out.dtype, out.data);
  return () => {
    multiply();
    round?.(out.count);
  };
}

function simdProduct(
  simd: SimdDot,
  [batch, m, n, k]: DotShape,
  { a, b, acc, out }: DotTiles,
): () => void {
  const { data } = out;
  return () => {
    const operands = simd.operands(m, n, k);
    for (let g = 0; g < batch; g++) {
      operands.x.set(part(a, g, m * k));
      operands.y.set(part(b, g, k * n));
      operands.z.set(part(acc, g, m * n));
      simd.run(m, n, k);
      // A loop: typed arrays' own `set` narrows several times slower.
      const sums = operands.z;
      for (let i = 0, at = g * m * n; i < sums.length; i++) data[at + i] = sums[i]!;
    }
  };
}

function scalarProduct([batch, m, n, k]: DotShape, { a, b, acc, out }: DotTiles): () => void {
  const [z, o] = [acc.data, out.data];
  // In doubles, so that the inner loop converts nothing.
  const x = new Float64Array(batch * m * k);
  const y = new Float64Array(batch * k * n);
  /** One element. Integer sums are exact below 2⁵³, and wrap by being stored. */
  const single = (r: number, first: number, j: number): void => {
    let sum = z[r * n + j]!;
    for (let p = 0; p < k; p++) sum += x[r * k + p]! * y[first + p * n + j]!;
    o[r * n + j] = sum;
  };
  /**
   * Two rows by four columns: eight sums stay in registers, and every number read serves several.
   */
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
  };
}

/** Of 32-bit integers, whose products doubles do not hold. */
function wrappingProduct([batch, m, n, k]: DotShape, { a, b, acc, out }: DotTiles): () => void {
  const [x, y, z, o] = [a.data, b.data, acc.data, out.data];
  const row = new Int32Array(n);
  return () => {
    for (let r = 0; r < batch * m; r++) {
      const first = Math.floor(r / m) * k * n;
      for (let j = 0; j < n; j++) row[j] = z[r * n + j]!;
      for (let p = 0; p < k; p++) {
        const [u, at] = [x[r * k + p]!, first + p * n];
        for (let j = 0; j < n; j++) row[j] = row[j]! + Math.imul(u, y[at + j]!);
      }
      for (let j = 0; j < n; j++) o[r * n + j] = row[j]!;
    }
  };
}

/** Of 64-bit integers. */
function wideProduct([batch, m, n, k]: DotShape, { a, b, acc, out }: DotTiles): () => void {
  return () => {
    const [x, y, z] = [a, b, acc].map((tile) => bigElements(tile, tile.count));
    const o = (out.big ??= new BigInt64Array(out.count));
    for (let r = 0; r < batch * m; r++)
      for (let j = 0; j < n; j++) {
        const first = Math.floor(r / m) * k * n + j;
        let sum = z![r * n + j]!;
        for (let p = 0; p < k; p++) sum += x![r * k + p]! * y![first + p * n]!;
        o[r * n + j] = BigInt.asIntN(64, sum);
      }
    settleBig(out, out.count);
  };
}

/** Matrix `index` of a batch. */
function part({ data }: Tile, index: number, size: number): Numbers {
  return data.subarray(index * size, (index + 1) * size);
}
