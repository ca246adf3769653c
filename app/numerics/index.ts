/**
 * The numbers behind `torch`: one function that the Python package calls, with a request as JSON
 * and the bytes of the storages it names. It reads strided windows, writes one (or two), and keeps
 * nothing but the random generator. Registered in Pyodide as `_hippocamp_numerics`.
 */
import { compare, summarize, toJson } from './compare';
import { computeArray, convert, isBig, isCoded, roundTo } from './dtypes';
import type { Dtype, NumberArray, Values } from './dtypes';
import { binary, resultDtype, unary, where } from './elementwise';
import { converted, elementwise, stored } from './kernels/elementwise';
import { LegacyRandom } from './legacyRandom';
import { linearAlgebra } from './linearAlgebra';
import { pickAt } from './moves';
import { matmul } from './matmul';
import { count, loadAs, parseNumber, store } from './operands';
import type { Operand } from './operands';
import { Generator } from './random';
import { arange } from './ranges';
import { reduce, scan, softmax, sort } from './reduce';
import { topk } from './topk';
import { nonzero, positions, positionsAlong, put, take } from './select';

/** `in`: operands, each with the position of its bytes; `out`: where results go, likewise. */
export interface Request {
  readonly op: string;
  readonly f?: string;
  /** The dtype that operands are converted to and computed in. */
  readonly c?: Dtype;
  readonly in?: readonly Operand[];
  readonly out?: readonly Operand[];
  readonly n?: readonly number[];
  /** Numbers, as text. */
  readonly x?: readonly string[];
}

export interface Numerics {
  /** @param bytes of `out`, then of `in`, one for each operand that is not a scalar.
   * @returns text for the operations that answer with values (JSON), else ''. */
  run(request: string, ...bytes: Uint8Array[]): string;
}

/** One generator for the program's default, others for `torch.Generator`. */
export function createNumerics(): Numerics {
  const generators = new Map<number, Generator>();
  const generator = (id: number): Generator => {
    let found = generators.get(id);
    if (!found) generators.set(id, (found = new Generator(0n)));
    return found;
  };

  const legacies = new Map<number, LegacyRandom>();
  const legacy = (id: number): LegacyRandom => {
    let found = legacies.get(id);
    if (!found) legacies.set(id, (found = new LegacyRandom()));
    return found;
  };

  return {
    run(text, ...bytes) {
      const request = JSON.parse(text) as Request;
      const operands = request.in ?? [];
      const outs = request.out ?? [];
      const used = outs.length;
      // Scalars have no bytes, so the others' places are counted.
      let next = used;
      const places = operands.map((operand) => (operand.v === undefined ? next++ : -1));
      const bytesOf = (i: number): Uint8Array | null => bytes[places[i] ?? -1] ?? null;
      const operand = (i: number): Operand => {
        const found = operands[i];
        if (!found) throw new Error(`operand ${i} of ${request.op} is missing`);
        return found;
      };
      const values = (i: number, dtype: Dtype = operand(i).d): Values => {
        const { d } = operand(i);
        const from = bytesOf(i);
        if (!from || (d === dtype && !isCoded(d))) return loadAs(operand(i), from, dtype);
        return converted(operand(i), from, dtype) ?? loadAs(operand(i), from, dtype);
      };
      const write = (i: number, result: Values, dtype: Dtype): void => {
        const target = outs[i];
        const to = bytes[i];
        if (!target || !to) throw new Error(`result ${i} of ${request.op} is missing`);
        const plain = target.d === dtype && !isCoded(dtype);
        if (plain || result.length === 1 || !stored(result, dtype, target, to))
          store(target, to, result, dtype);
      };
      const outCount = (): number => count(outs[0]?.s ?? []);
      const outDtype = (): Dtype => outs[0]!.d;
      const name = request.f ?? '';
      const c = request.c ?? 'float32';
      const n = request.n ?? [];
      const x = (request.x ?? []).map(parseNumber);

      /** Through a kernel of WebAssembly. @returns whether there is one. */
      const kernel = (op: 'unary' | 'binary' | 'where' | 'copy'): boolean =>
        elementwise(
          op,
          name,
          c,
          operands,
          operands.map((_, i) => bytesOf(i)),
          outs[0]!,
          bytes[0]!,
        );

      switch (request.op) {
        case 'copy':
          // One number fills the window faster than a kernel does.
          if (operand(0).v !== undefined || !kernel('copy')) write(0, values(0), operand(0).d);
          return '';
        case 'unary':
          if (!kernel('unary')) write(0, unary(name, values(0, c), c), resultDtype(name, c));
          return '';
        case 'binary':
          if (!kernel('binary'))
            write(0, binary(name, values(0, c), values(1, c), outCount(), c), resultDtype(name, c));
          return '';
        case 'where':
          if (!kernel('where'))
            write(0, where(values(0, 'bool'), values(1, c), values(2, c), outCount(), c), c);
          return '';
        case 'reduce':
          write(
            0,
            reduce(name, values(0, c), n[0]!, n[1]!, c, x[0] ?? 0),
            name.startsWith('arg') ? 'int64' : c,
          );
          return '';
        case 'scan':
          write(0, scan(name, values(0, c), n[0]!, n[1]!, c), c);
          return '';
        case 'softmax':
          write(0, softmax(name, values(0, c), n[0]!, n[1]!, c), c);
          return '';
        case 'sort': {
          const sorted = sort(values(0), n[0]!, n[1]!, n[2] === 1);
          write(0, sorted.values, operand(0).d);
          write(1, sorted.indices, 'int64');
          return '';
        }
        case 'topk': {
          const found = topk(values(0), n[0]!, n[1]!, n[2]!, n[3] === 1);
          write(0, found.values, operand(0).d);
          write(1, found.indices, 'int64');
          return '';
        }
        case 'matmul':
          write(0, matmul(values(0, c), values(1, c), n[0]!, n[1]!, n[2]!, n[3]!, c), c);
          return '';
        case 'linalg': {
          const inputs = operands.map((_, i) => values(i, 'float64') as Float64Array);
          const { results, trouble } = linearAlgebra(name, inputs, n);
          results.forEach((result, i) => write(i, result, 'float64'));
          return trouble ? JSON.stringify(trouble) : '';
        }
        case 'arange': {
          const start = request.x?.[0] ?? '0';
          const step = request.x?.[1] ?? '1';
          arange(c, start, step, outs[0]!, bytes[0]!);
          return '';
        }
        case 'linspace':
          write(0, linspace(c, outCount(), x[0]!, x[1]!), c);
          return '';
        case 'tri':
          write(0, triangle(values(0), n[0]!, n[1]!, n[2]!, name === 'tril'), operand(0).d);
          return '';
        case 'index':
        case 'index_put': {
          const inner = n[0]!;
          const rank = operands.length - (request.op === 'index' ? 1 : 2);
          const lists = Array.from(
            { length: rank },
            (_, i) => values(operands.length - rank + i, 'int64') as BigInt64Array,
          );
          const direct = request.op === 'index' && rank === 1 && inner === 1;
          const out0 = direct ? computeArray(c, lists[0]!.length) : null;
          if (out0 && pickAt(values(0), lists[0]!, n[1]!, out0)) {
            write(0, out0, c);
            return '';
          }
          const starts = positions(lists, n.slice(1, 1 + rank), n.slice(1 + rank), inner);
          if (request.op === 'index') {
            const out = computeArray(c, starts.length * inner);
            take(values(0), starts, inner, out);
            write(0, out, c);
          } else {
            const target = values(0).slice() as Values;
            put(target, starts, inner, values(1, c), name === 'accumulate');
            roundTo(c, target);
            write(0, target, c);
          }
          return '';
        }
        case 'gather': {
          const sizes = operand(0).s ?? [];
          const index = values(1, 'int64') as BigInt64Array;
          const starts = positionsAlong(index, operand(1).s ?? [], sizes, n[0]!);
          const out = computeArray(c, index.length);
          take(values(0), starts, 1, out);
          write(0, out, c);
          return '';
        }
        case 'scatter': {
          const sizes = operand(0).s ?? [];
          const index = values(1, 'int64') as BigInt64Array;
          const starts = positionsAlong(index, operand(1).s ?? [], sizes, n[0]!);
          const target = values(0).slice() as Values;
          put(target, starts, 1, values(2, c), name === 'accumulate');
          roundTo(c, target);
          write(0, target, c);
          return '';
        }
        case 'nonzero_count': {
          const mask = values(0);
          let found = 0;
          for (let i = 0; i < mask.length; i++) if (Number(mask[i]!) !== 0) found++;
          return String(found);
        }
        case 'nonzero':
          write(0, nonzero(values(0), operand(0).s ?? []), 'int64');
          return '';
        case 'legacy_seed':
          legacy(n[0]!).seed(BigInt(request.x?.[0] ?? '0'));
          return '';
        case 'legacy_state':
          if (request.x?.[0] === undefined) return legacy(n[0]!).save();
          legacy(n[0]!).restore(request.x[0]);
          return '';
        case 'legacy_uniform':
          write(0, legacy(n[0]!).uniform(outCount(), x[0]!, x[1]!), 'float64');
          return '';
        case 'legacy_normal':
          write(0, legacy(n[0]!).normal(outCount(), x[0]!, x[1]!), 'float64');
          return '';
        case 'legacy_exponential':
          write(0, legacy(n[0]!).exponential(outCount(), x[0]!), 'float64');
          return '';
        case 'legacy_integers': {
          const [low = '0', high = '0'] = request.x ?? [];
          const drawn = legacy(n[0]!).integers(outCount(), outDtype(), BigInt(low), BigInt(high));
          write(0, drawn, outDtype());
          return '';
        }
        case 'legacy_permutation':
          write(0, legacy(n[0]!).permutation(outCount()), 'int64');
          return '';
        case 'seed':
          generator(n[0]!).seed(BigInt(request.x?.[0] ?? '0'));
          return '';
        case 'rng_state':
          if (request.x?.[0] === undefined) return generator(n[0]!).save();
          generator(n[0]!).restore(request.x[0]);
          return '';
        case 'uniform':
          write(0, generator(n[0]!).fillUniform(outCount(), c, x[0]!, x[1]!), c);
          return '';
        case 'normal':
          write(0, generator(n[0]!).fillNormal(outCount(), c, x[0]!, x[1]!), c);
          return '';
        case 'integers': {
          const low = BigInt(request.x?.[0] ?? '0');
          const high = BigInt(request.x?.[1] ?? '1');
          write(0, rounded(generator(n[0]!).fillInteger(outCount(), c, low, high), c), c);
          return '';
        }
        case 'bernoulli':
          write(0, generator(n[0]!).fillBernoulli(outCount(), c, x[0]!), c);
          return '';
        case 'permutation':
          write(
            0,
            convert(generator(n[0]!).permutation(outCount()), 'int64', outDtype()),
            outDtype(),
          );
          return '';
        case 'compare':
          return JSON.stringify(
            compare(
              values(0, isBigDtype(c) ? c : 'float64'),
              values(1, isBigDtype(c) ? c : 'float64'),
              x[0]!,
              x[1]!,
              name === 'equal_nan',
              n[0]!,
              n[1]!,
              c,
            ),
          );
        case 'summarize':
          return JSON.stringify(summarize(values(0), n[0]!, n[1]!));
        case 'tolist':
          return toJson(values(0));
        default:
          throw new Error(`no operation ${request.op}`);
      }
    },
  };
}

function isBigDtype(dtype: Dtype): boolean {
  return dtype === 'int64' || dtype === 'uint64';
}

function rounded(x: Values, dtype: Dtype): Values {
  roundTo(dtype, x);
  return x;
}

/** From both ends, so that it is symmetric, as PyTorch does it. */
function linspace(dtype: Dtype, n: number, start: number, end: number): Values {
  const out = computeArray(dtype, n) as NumberArray;
  const step = n > 1 ? (end - start) / (n - 1) : 0;
  for (let i = 0; i < n; i++) out[i] = i < n / 2 ? start + step * i : end - step * (n - 1 - i);
  return rounded(out, dtype);
}

/** Zeros above (tril) or below (triu) a diagonal of each [rows, columns] matrix. */
function triangle(
  x: Values,
  rows: number,
  columns: number,
  diagonal: number,
  lower: boolean,
): Values {
  const out = x.slice() as Float32Array;
  const zero = (isBig(x) ? 0n : 0) as number;
  for (let at = 0, row = 0; at < out.length; at += columns, row = (row + 1) % rows) {
    const edge = Math.min(columns, Math.max(0, row + diagonal + (lower ? 1 : 0)));
    if (lower) out.fill(zero, at + edge, at + columns);
    else out.fill(zero, at, at + edge);
  }
  return out;
}
