/** The frequent elementwise operations on i64, as loops over doubles that tell where doubles did not suffice. */
import type { Attribute } from '../ir/ir';
import type { OpName } from '../ir/ops';
import { compareLoop } from './fastLoops';
import type { Numbers, Tile } from './tile';

/** A loop over doubles that says whether every result was a safe integer. */
type WideLoop = (n: number) => boolean;

export function wideLoop(
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
