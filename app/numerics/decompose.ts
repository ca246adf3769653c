/**
 * Systems of equations and factorizations of matrices, in float64: what `torch.linalg` stands on.
 * Each function takes one matrix, row by row, and says with a number where it met what it cannot
 * do.
 */

export interface Factored {
  /** L below the diagonal (ones on it are left out) and U, in one matrix. */
  readonly lu: Float64Array;
  /** Row i of the factors was row `rows[i]` of the matrix. */
  readonly rows: Int32Array;
  /** 1 or −1: the determinant of the exchange of rows. */
  readonly sign: number;
  /** The first zero on the diagonal of U, counted from 1; 0 where there is none. */
  readonly zero: number;
}

/** PA = LU, with partial pivoting. */
export function factor(a: Float64Array, n: number): Factored {
  const lu = Float64Array.from(a);
  const rows = Int32Array.from({ length: n }, (_, i) => i);
  let sign = 1;
  let zero = 0;
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++)
      if (Math.abs(lu[i * n + k]!) > Math.abs(lu[best * n + k]!)) best = i;
    if (best !== k) {
      sign = -sign;
      swapRows(lu, n, best, k);
      const row = rows[best]!;
      rows[best] = rows[k]!;
      rows[k] = row;
    }
    const pivot = lu[k * n + k]!;
    if (pivot === 0) {
      zero ||= k + 1;
      continue;
    }
    for (let i = k + 1; i < n; i++) {
      const times = (lu[i * n + k]! /= pivot);
      if (times === 0) continue;
      for (let j = k + 1; j < n; j++) lu[i * n + j] = lu[i * n + j]! - times * lu[k * n + j]!;
    }
  }
  return { lu, rows, sign, zero };
}

function swapRows(a: Float64Array, width: number, i: number, j: number): void {
  for (let c = 0; c < width; c++) {
    const value = a[i * width + c]!;
    a[i * width + c] = a[j * width + c]!;
    a[j * width + c] = value;
  }
}

/** x of Ax = b, where b has m columns. */
export function solve({ lu, rows }: Factored, b: Float64Array, n: number, m: number): Float64Array {
  const x = new Float64Array(n * m);
  for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) x[i * m + j] = b[rows[i]! * m + j]!;
  substitute(lu, x, n, m, false, true);
  substitute(lu, x, n, m, true, false);
  return x;
}

/**
 * Solves Tx = b in place, T being the upper or lower triangle of `a`, with ones on it where `unit`.
 */
export function substitute(
  a: Float64Array,
  x: Float64Array,
  n: number,
  m: number,
  upper: boolean,
  unit: boolean,
): void {
  for (let step = 0; step < n; step++) {
    const i = upper ? n - 1 - step : step;
    for (let k = upper ? i + 1 : 0; k < (upper ? n : i); k++) {
      const times = a[i * n + k]!;
      if (times === 0) continue;
      for (let j = 0; j < m; j++) x[i * m + j] = x[i * m + j]! - times * x[k * m + j]!;
    }
    if (unit) continue;
    for (let j = 0; j < m; j++) x[i * m + j] = x[i * m + j]! / a[i * n + i]!;
  }
}

/** The sign and the logarithm of the size of a determinant. */
export function logDeterminant(
  { lu, sign, zero }: Factored,
  n: number,
): readonly [sign: number, log: number] {
  if (zero) return [0, -Infinity];
  let log = 0;
  let turns = sign;
  for (let i = 0; i < n; i++) {
    const value = lu[i * n + i]!;
    if (value < 0) turns = -turns;
    log += Math.log(Math.abs(value));
  }
  return [turns, log];
}

/** Multiplied out, so that it is exact where the factors are. */
export function determinant({ lu, sign }: Factored, n: number): number {
  let product = sign;
  for (let i = 0; i < n; i++) product *= lu[i * n + i]!;
  return product;
}

/**
 * L of A = LLᵀ; `failed` is the first leading minor that is not positive, counted from 1, else 0.
 */
export function cholesky(a: Float64Array, n: number): { l: Float64Array; failed: number } {
  const l = new Float64Array(n * n);
  for (let j = 0; j < n; j++) {
    let rest = a[j * n + j]!;
    for (let k = 0; k < j; k++) rest -= l[j * n + k]! ** 2;
    if (!(rest > 0)) return { l, failed: j + 1 };
    const root = (l[j * n + j] = Math.sqrt(rest));
    for (let i = j + 1; i < n; i++) {
      let value = a[i * n + j]!;
      for (let k = 0; k < j; k++) value -= l[i * n + k]! * l[j * n + k]!;
      l[i * n + j] = value / root;
    }
  }
  return { l, failed: 0 };
}

/** A = QR by reflections, with LAPACK's signs; Q has `columns` columns and R as many rows. */
export function qr(
  a: Float64Array,
  rows: number,
  width: number,
  columns: number,
): { q: Float64Array; r: Float64Array } {
  const work = Float64Array.from(a);
  const steps = Math.min(rows, width);
  const reflections: { v: Float64Array; tau: number }[] = [];
  for (let k = 0; k < steps; k++) {
    let below = 0;
    for (let i = k + 1; i < rows; i++) below += work[i * width + k]! ** 2;
    const head = work[k * width + k]!;
    const v = new Float64Array(rows);
    // The part below the diagonal is zero already: nothing is reflected.
    if (below === 0) {
      reflections.push({ v, tau: 0 });
      continue;
    }
    const length = -Math.sign(head || 1) * Math.sqrt(head * head + below);
    v[k] = 1;
    for (let i = k + 1; i < rows; i++) v[i] = work[i * width + k]! / (head - length);
    const tau = (length - head) / length;
    reflect(work, v, tau, k, rows, width);
    reflections.push({ v, tau });
  }
  const r = new Float64Array(columns * width);
  for (let i = 0; i < columns; i++)
    for (let j = i; j < width; j++) r[i * width + j] = work[i * width + j]!;
  const q = identity(rows, columns);
  for (let k = steps - 1; k >= 0; k--)
    reflect(q, reflections[k]!.v, reflections[k]!.tau, k, rows, columns);
  return { q, r };
}

/** The first columns of the identity. */
function identity(rows: number, columns: number): Float64Array {
  const a = new Float64Array(rows * columns);
  for (let i = 0; i < columns; i++) a[i * columns + i] = 1;
  return a;
}

/** (1 − τvvᵀ)a, v being zero above row `from`. */
function reflect(
  a: Float64Array,
  v: Float64Array,
  tau: number,
  from: number,
  rows: number,
  width: number,
): void {
  if (tau === 0) return;
  // Row by row, as they lie in memory.
  const dots = new Float64Array(width);
  for (let i = from; i < rows; i++)
    for (let j = 0; j < width; j++) dots[j]! += v[i]! * a[i * width + j]!;
  for (let i = from; i < rows; i++)
    for (let j = 0; j < width; j++) a[i * width + j] = a[i * width + j]! - tau * v[i]! * dots[j]!;
}

/**
 * Eigenvalues of a symmetric matrix, ascending, and its eigenvectors as columns, by Jacobi's
 * rotations.
 */
export function symmetricEigen(
  matrix: Float64Array,
  n: number,
): { values: Float64Array; vectors: Float64Array } {
  const a = Float64Array.from(matrix);
  // Its lower triangle says what it is, as in PyTorch.
  for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) a[i * n + j] = a[j * n + i]!;
  const v = identity(n, n);
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    let on = 0;
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        if (i === j) on += a[i * n + j]! ** 2;
        else off += a[i * n + j]! ** 2;
      }
    if (off <= 1e-32 * on) break;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) rotate(a, v, n, p, q);
  }
  const order = Array.from({ length: n }, (_, i) => i);
  order.sort((i, j) => a[i * n + i]! - a[j * n + j]!);
  const values = Float64Array.from(order, (i) => a[i * n + i]!);
  const vectors = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) vectors[i * n + j] = v[i * n + order[j]!]!;
  return { values, vectors };
}

/** Makes a[p][q] zero by a rotation of both, which the eigenvectors follow. */
function rotate(a: Float64Array, v: Float64Array, n: number, p: number, q: number): void {
  const apq = a[p * n + q]!;
  if (apq === 0) return;
  const turn = rotation(a[p * n + p]!, apq, a[q * n + q]!);
  turnLines(a, n, n, p, q, turn);
  turnLines(a, n, 1, p * n, q * n, turn);
  turnLines(v, n, n, p, q, turn);
}

/** Cosine and sine of the rotation that makes the symmetric matrix [pp pq; pq qq] diagonal. */
function rotation(pp: number, pq: number, qq: number): Rotation {
  const theta = (qq - pp) / (2 * pq);
  const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  return [c, t * c];
}

type Rotation = readonly [cosine: number, sine: number];

/**
 * Rotates two columns (`stride`: the width) or two rows (`stride`: 1), which begin at `p` and `q`.
 */
function turnLines(
  a: Float64Array,
  count: number,
  stride: number,
  p: number,
  q: number,
  [c, s]: Rotation,
): void {
  for (let k = 0; k < count; k++) {
    const x = a[p + k * stride]!;
    const y = a[q + k * stride]!;
    a[p + k * stride] = c * x - s * y;
    a[q + k * stride] = s * x + c * y;
  }
}

/**
 * A = U diag(S) Vᵀ for a matrix with at least as many rows as columns, by rotations of its columns
 * until they are orthogonal. S is descending; U is rows × columns, V columns × columns.
 */
export function singularValues(
  matrix: Float64Array,
  rows: number,
  columns: number,
): { u: Float64Array; s: Float64Array; v: Float64Array } {
  const a = Float64Array.from(matrix);
  const v = identity(columns, columns);
  for (let sweep = 0, turned = true; turned && sweep < 60; sweep++) {
    turned = false;
    for (let p = 0; p < columns; p++)
      for (let q = p + 1; q < columns; q++) {
        let pp = 0;
        let qq = 0;
        let pq = 0;
        for (let i = 0; i < rows; i++) {
          const x = a[i * columns + p]!;
          const y = a[i * columns + q]!;
          pp += x * x;
          qq += y * y;
          pq += x * y;
        }
        if (Math.abs(pq) <= 1e-15 * Math.sqrt(pp * qq)) continue;
        turned = true;
        const turn = rotation(pp, pq, qq);
        turnLines(a, rows, columns, p, q, turn);
        turnLines(v, columns, columns, p, q, turn);
      }
  }
  const lengths = Array.from({ length: columns }, (_, j) => {
    let square = 0;
    for (let i = 0; i < rows; i++) square += a[i * columns + j]! ** 2;
    return Math.sqrt(square);
  });
  const order = lengths.map((_, j) => j).sort((i, j) => lengths[j]! - lengths[i]!);
  const u = new Float64Array(rows * columns);
  const out = new Float64Array(columns * columns);
  order.forEach((from, to) => {
    const length = lengths[from]! || 1;
    for (let i = 0; i < rows; i++) u[i * columns + to] = a[i * columns + from]! / length;
    for (let i = 0; i < columns; i++) out[i * columns + to] = v[i * columns + from]!;
  });
  return { u, s: Float64Array.from(order, (j) => lengths[j]!), v: out };
}
