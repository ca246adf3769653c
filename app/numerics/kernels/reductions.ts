/**
 * Sums and extremes of rows through WebAssembly. A kernel folds a piece of rows into four partial
 * results a row; here they become one.
 *
 * Guarantee: integer sums wrap as those of `../reduce`; extremes are the same but for the sign of
 * zero; float sums accumulate in f64, in four parts where `../reduce` has one, so their error is at
 * most its.
 */
import { ITEM_SIZE, computeArray, isBig } from '../dtypes';
import type { BigArray, Dtype, NumberArray, Values } from '../dtypes';
import { OPERATIONS } from './arithmetic';
import {
  Body, I32, V128, f32x4, f64x2, i32, i32x4, i64x2, moduleOf, s, v, v128,
} from './code'; // prettier-ignore
import type { Code } from './code';
import { convertFour, hold, kindOf, loadFour, maskFor, storeFour } from './elements';
import type { Four, Kind } from './elements';
import { OUT, PIECE, scratch } from './scratch';

type Fold = 'sum' | 'amax' | 'amin';
type Run = (rows: number, width: number) => void;
const kernels = new Map<string, Run>();

/** Dtype that a fold's partial results are stored in. */
function partialDtype(fold: Fold, dtype: Dtype): Dtype {
  const kind = kindOf(dtype);
  // Narrow integers do not hold the value that changes no result.
  if (fold !== 'sum') return kind === 'i32' ? 'int32' : dtype;
  return kind === 'f32' ? 'float64' : dtype;
}

/** The value that changes no result. */
function neutral(fold: Fold, kind: Kind): Four {
  const low = fold === 'amax' ? -1 : 1;
  switch (kind) {
    case 'f32':
      return [f32x4(low * Infinity)];
    case 'f64':
      return fold === 'sum' ? [f64x2(0), f64x2(0)] : [f64x2(low * Infinity), f64x2(low * Infinity)];
    case 'i32':
      return [i32x4(fold === 'amax' ? -(2 ** 31) : 2 ** 31 - 1)];
    case 'i64': {
      const far = fold === 'amax' ? -(2n ** 63n) : 2n ** 63n - 1n;
      const part = fold === 'sum' ? i64x2(0n) : i64x2(far);
      return [part, part];
    }
  }
}

function kernel(fold: Fold, dtype: Dtype): Run {
  const key = `${fold} ${dtype}`;
  const known = kernels.get(key);
  if (known) return known;
  const partial = partialDtype(fold, dtype);
  const kind = kindOf(partial)!;
  const size = ITEM_SIZE[dtype];
  const body = new Body(2);
  const at = body.local(I32);
  const out = body.local(I32);
  const row = body.local(I32);
  const left = body.local(I32);
  const first = neutral(fold, kind);
  const sum = first.map(() => body.local(V128));
  const context = { body, kind, dtype: partial, trouble: row };
  const add = (masked: boolean): void => {
    let four = convertFour(body, dtype, partial, loadFour(body, dtype, 0, body.get(at)));
    if (masked) {
      const lanes = v128(new Int32Array([0, 1, 2, 3]));
      const inside = v('i32x4.lt', lanes, v('i32x4.splat', body.get(left)));
      const masks = maskFor(body, kind, body.let(V128, inside));
      four = four.map((x, i) => body.let(V128, v('bitselect', x, first[i]!, masks[i]!)));
    }
    const name = fold === 'sum' ? 'add' : fold === 'amax' ? 'maximum' : 'minimum';
    const held = sum.map((local) => body.get(local));
    // A NaN stays, whichever side it is on: `maximum` keeps the first operand's, then the second's.
    const made = OPERATIONS[name]!(context, four, held)!;
    hold(body, made).forEach((x, i) => body.set(sum[i]!, x));
  };
  body.loop(
    () => {
      sum.forEach((local, i) => body.set(local, first[i]!));
      body.set(left, body.get(1));
      body.when(s('i32.ge', body.get(left), i32(4)), () =>
        body.loop(
          () => {
            add(false);
            body.set(at, s('i32.add', body.get(at), i32(4 * size)));
            body.set(left, s('i32.sub', body.get(left), i32(4)));
          },
          s('i32.ge', body.get(left), i32(4)),
        ),
      );
      body.when(body.get(left), () => {
        add(true);
        body.set(at, s('i32.add', body.get(at), s('i32.mul', body.get(left), i32(size))));
      });
      const results = sum.map((local): Code => body.get(local));
      storeFour(body, partial, OUT, body.get(out), results);
      body.set(out, s('i32.add', body.get(out), i32(4 * ITEM_SIZE[partial])));
      body.set(row, s('i32.add', body.get(row), i32(1)));
    },
    s('i32.lt', body.get(row), body.get(0)),
  );
  const instance = new WebAssembly.Instance(new WebAssembly.Module(moduleOf(body, 2)), {
    m: { m: scratch().memory, f: () => 0 },
  });
  const run = instance.exports['run'] as Run;
  kernels.set(key, run);
  return run;
}

/**
 * @param x `rows` rows of `width` elements as they are stored, in `dtype`; narrow floats may be.
 * @returns a sum, the largest or the smallest of each row, in the partial results' dtype: f64 for
 * a sum of floats, int32 for an extreme of narrower integers; null where there is no kernel.
 */
export function foldRows(
  name: string,
  x: Values,
  rows: number,
  width: number,
  dtype: Dtype,
): Values | null {
  if (name !== 'sum' && name !== 'amax' && name !== 'amin') return null;
  const kind = kindOf(dtype);
  if (
    !kind ||
    ITEM_SIZE[dtype] !== x.BYTES_PER_ELEMENT ||
    width === 0 ||
    (name === 'sum' && kind === 'i32')
  )
    return null;
  const partial = partialDtype(name, dtype);
  const run = kernel(name, dtype);
  const out = computeArray(partial, rows);
  const size = ITEM_SIZE[dtype];
  const bytes = new Uint8Array(x.buffer, x.byteOffset, x.byteLength);
  const { bytes: memory } = scratch();
  const most = Math.max(1, Math.min(Math.floor(PIECE / width), PIECE / 4));
  const parts = partialsOf(partial, 4 * most);
  for (let row = 0; row < rows; row += most) {
    const count = Math.min(most, rows - row);
    for (let from = 0; from < width; from += PIECE) {
      // More than one row at once only where a row is no longer than a piece.
      const length = Math.min(PIECE, width - from);
      const start = (row * width + from) * size;
      memory.set(bytes.subarray(start, start + count * length * size), 0);
      run(count, length);
      combine(name, parts, out, row, count, from > 0);
    }
  }
  return out;
}

function partialsOf(dtype: Dtype, length: number): Values {
  const { bytes } = scratch();
  const Type = computeArray(dtype, 0).constructor as Float64ArrayConstructor;
  return new Type(bytes.buffer, OUT, length) as Values;
}

function combine(
  name: Fold,
  parts: Values,
  out: Values,
  row: number,
  count: number,
  further: boolean,
): void {
  if (isBig(parts)) {
    const to = out as BigArray;
    for (let r = 0; r < count; r++) {
      let value = further ? to[row + r]! : parts[4 * r]!;
      for (let i = further ? 0 : 1; i < 4; i++) {
        const each = parts[4 * r + i]!;
        if (name === 'sum') value = BigInt.asIntN(64, value + each);
        else if (name === 'amax' ? each > value : each < value) value = each;
      }
      to[row + r] = value;
    }
    return;
  }
  const to = out as NumberArray;
  for (let r = 0; r < count; r++) {
    let value = further ? to[row + r]! : parts[4 * r]!;
    for (let i = further ? 0 : 1; i < 4; i++) {
      const each = parts[4 * r + i]!;
      if (name === 'sum') value += each;
      else if (each !== each || (name === 'amax' ? each > value : each < value)) value = each;
    }
    to[row + r] = value;
  }
}
