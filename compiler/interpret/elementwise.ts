/**
 * Elementwise operations as loops over typed arrays. The frequent ones are written out, so that the
 * engine compiles each to a tight loop; the others call the element function of `ir/evaluate.ts`,
 * which is also what tests compare every loop with.
 */
import type { Attribute } from '../ir/ir';
import { elementFunction } from '../ir/evaluate';
import type { ElementFunction } from '../ir/evaluate';
import type { OpName } from '../ir/ops';
import type { DType } from '../ir/types';
import { isInteger } from '../ir/types';
import { SIMD_FLOATS, simdExtremum } from './simd/extremum';
import type { Numbers, Tile, TileDType } from './tile';
import { bigElements, rounderOf, settleBig } from './tile';

/** Computes the first n elements of its result. */
export type Kernel = (n: number) => void;

const asDType = (dtype: TileDType): DType => (dtype === 'pointer' ? 'i64' : dtype);

export function elementwiseKernel(
  name: OpName,
  attributes: Readonly<Record<string, Attribute>>,
  inputs: readonly Tile[],
  out: Tile,
): Kernel {
  const wide = wideKernel(name, attributes, inputs, out);
  if (wide) return wide;
  const data = inputs.map((input) => input.data);
  const fast = fastKernel(name, attributes, inputs[0]!.dtype, data, out) ?? undefined;
  const kernel = fast ?? genericKernel(name, attributes, inputs, out);
  const round = EXACT.has(name) ? undefined : rounderOf(out.dtype, out.data);
  if (!fast || !round) return kernel;
  return (n) => {
    kernel(n);
    round(n);
  };
}

/** What gives numbers of the format without rounding; it must not round, where a format's largest codes
 * are only read (float8e4b15). */
const EXACT = new Set<OpName>([
  'arith.negf',
  'math.absf',
  'arith.select',
  'arith.bitcast',
  'arith.extf',
]);

// ── any operation, one call an element ──────────────────────────────────────────────────────────────
function genericKernel(
  name: OpName,
  attributes: Readonly<Record<string, Attribute>>,
  inputs: readonly Tile[],
  out: Tile,
): Kernel {
  const [from, to] = [asDType(inputs[0]!.dtype), asDType(out.dtype)];
  const f = elementFunction(name, { from, to, attributes });
  if (!f) throw new Error(`${name} is not elementwise`);
  if (inputs.some((input) => input.dtype === 'i64') || out.dtype === 'i64')
    return bigKernel(f, inputs, out);
  const o = out.data;
  const [a, b, c] = inputs.map((input) => input.data);
  const call = f as (a: number, b?: number, c?: number) => number;
  if (c && b)
    return (n) => {
      for (let i = 0; i < n; i++) o[i] = call(a![i]!, b[i], c[i]);
    };
  if (b)
    return (n) => {
      for (let i = 0; i < n; i++) o[i] = call(a![i]!, b[i]);
    };
  return (n) => {
    for (let i = 0; i < n; i++) o[i] = call(a![i]!);
  };
}
function bigKernel(f: ElementFunction, inputs: readonly Tile[], out: Tile): Kernel {
  return (n) => {
    const arrays = inputs.map((input) =>
      input.dtype === 'i64' ? bigElements(input, n) : input.data,
    );
    const [a, b, c] = arrays;
    const o = out.dtype === 'i64' ? (out.big ??= new BigInt64Array(out.count)) : out.data;
    for (let i = 0; i < n; i++)
      (o as { [i: number]: number | bigint })[i] = f(a![i]!, b?.[i] ?? 0, c?.[i] ?? 0);
    if (out.dtype === 'i64') settleBig(out, n);
  };
}

// ── i64 in doubles ──────────────────────────────────────────────────────────────────────────────────
/** A loop over doubles that says whether every result was a safe integer. */
type WideLoop = (n: number) => boolean;

function wideKernel(
  name: OpName,
  attributes: Readonly<Record<string, Attribute>>,
  inputs: readonly Tile[],
  out: Tile,
): Kernel | undefined {
  const touches = inputs.some((input) => input.dtype === 'i64') || out.dtype === 'i64';
  if (!touches) return undefined;
  const loop = wideLoop(name, attributes, inputs, out);
  const exact = genericKernel(name, attributes, inputs, out);
  if (!loop) return exact;
  return (n) => {
    let safe = true;
    for (const input of inputs) if (input.wide) safe = false;
    out.wide = false;
    if (!safe || !loop(n)) exact(n);
  };
}
function wideLoop(
  name: OpName,
  attributes: Readonly<Record<string, Attribute>>,
  inputs: readonly Tile[],
  out: Tile,
): WideLoop | undefined {
  const a = inputs[0]!.data as Float64Array;
  const b = inputs[1]?.data as Float64Array;
  const o = out.data as Float64Array;
  const MAX = Number.MAX_SAFE_INTEGER;
  switch (name) {
    case 'arith.addi':
      return (n) => {
        let [low, high] = [0, 0];
        for (let i = 0; i < n; i++) {
          const x = a[i]! + b[i]!;
          o[i] = x;
          if (x < low) low = x;
          if (x > high) high = x;
        }
        return low >= -MAX && high <= MAX;
      };
    case 'arith.subi':
      return (n) => {
        let [low, high] = [0, 0];
        for (let i = 0; i < n; i++) {
          const x = a[i]! - b[i]!;
          o[i] = x;
          if (x < low) low = x;
          if (x > high) high = x;
        }
        return low >= -MAX && high <= MAX;
      };
    case 'arith.muli':
      return (n) => {
        let [low, high] = [0, 0];
        for (let i = 0; i < n; i++) {
          const x = a[i]! * b[i]!;
          o[i] = x;
          if (x < low) low = x;
          if (x > high) high = x;
        }
        return low >= -MAX && high <= MAX;
      };
    case 'arith.divsi':
      return (n) => {
        for (let i = 0; i < n; i++) {
          const [x, y] = [a[i]!, b[i]!];
          // The dividend less the remainder divides exactly; the plain quotient may be rounded up.
          o[i] = y === 0 ? x : (x - (x % y)) / y;
        }
        return true;
      };
    case 'arith.remsi':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = b[i] === 0 ? 0 : a[i]! % b[i]!;
        return true;
      };
    case 'arith.maxsi':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! > b[i]! ? a[i]! : b[i]!;
        return true;
      };
    case 'arith.minsi':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! < b[i]! ? a[i]! : b[i]!;
        return true;
      };
    case 'arith.andi':
      return (n) => {
        for (let i = 0; i < n; i++) {
          const [x, y] = [a[i]!, b[i]!];
          if ((x | 0) !== x || (y | 0) !== y) return false;
          o[i] = x & y;
        }
        return true;
      };
    case 'arith.cmpi':
      return wideCompare(String(attributes['predicate']), a, b, out.data);
    case 'arith.select': {
      const c = inputs[2]!.data as Float64Array;
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i] ? b[i]! : c[i]!;
        return true;
      };
    }
    case 'arith.extsi':
      if (inputs[0]!.dtype === 'i1') return undefined;
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]!;
        return true;
      };
    case 'arith.extui':
      if (inputs[0]!.dtype !== 'i32' && inputs[0]!.dtype !== 'i1') return undefined;
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! >>> 0;
        return true;
      };
    case 'arith.trunci':
      // Storing wraps to the width; i1 keeps the lowest bit.
      if (out.dtype === 'i1')
        return (n) => {
          for (let i = 0; i < n; i++) o[i] = a[i]! & 1;
          return true;
        };
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! | 0;
        return true;
      };
    case 'arith.sitofp':
      // A safe integer is rounded once; below f32 the format's own rounding would be a second one.
      if (out.dtype !== 'f32' && out.dtype !== 'f64') return undefined;
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! + 0;
        return true;
      };
    default:
      return undefined;
  }
}
function wideCompare(predicate: string, a: Numbers, b: Numbers, o: Numbers): WideLoop | undefined {
  const signed = compareLoop(predicate, a, b, o);
  if (!signed || predicate.startsWith('u')) return undefined;
  return (n) => {
    signed(n);
    return true;
  };
}

// ── everything else ─────────────────────────────────────────────────────────────────────────────────
function compareLoop(predicate: string, a: Numbers, b: Numbers, o: Numbers): Kernel | undefined {
  switch (predicate) {
    case 'eq':
    case 'oeq':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! === b[i]! ? 1 : 0;
      };
    case 'ne':
    case 'une':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! !== b[i]! ? 1 : 0;
      };
    case 'slt':
    case 'olt':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! < b[i]! ? 1 : 0;
      };
    case 'sle':
    case 'ole':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! <= b[i]! ? 1 : 0;
      };
    case 'sgt':
    case 'ogt':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! > b[i]! ? 1 : 0;
      };
    case 'sge':
    case 'oge':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! >= b[i]! ? 1 : 0;
      };
    default:
      return undefined;
  }
}

/** 2^(i/64) of each part, and every power of two of a double. */
const FRACTIONS = Float64Array.from({ length: 64 }, (_, i) => 2 ** (i / 64));
const POWERS = Float64Array.from({ length: 2048 }, (_, i) => 2 ** (i - 1023));
/** Of 2^r for |r| ≤ 1/128, from Taylor's series: the error is below 2⁻⁵⁵. */
const [E1, E2, E3, E4, E5] = [1, 2, 3, 4, 5].map(
  (i) => Math.LN2 ** i / [1, 1, 2, 6, 24, 120][i]!,
) as [number, number, number, number, number];

/** 2^(scale · x), rounded to f32: what `exact` gives, in a third of the time. */
function exponentials(
  a: Numbers,
  scale: number,
  exact: (x: number) => number,
  o: Float32Array,
  n: number,
): void {
  for (let i = 0; i < n; i++) {
    const x = a[i]! * scale;
    // Neither NaN nor infinite, and far from where POWERS ends.
    if (!(x > -1000 && x < 1000)) {
      o[i] = exact(a[i]!);
      continue;
    }
    const k = Math.floor(x * 64 + 0.5);
    const r = x - k / 64;
    const near = 1 + r * (E1 + r * (E2 + r * (E3 + r * (E4 + r * E5))));
    o[i] = near * FRACTIONS[k & 63]! * POWERS[(k >> 6) + 1023]!;
  }
}

/** False where it is not done here: copying few numbers to and fro costs more than it saves. */
function extrema(kind: 'max' | 'min', a: Numbers, b: Numbers, o: Float32Array, n: number): boolean {
  if (n < 32 || n % SIMD_FLOATS !== 0) return false;
  const simd = simdExtremum();
  if (!simd) return false;
  const floats = simd.floats(2 * n);
  floats.set(n === a.length ? a : a.subarray(0, n));
  floats.set(n === b.length ? b : b.subarray(0, n), n);
  simd.both(kind, 0, n, 0, n);
  o.set(floats.subarray(0, n));
  return true;
}

/** No i64 among the operands. Integer results wrap by being stored; floats are rounded to f32 so. */
function fastKernel(
  name: OpName,
  attributes: Readonly<Record<string, Attribute>>,
  from: TileDType,
  inputs: readonly Numbers[],
  out: Tile,
): Kernel | undefined {
  const o = out.data;
  const a = inputs[0]!;
  const b = inputs[1]!;
  const i1 = from === 'i1';
  switch (name) {
    case 'arith.addf':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! + b[i]!;
      };
    case 'arith.subf':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! - b[i]!;
      };
    case 'arith.mulf':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! * b[i]!;
      };
    case 'arith.divf':
    case 'tt.precise_divf':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! / b[i]!;
      };
    case 'arith.negf':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = -a[i]!;
      };
    case 'math.absf':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = Math.abs(a[i]!);
      };
    case 'math.exp':
      return (n) => {
        if (o instanceof Float32Array) exponentials(a, Math.LOG2E, Math.exp, o, n);
        else for (let i = 0; i < n; i++) o[i] = Math.exp(a[i]!);
      };
    case 'math.exp2':
      return (n) => {
        if (o instanceof Float32Array) exponentials(a, 1, (x) => 2 ** x, o, n);
        else for (let i = 0; i < n; i++) o[i] = 2 ** a[i]!;
      };
    case 'math.log':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = Math.log(a[i]!);
      };
    case 'math.sqrt':
    case 'tt.precise_sqrt':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = Math.sqrt(a[i]!);
      };
    case 'arith.maxnumf':
      return (n) => {
        if (o instanceof Float32Array && extrema('max', a, b, o, n)) return;
        for (let i = 0; i < n; i++) {
          const [x, y] = [a[i]!, b[i]!];
          const z = Math.max(x, y);
          // A NaN only where both are.
          o[i] = z === z ? z : x !== x ? y : x;
        }
      };
    case 'arith.minnumf':
      return (n) => {
        if (o instanceof Float32Array && extrema('min', a, b, o, n)) return;
        for (let i = 0; i < n; i++) {
          const [x, y] = [a[i]!, b[i]!];
          const z = Math.min(x, y);
          // A NaN only where both are.
          o[i] = z === z ? z : x !== x ? y : x;
        }
      };
    case 'arith.addi':
      if (i1) return undefined;
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! + b[i]!;
      };
    case 'arith.subi':
      if (i1) return undefined;
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! - b[i]!;
      };
    case 'arith.muli':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = Math.imul(a[i]!, b[i]!);
      };
    case 'arith.andi':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! & b[i]!;
      };
    case 'arith.ori':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! | b[i]!;
      };
    case 'arith.xori':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! ^ b[i]!;
      };
    case 'arith.divsi':
      if (i1) return undefined;
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = b[i] === 0 ? a[i]! : (a[i]! / b[i]!) | 0;
      };
    case 'arith.remsi':
      if (i1) return undefined;
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = b[i] === 0 ? 0 : a[i]! % b[i]!;
      };
    case 'arith.shli':
      if (from !== 'i32') return undefined;
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! << b[i]!;
      };
    case 'arith.shrsi':
      if (from !== 'i32') return undefined;
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! >> b[i]!;
      };
    case 'arith.shrui':
      if (from !== 'i32') return undefined;
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! >>> b[i]!;
      };
    case 'arith.maxsi':
      if (i1) return undefined;
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! > b[i]! ? a[i]! : b[i]!;
      };
    case 'arith.minsi':
      if (i1) return undefined;
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! < b[i]! ? a[i]! : b[i]!;
      };
    case 'arith.cmpf':
      return compareLoop(String(attributes['predicate']), a, b, o);
    case 'arith.cmpi': {
      const predicate = String(attributes['predicate']);
      if (i1 && predicate.length > 2) return undefined;
      return predicate.startsWith('u')
        ? unsignedCompare(predicate, from, a, b, o)
        : compareLoop(predicate, a, b, o);
    }
    case 'arith.select': {
      const c = inputs[2]!;
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i] ? b[i]! : c[i]!;
      };
    }
    case 'arith.extf':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]!;
      };
    case 'arith.truncf':
      // From f64, a narrow format must be rounded to directly.
      if (from === 'f64' && out.dtype !== 'f32') return undefined;
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]!;
      };
    case 'arith.extsi':
      if (i1) return undefined;
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]!;
      };
    case 'arith.extui':
      if (!i1) return undefined;
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]!;
      };
    case 'arith.trunci':
      if (out.dtype === 'i1') return undefined;
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]!;
      };
    case 'arith.sitofp':
      if (i1 || (isInteger(asDType(from)) && out.dtype !== 'f32' && out.dtype !== 'f64'))
        return undefined;
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]!;
      };
    case 'arith.bitcast':
      return bitcastKernel(from, a, out);
    default:
      return undefined;
  }
}

function unsignedCompare(
  predicate: string,
  from: TileDType,
  a: Numbers,
  b: Numbers,
  o: Numbers,
): Kernel | undefined {
  // Sign extension keeps the unsigned order of narrow integers too.
  if (from === 'i1') return undefined;
  switch (predicate) {
    case 'ult':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! >>> 0 < b[i]! >>> 0 ? 1 : 0;
      };
    case 'ule':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! >>> 0 <= b[i]! >>> 0 ? 1 : 0;
      };
    case 'ugt':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! >>> 0 > b[i]! >>> 0 ? 1 : 0;
      };
    default:
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! >>> 0 >= b[i]! >>> 0 ? 1 : 0;
      };
  }
}

function bitcastKernel(from: TileDType, a: Numbers, out: Tile): Kernel | undefined {
  if (from === out.dtype)
    return (n) => {
      for (let i = 0; i < n; i++) out.data[i] = a[i]!;
    };
  const bits32 = new Set<TileDType>(['i32', 'f32']);
  if (!bits32.has(from) || !bits32.has(out.dtype)) return undefined;
  const source = new Int32Array(a.buffer);
  const target = new Int32Array(out.data.buffer);
  return (n) => {
    for (let i = 0; i < n; i++) target[i] = source[i]!;
  };
}
