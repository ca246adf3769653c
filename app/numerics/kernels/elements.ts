/**
 * Four elements at a time in the vectors of WebAssembly: loads of a dtype, conversions, stores. The
 * results are those of `../dtypes`: narrow floats round to nearest even, integers wrap, and a float
 * becomes an integer through 64 bits, as on x86.
 */
import type { Dtype } from '../dtypes';
import {
  F64, I64, V128, f32x4, f64, f64x2, i32, i32x4, i64, i64x2, lane, memory, s, shuffle, truncated, v,
} from './code'; // prettier-ignore
import type { Body, Code } from './code';

/** How four elements are held: in one vector of 32-bit lanes, or in two of 64-bit lanes. */
export type Kind = 'f32' | 'f64' | 'i32' | 'i64';
/** One or two expressions without side effects. */
export type Four = readonly Code[];

/** Null: kernels do not handle it. */
export function kindOf(dtype: Dtype): Kind | null {
  switch (dtype) {
    case 'float64':
      return 'f64';
    case 'float32':
    case 'float16':
    case 'bfloat16':
      return 'f32';
    case 'int64':
      return 'i64';
    case 'int32':
    case 'int16':
    case 'int8':
    case 'uint8':
    case 'uint16':
    case 'bool':
      return 'i32';
    default:
      return null;
  }
}

const LOW_WORDS = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
const LOW_HALVES = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
const HIGH_HALF = [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15];

/** Keeps what is used more than once. */
export function hold(body: Body, four: Four): Four {
  return four.map((each) => body.let(V128, each));
}

/** The 32-bit lanes that two vectors of 64-bit lanes have below: i64 → i32, masks too. */
export function lowWords([a, b]: Four): Code {
  return shuffle(a!, b!, LOW_WORDS);
}

/** Elements at `address` + `offset`, in their own kind. */
export function loadFour(body: Body, dtype: Dtype, offset: number, address: Code): Four {
  const at = (name: 'load' | 'load32_zero' | 'load16x4_s' | 'load16x4_u', plus = 0): Code =>
    memory(name, offset + plus, address);
  switch (dtype) {
    case 'float64':
    case 'int64':
      return hold(body, [at('load'), at('load', 16)]);
    case 'float32':
    case 'int32':
      return hold(body, [at('load')]);
    case 'float16':
      return hold(body, [halfToSingle(body, at('load16x4_u'))]);
    case 'bfloat16':
      return hold(body, [v('i32x4.shl', at('load16x4_u'), i32(16))]);
    case 'int16':
      return hold(body, [at('load16x4_s')]);
    case 'uint16':
      return hold(body, [at('load16x4_u')]);
    case 'int8':
      return hold(body, [v('i32x4.extend_s', v('i16x8.extend_s', at('load32_zero')))]);
    default:
      return hold(body, [v('i32x4.extend_u', v('i16x8.extend_u', at('load32_zero')))]);
  }
}

/** Exact. The multiplication by 2^112 moves the exponent, and normalizes subnormal halves. */
function halfToSingle(body: Body, codes: Code): Code {
  const code = body.let(V128, codes);
  const magnitude = body.let(V128, v('and', code, i32x4(0x7fff)));
  const scaled = v('f32x4.mul', v('i32x4.shl', magnitude, i32(13)), f32x4(2 ** 112));
  const special = v('and', v('i32x4.gt', magnitude, i32x4(0x7bff)), i32x4(0x7f800000));
  const sign = v('i32x4.shl', v('and', code, i32x4(0x8000)), i32(16));
  return v('or', v('or', scaled, special), sign);
}

/** See `encode` in `../dtypes`, whose arithmetic this is. */
function singleToHalf(body: Body, x: Code): Code {
  const bits = body.let(V128, x);
  const magnitude = body.let(V128, v('and', bits, i32x4(0x7fffffff)));
  const odd = v('and', v('i32x4.shr_u', magnitude, i32(13)), i32x4(1));
  const rounded = v('i32x4.add', v('i32x4.add', magnitude, i32x4(0xfff - 0x38000000)), odd);
  const normal = v('i32x4.shr_u', rounded, i32(13));
  const small = v('i32x4.sub', v('f32x4.add', magnitude, f32x4(0.5)), i32x4(0x3f000000));
  const special = v(
    'bitselect',
    i32x4(0x7e00),
    i32x4(0x7c00),
    v('i32x4.gt', magnitude, i32x4(0x7f800000)),
  );
  const number = v('bitselect', normal, small, v('i32x4.gt', magnitude, i32x4(0x387fffff)));
  const chosen = v('bitselect', special, number, v('i32x4.gt', magnitude, i32x4(0x477fffff)));
  return v('or', chosen, v('and', v('i32x4.shr_u', bits, i32(16)), i32x4(0x8000)));
}

function singleToBrain(body: Body, x: Code): Code {
  const bits = body.let(V128, x);
  const high = body.let(V128, v('i32x4.shr_u', bits, i32(16)));
  const odd = v('and', high, i32x4(1));
  const rounded = v(
    'i32x4.shr_u',
    v('i32x4.add', v('i32x4.add', bits, i32x4(0x7fff)), odd),
    i32(16),
  );
  const nan = v('or', v('and', high, i32x4(0x8000)), i32x4(0x7fc0));
  return v('bitselect', nan, rounded, v('f32x4.ne', bits, bits));
}

/** Stores what is held in the dtype's own kind. */
export function storeFour(
  body: Body,
  dtype: Dtype,
  offset: number,
  address: Code,
  four: Four,
): void {
  const [x, y] = four as [Code, Code];
  switch (dtype) {
    case 'float64':
    case 'int64':
      body.do(memory('store', offset, address, x));
      body.do(memory('store', offset + 16, address, y));
      return;
    case 'float32':
    case 'int32':
      body.do(memory('store', offset, address, x));
      return;
    case 'float16':
    case 'bfloat16':
    case 'int16':
    case 'uint16': {
      const codes =
        dtype === 'float16'
          ? singleToHalf(body, x)
          : dtype === 'bfloat16'
            ? singleToBrain(body, x)
            : x;
      const packed = shuffle(body.let(V128, codes), i32x4(0), [
        ...[0, 1, 4, 5, 8, 9, 12, 13],
        ...Array<number>(8).fill(16),
      ]);
      body.do(memory('store64_lane', offset, address, packed, [0]));
      return;
    }
    default: {
      const packed = shuffle(x, i32x4(0), [0, 4, 8, 12, ...Array<number>(12).fill(16)]);
      body.do(memory('store32_lane', offset, address, packed, [0]));
    }
  }
}

const EXTRACT = {
  f32: 'f32x4.extract', f64: 'f64x2.extract', i32: 'i32x4.extract', i64: 'i64x2.extract',
} as const; // prettier-ignore
const SPLAT = {
  f32: 'f32x4.splat', f64: 'f64x2.splat', i32: 'i32x4.splat', i64: 'i64x2.splat',
} as const; // prettier-ignore
const REPLACE = {
  f32: 'f32x4.replace', f64: 'f64x2.replace', i32: 'i32x4.replace', i64: 'i64x2.replace',
} as const; // prettier-ignore

export function isWide(kind: Kind): boolean {
  return kind === 'f64' || kind === 'i64';
}

/** Element `index` of four, as a scalar. */
export function element(kind: Kind, four: Four, index: number): Code {
  return isWide(kind)
    ? lane(EXTRACT[kind], index & 1, four[index >> 1]!)
    : lane(EXTRACT[kind], index, four[0]!);
}

/** Four scalars in vectors. */
export function assemble(kind: Kind, scalars: readonly Code[]): Four {
  const pack = (part: readonly Code[]): Code =>
    part.reduce((made, each, i) =>
      i === 0
        ? v(SPLAT[kind], each)
        : lane(REPLACE[kind], i, i === 1 ? v(SPLAT[kind], made) : made, each),
    );
  return isWide(kind) ? [pack(scalars.slice(0, 2)), pack(scalars.slice(2))] : [pack(scalars)];
}

/** A scalar function of each element. */
export function each(from: Kind, to: Kind, four: Four, f: (x: Code) => Code): Four {
  return assemble(
    to,
    [0, 1, 2, 3].map((i) => f(element(from, four, i))),
  );
}

export function toDoubles(body: Body, [x]: Four): Four {
  return hold(body, [v('f64x2.promote', x!), v('f64x2.promote', shuffle(x!, x!, HIGH_HALF))]);
}
export function toSingles(body: Body, [x, y]: Four): Four {
  return hold(body, [shuffle(v('f32x4.demote', x!), v('f32x4.demote', y!), LOW_HALVES)]);
}

/** Elements of `dtype`, which `four` holds in its kind, as another dtype's, in the kind of that. */
export function convertFour(body: Body, from: Dtype, to: Dtype, four: Four): Four {
  if (from === to) return four;
  const a = kindOf(from)!;
  const b = kindOf(to)!;
  if (to === 'bool') return truth(body, a, four);
  if (b === 'i32') return hold(body, [wrapped(to, toWords(body, a, four))]);
  if (a === b) return to === 'float16' || to === 'bfloat16' ? rounded(body, to, four) : four;
  const [x] = four as [Code];
  if (b === 'f32') {
    const singles =
      a === 'f64'
        ? toSingles(body, four)
        : a === 'i32'
          ? hold(body, [v('f32x4.convert_s', x)])
          : hold(
              body,
              each('i64', 'f32', four, (e) => s('f32.convert_i64', e)),
            );
    return to === 'float32' ? singles : rounded(body, to, singles);
  }
  if (b === 'f64') {
    if (a === 'f32') return toDoubles(body, four);
    if (a === 'i32')
      return hold(body, [v('f64x2.convert_s', x), v('f64x2.convert_s', shuffle(x, x, HIGH_HALF))]);
    return hold(
      body,
      each('i64', 'f64', four, (e) => s('f64.convert_i64', e)),
    );
  }
  if (a === 'i32') return hold(body, [v('i64x2.low_s', x), v('i64x2.high_s', x)]);
  return floatsToLongs(body, a === 'f32' ? toDoubles(body, four) : four);
}

/** Rounded to what the narrow float can hold, still as f32. */
function rounded(body: Body, to: Dtype, [x]: Four): Four {
  if (to === 'float16') return hold(body, [halfToSingle(body, singleToHalf(body, x!))]);
  if (to === 'bfloat16') return hold(body, [v('i32x4.shl', singleToBrain(body, x!), i32(16))]);
  return [x!];
}

const ZERO = { f32: 'f32x4.ne', f64: 'f64x2.ne', i32: 'i32x4.ne', i64: 'i64x2.ne' } as const;
export function truth(body: Body, kind: Kind, four: Four): Four {
  const masks = four.map((x) => v(ZERO[kind], x, i32x4(0)));
  const mask = masks.length === 1 ? masks[0]! : lowWords(masks);
  return hold(body, [v('and', mask, i32x4(1))]);
}

/** Lowest 32 bits of the integers. */
function toWords(body: Body, kind: Kind, four: Four): Code {
  if (kind === 'i32') return four[0]!;
  if (kind === 'i64') return lowWords(four);
  const doubles = kind === 'f32' ? toDoubles(body, four) : four;
  const words = body.local(V128);
  body.when(
    fitsWords(doubles),
    () =>
      body.set(
        words,
        shuffle(
          v('i32x4.trunc_f64x2', doubles[0]!),
          v('i32x4.trunc_f64x2', doubles[1]!),
          LOW_HALVES,
        ),
      ),
    () => body.set(words, lowWords(longs(body, doubles))),
  );
  return body.get(words);
}

function floatsToLongs(body: Body, doubles: Four): Four {
  const low = body.local(V128);
  const high = body.local(V128);
  body.when(
    fitsWords(doubles),
    () => {
      body.set(low, v('i64x2.low_s', v('i32x4.trunc_f64x2', doubles[0]!)));
      body.set(high, v('i64x2.low_s', v('i32x4.trunc_f64x2', doubles[1]!)));
    },
    () => {
      const [a, b] = longs(body, doubles);
      body.set(low, a!);
      body.set(high, b!);
    },
  );
  return [body.get(low), body.get(high)];
}

/** 1 where every element is below 2^31 in magnitude; NaN is not. */
function fitsWords(doubles: Four): Code {
  const [a, b] = doubles.map((x) => v('f64x2.lt', v('f64x2.abs', x), f64x2(2 ** 31 - 1)));
  return s('i32.eqz', v('any_true', v('not', v('and', a!, b!))));
}

/** Integers as x86 makes them of floats: −2^63 where one is NaN or does not fit. */
function longs(body: Body, doubles: Four): Four {
  return hold(
    body,
    each('f64', 'i64', doubles, (code) => {
      const x = body.let(F64, code);
      const fits = s('f64.lt', s('f64.abs', x), f64(2 ** 63));
      return body.let(I64, s('select', truncated(x), i64(-(2n ** 63n)), fits));
    }),
  );
}

/** Words cut to the width of an integer dtype, with its sign. */
export function wrapped(dtype: Dtype, words: Code): Code {
  switch (dtype) {
    case 'int8':
      return v('i32x4.shr_s', v('i32x4.shl', words, i32(24)), i32(24));
    case 'int16':
      return v('i32x4.shr_s', v('i32x4.shl', words, i32(16)), i32(16));
    case 'uint8':
      return v('and', words, i32x4(0xff));
    case 'uint16':
      return v('and', words, i32x4(0xffff));
    default:
      return words;
  }
}

/** A mask of 32-bit lanes as wide as the kind's. */
export function maskFor(body: Body, kind: Kind, mask: Code): Four {
  if (!isWide(kind)) return [mask];
  return hold(body, [v('i64x2.low_s', mask), v('i64x2.high_s', mask)]);
}

export { i64x2 };
