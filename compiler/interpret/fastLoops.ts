/**
 * The frequent elementwise operations on anything but i64, each written out as a loop. Integer results wrap by being
 * stored, floats are rounded to f32 so; narrower ones are rounded by who asks.
 */
import type { Attribute } from '../ir/ir';
import type { OpName } from '../ir/ops';
import { isInteger } from '../ir/types';
import { SIMD_FLOATS, simdExtremum } from './simd/extremum';
import { asDType, type Kernel, type Numbers, type Tile, type TileDType } from './tile';

export function compareLoop(
  predicate: string,
  a: Numbers,
  b: Numbers,
  o: Numbers,
): Kernel | undefined {
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
export function fastKernel(
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
