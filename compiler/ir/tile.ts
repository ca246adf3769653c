/**
 * How the interpreter holds values: one typed array a value, scalars as tiles of one element.
 *
 *   i1 Uint8Array (0, 1) · i8, i16, i32 Int8/16/32Array · f64 and pointers Float64Array ·
 *   every other float Float32Array, rounded to its format after each operation
 *
 * i64 is exact in two ways: as a Float64Array while every element is a safe integer (nearly
 * always), else as a BigInt64Array (`wide`). Operations compute in doubles, notice when a result
 * leaves the safe range, and do it again in bigints.
 */
import { roundFloat } from './numbers';
import type { DType, ElementType, Type } from './types';
import { elementOf } from './types';

export type Numbers =
  Uint8Array | Int8Array | Int16Array | Int32Array | Float32Array | Float64Array;

/** A pointer's elements are addresses: whole numbers below 2⁵³. */
export type TileDType = DType | 'pointer';

/** As the IR's numbers: an address is an i64. */
export const asDType = (dtype: TileDType): DType => (dtype === 'pointer' ? 'i64' : dtype);

/** Computes the first n elements of its result. */
export type Kernel = (n: number) => void;

export class Tile {
  readonly data: Numbers;
  /** For i64 only: the elements, while `wide`; else scratch. */
  big: BigInt64Array | undefined;
  wide = false;

  constructor(
    readonly dtype: TileDType,
    readonly count: number,
  ) {
    this.data = allocate(dtype, count);
  }
}

export function tileDType(type: Type | ElementType): TileDType {
  const element = elementOf(type);
  return element.kind === 'pointer' ? 'pointer' : element.dtype;
}

function allocate(dtype: TileDType, count: number): Numbers {
  switch (dtype) {
    case 'i1':
      return new Uint8Array(count);
    case 'i8':
      return new Int8Array(count);
    case 'i16':
      return new Int16Array(count);
    case 'i32':
      return new Int32Array(count);
    case 'i64':
    case 'f64':
    case 'pointer':
      return new Float64Array(count);
    default:
      return new Float32Array(count);
  }
}

/** The elements of an i64 tile as bigints; a copy unless the tile is wide. */
export function bigElements(tile: Tile, n: number): BigInt64Array {
  const big = (tile.big ??= new BigInt64Array(tile.count));
  if (!tile.wide) for (let i = 0; i < n; i++) big[i] = BigInt(tile.data[i]!);
  return big;
}
/** Says that `big` holds the elements; goes back to doubles where they all fit. */
export function settleBig(tile: Tile, n: number): void {
  const { data } = tile;
  const big = tile.big!;
  for (let i = 0; i < n; i++) {
    const x = Number(big[i]!);
    if (!Number.isSafeInteger(x)) {
      tile.wide = true;
      return;
    }
    data[i] = x;
  }
  tile.wide = false;
}

/** The same elements; both tiles have one dtype. `to` may be longer. */
export function copyTile(to: Tile, from: Tile): void {
  if (to === from) return;
  if (from.wide) {
    to.big ??= new BigInt64Array(to.count);
    to.big.set(from.big!);
    to.wide = true;
    return;
  }
  to.wide = false;
  to.data.set(from.data);
}
/** `n` copies of the first element. */
export function fillTile(to: Tile, from: Tile, n: number): void {
  if (from.wide) {
    to.big ??= new BigInt64Array(to.count);
    to.big.fill(from.big![0]!, 0, n);
    to.wide = true;
    return;
  }
  to.wide = false;
  to.data.fill(from.data[0]!, 0, n);
}

/** Moves elements by a list of source indices. */
export function gatherTile(to: Tile, from: Tile, indices: Int32Array): void {
  const n = indices.length;
  if (from.wide) {
    const big = (to.big ??= new BigInt64Array(to.count));
    for (let i = 0; i < n; i++) big[i] = from.big![indices[i]!]!;
    to.wide = true;
    return;
  }
  to.wide = false;
  const a = from.data;
  const o = to.data;
  for (let i = 0; i < n; i++) o[i] = a[indices[i]!]!;
}

/** Every run of `inner` elements, `times` times. */
export function repeatTile(
  to: Tile,
  from: Tile,
  [outer, times, inner]: readonly [number, number, number],
): void {
  const wide = from.wide;
  if (wide) to.big ??= new BigInt64Array(to.count);
  to.wide = wide;
  const [o, a] = wide ? [to.big!, from.big!] : [to.data, from.data];
  if (inner === 1) {
    for (let r = 0; r < outer; r++) o.fill(a[r] as never, r * times, (r + 1) * times);
    return;
  }
  for (let r = 0, at = 0; r < outer; r++) {
    const run = a.subarray(r * inner, (r + 1) * inner);
    for (let t = 0; t < times; t++, at += inner) o.set(run as never, at);
  }
}

/** One element as the element functions take it. */
export function elementAt(tile: Tile, i: number): number | bigint {
  if (tile.dtype !== 'i64') return tile.data[i]!;
  return tile.wide ? tile.big![i]! : BigInt(tile.data[i]!);
}
export function setElement(tile: Tile, i: number, value: number | bigint): void {
  if (typeof value !== 'bigint') {
    tile.data[i] = value;
    return;
  }
  const x = Number(value);
  if (!tile.wide && Number.isSafeInteger(x)) {
    tile.data[i] = x;
    return;
  }
  const big = bigElements(tile, tile.count);
  tile.wide = true;
  big[i] = value;
}

/** Rounds the first n elements to the format; nothing for f32, f64 and integers. */
export function rounderOf(dtype: TileDType, data: Numbers): ((n: number) => void) | undefined {
  switch (dtype) {
    case 'f16':
      return roundF16(data as Float32Array);
    case 'bf16':
      return roundBf16(data as Float32Array);
    case 'f8E4M3FN':
    case 'f8E5M2':
    case 'f8E4M3FNUZ':
    case 'f8E5M2FNUZ':
    case 'f8E4M3B11FNUZ':
      return (n) => {
        for (let i = 0; i < n; i++) data[i] = roundFloat(dtype, data[i]!);
      };
    default:
      return undefined;
  }
}
/**
 * From f32 by its bits. Rounding a result first to f32 and then to f16 or bf16 gives the same as
 * once for + - * / and sqrt: 24 bits are more than twice the narrow format's, and two.
 */
function roundF16(data: Float32Array): (n: number) => void {
  const bits = new Uint32Array(data.buffer);
  return (n) => {
    for (let i = 0; i < n; i++) {
      const u = bits[i]!;
      const a = u & 0x7fffffff;
      if (a >= 0x38800000) {
        if (a < 0x477ff000) bits[i] = (u + 0xfff + ((u >>> 13) & 1)) & ~0x1fff;
        else if (a <= 0x7f800000) bits[i] = (u & 0x80000000) | 0x7f800000;
      } else {
        // Subnormal: adding 0.5 leaves steps of 2⁻²⁴.
        const x = data[i]!;
        data[i] = x < 0 || u >>> 31 ? 0.5 - Math.fround(0.5 - x) : Math.fround(0.5 + x) - 0.5;
        if (u >>> 31) bits[i] = bits[i]! | 0x80000000;
      }
    }
  };
}
function roundBf16(data: Float32Array): (n: number) => void {
  const bits = new Uint32Array(data.buffer);
  return (n) => {
    for (let i = 0; i < n; i++) {
      const u = bits[i]!;
      if ((u & 0x7fffffff) <= 0x7f800000) bits[i] = (u + 0x7fff + ((u >>> 16) & 1)) & ~0xffff;
    }
  };
}

/** Hands out tiles and takes them back, so that the working set stays in the cache. */
export class TilePool {
  readonly #free = new Map<string, Tile[]>();

  take(dtype: TileDType, count: number): Tile {
    const tile = this.#free.get(`${dtype}:${count}`)?.pop();
    return tile ?? new Tile(dtype, count);
  }
  give(tile: Tile): void {
    const key = `${tile.dtype}:${tile.count}`;
    const list = this.#free.get(key);
    if (list) list.push(tile);
    else this.#free.set(key, [tile]);
  }
}
