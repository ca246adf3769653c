/**
 * `torch.linalg` over batches: each matrix of a batch goes to `decompose.ts` by itself. The first
 * matrix that cannot be done is named with where it failed, so that Python raises what PyTorch
 * raises.
 */
import * as decompose from './decompose';

export interface Answer {
  readonly results: readonly Float64Array[];
  /** For the first matrix that failed: its place in the batch, and where, counted from 1. */
  readonly trouble: readonly [batch: number, where: number] | null;
}

/**
 * @param inputs matrices of a batch, one after the other, row by row
 * @param sizes batch, rows and columns of the first; then what each operation takes
 */
export function linearAlgebra(
  name: string,
  inputs: readonly Float64Array[],
  sizes: readonly number[],
): Answer {
  const [batch = 0, rows = 0, columns = 0, extra = 0] = sizes;
  const kept: Float64Array[][] = [];
  let trouble: Answer['trouble'] = null;
  for (let i = 0; i < batch; i++) {
    const a = part(inputs[0]!, i, rows * columns);
    const b = inputs[1] ? part(inputs[1], i, rows * extra) : NONE;
    const failed = (where: number): void => {
      if (where) trouble ??= [i, where];
    };
    kept.push(one(name, a, b, sizes, failed));
  }
  const count = kept[0]?.length ?? 0;
  const results = Array.from({ length: count }, (_, k) => joined(kept.map((each) => each[k]!)));
  return { results, trouble };
}

const NONE = new Float64Array(0);

/** One matrix of the batch; `b`: the right-hand sides, `extra` columns of them. */
function one(
  name: string,
  a: Float64Array,
  b: Float64Array,
  [, rows = 0, columns = 0, extra = 0, flags = 0]: readonly number[],
  failed: (where: number) => void,
): Float64Array[] {
  switch (name) {
    case 'solve': {
      const factored = decompose.factor(a, rows);
      failed(factored.zero);
      return [decompose.solve(factored, b, rows, extra)];
    }
    case 'triangular': {
      const x = Float64Array.from(b);
      decompose.substitute(a, x, rows, extra, (flags & 1) !== 0, (flags & 2) !== 0);
      return [x];
    }
    case 'det':
      return [Float64Array.of(decompose.determinant(decompose.factor(a, rows), rows))];
    case 'slogdet': {
      const [sign, log] = decompose.logDeterminant(decompose.factor(a, rows), rows);
      return [Float64Array.of(sign), Float64Array.of(log)];
    }
    case 'cholesky': {
      const made = decompose.cholesky(a, rows);
      failed(made.failed);
      return [made.l];
    }
    case 'qr': {
      const { q, r } = decompose.qr(a, rows, columns, extra);
      return [q, r];
    }
    case 'eigh': {
      const { values, vectors } = decompose.symmetricEigen(a, rows);
      return [values, vectors];
    }
    case 'svd': {
      const { u, s, v } = decompose.singularValues(a, rows, columns);
      return [u, s, v];
    }
    default:
      throw new Error(`torch.linalg has no ${name}`);
  }
}

function part(all: Float64Array, index: number, size: number): Float64Array {
  return all.subarray(index * size, (index + 1) * size);
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((sum, each) => sum + each.length, 0));
  let at = 0;
  for (const each of parts) {
    whole.set(each, at);
    at += each.length;
  }
  return whole;
}
