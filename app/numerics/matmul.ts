/**
 * Matrix products. Those of floats are computed in WebAssembly (`kernels/matmul.ts`): f16, bf16 and
 * fp8 operands widen to f32, products accumulate in f32, and the result is rounded once; f64 stays
 * f64. Integers, which wrap, and small products, whose sums are f64, take plain loops here.
 */
import { computeArray, isBig, isFloat, roundTo } from './dtypes';
import type { Dtype, NumberArray, Values } from './dtypes';
import { multiply, type Floats } from './kernels/matmul';

/** Up to this many multiplications a loop takes less time than torch's call. */
const SMALL = 32 * 32 * 32;

/** [batch, M, K] × [batch, K, N] → [batch, M, N], all row-major. */
export function matmul(
  a: Values,
  b: Values,
  batch: number,
  m: number,
  k: number,
  n: number,
  dtype: Dtype,
): Values {
  if (isBig(a) || isBig(b) || !isFloat(dtype) || batch * m * k * n <= SMALL)
    return loops(a, b, batch, m, k, n, dtype);
  const product = computeArray(dtype, batch * m * n) as Floats;
  multiply(a as Floats, b as Floats, product, batch, m, k, n);
  roundTo(dtype, product);
  return product;
}

function loops(
  a: Values,
  b: Values,
  batch: number,
  m: number,
  k: number,
  n: number,
  dtype: Dtype,
): Values {
  const out = computeArray(dtype, batch * m * n);
  if (isBig(a) || isBig(b) || isBig(out)) {
    const x = a as BigInt64Array;
    const y = b as BigInt64Array;
    const to = out as BigInt64Array;
    for (let g = 0; g < batch; g++)
      for (let i = 0; i < m; i++)
        for (let j = 0; j < n; j++) {
          let sum = 0n;
          for (let l = 0; l < k; l++) sum += x[(g * m + i) * k + l]! * y[(g * k + l) * n + j]!;
          to[(g * m + i) * n + j] = sum;
        }
    return out;
  }
  const x = a as NumberArray;
  const y = b as NumberArray;
  const to = out as NumberArray;
  const integer = !isFloat(dtype);
  const row = new Float64Array(n);
  for (let g = 0; g < batch; g++)
    for (let i = 0; i < m; i++) {
      row.fill(0);
      for (let l = 0; l < k; l++) {
        const value = x[(g * m + i) * k + l]!;
        const base = (g * k + l) * n;
        if (integer)
          for (let j = 0; j < n; j++) row[j] = (row[j]! + Math.imul(value, y[base + j]!)) | 0;
        else for (let j = 0; j < n; j++) row[j]! += value * y[base + j]!;
      }
      for (let j = 0; j < n; j++) to[(g * m + i) * n + j] = row[j]!;
    }
  roundTo(dtype, out);
  return out;
}
