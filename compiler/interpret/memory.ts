/**
 * Global memory as the interpreter sees it: storages at addresses of a flat 64-bit space. Elements
 * are read and written in runs through typed views where alignment allows, else byte by byte.
 */
import type { Location } from '../ir/location';
import { decodeTable, encodeSmall } from '../ir/numbers';
import type { Numbers, Tile, TileDType } from '../ir/tile';

/** Bytes that live at an address. Addresses are whole numbers below 2⁵³. */
export interface MemoryStorage {
  readonly address: number;
  readonly bytes: Uint8Array;
}

/**
 * An access outside of every storage, or outside of the storage of the argument it goes through.
 */
export class OutOfRangeError extends Error {
  constructor(
    readonly access: 'load' | 'store' | 'atomic',
    readonly location: Location,
    readonly programId: readonly [number, number, number],
    readonly address: number,
    /** The kernel's parameter that the pointer comes from, where it is known. */
    readonly argument: string | null,
    /** Elements from the start of the argument's storage, where it is known. */
    readonly element: number | null,
  ) {
    const where = argument === null ? `address 0x${address.toString(16)}` : `'${argument}'`;
    const at = element === null ? '' : ` at element ${element}`;
    super(`${access} out of range of ${where}${at} in program (${programId.join(', ')})`);
  }
}

export function tileElementBytes(dtype: TileDType): number {
  switch (dtype) {
    case 'i1':
    case 'i8':
    case 'f8E4M3FN':
    case 'f8E5M2':
    case 'f8E4M3FNUZ':
    case 'f8E5M2FNUZ':
    case 'f8E4M3B11FNUZ':
      return 1;
    case 'i16':
    case 'f16':
    case 'bf16':
      return 2;
    case 'i32':
    case 'f32':
      return 4;
    case 'i64':
    case 'f64':
    case 'pointer':
      return 8;
    default:
      return dtype satisfies never;
  }
}

const TWO32 = 2 ** 32;
/** A high word in this range makes a safe integer. */
const SAFE_HIGH = 1 << 21;

export class MemoryRegion {
  readonly begin: number;
  readonly end: number;
  readonly #bytes: Uint8Array;
  readonly #views = new Map<string, Numbers | Uint16Array | Uint32Array>();

  constructor(storage: MemoryStorage) {
    this.begin = storage.address;
    this.end = storage.address + storage.bytes.length;
    this.#bytes = storage.bytes;
  }

  /** The raw elements of a dtype, or undefined where the bytes are not aligned for it. */
  rawView(dtype: TileDType): Numbers | Uint16Array | Uint32Array | undefined {
    let view = this.#views.get(dtype);
    if (view) return view;
    const { buffer, byteOffset, length } = this.#bytes;
    const size = tileElementBytes(dtype);
    const align = Math.min(size, 4);
    if (byteOffset % align !== 0) return undefined;
    const count = Math.floor(length / align);
    switch (dtype) {
      case 'f32':
        view = new Float32Array(buffer, byteOffset, count);
        break;
      case 'i32':
        view = new Int32Array(buffer, byteOffset, count);
        break;
      case 'i16':
        view = new Int16Array(buffer, byteOffset, count);
        break;
      case 'i8':
        view = new Int8Array(buffer, byteOffset, count);
        break;
      case 'f16':
      case 'bf16':
        view = new Uint16Array(buffer, byteOffset, count);
        break;
      case 'i64':
      case 'f64':
      case 'pointer':
        view = new Uint32Array(buffer, byteOffset, count);
        break;
      default:
        view = new Uint8Array(buffer, byteOffset, count);
    }
    this.#views.set(dtype, view);
    return view;
  }

  /** The bytes from an address on, for elements that are not aligned. */
  bytesAt(address: number, length: number): Uint8Array {
    const start = address - this.begin;
    return this.#bytes.subarray(start, start + length);
  }
}

/** The storages of a launch, found by address. */
export class Memory {
  readonly #regions: MemoryRegion[];

  constructor(storages: readonly MemoryStorage[]) {
    this.#regions = storages
      .map((storage) => new MemoryRegion(storage))
      .sort((a, b) => a.begin - b.begin);
  }
  /** The storage that holds the bytes from `address` on, or undefined. */
  find(address: number, bytes: number): MemoryRegion | undefined {
    let [low, high] = [0, this.#regions.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#regions[middle]!.begin <= address) low = middle + 1;
      else high = middle;
    }
    const region = this.#regions[low - 1];
    return region && address + bytes <= region.end ? region : undefined;
  }
}

const f64 = new Float64Array(1);
const f64Words = new Uint32Array(f64.buffer);
const f32 = new Float32Array(1);
const f32Word = new Uint32Array(f32.buffer);

/** Puts element `index` of a raw view into a tile. */
export type ReadElement = (index: number, tile: Tile, i: number) => void;

/** How elements of a dtype come out of a raw view. `index` counts elements. */
export function reader(dtype: TileDType, view: NonNullable<RawView>): ReadElement {
  switch (dtype) {
    case 'i64':
      return (index, tile, i) => readWide(view[2 * index]!, view[2 * index + 1]!, tile, i);
    case 'pointer':
      return (index, tile, i) => {
        tile.data[i] = view[2 * index + 1]! * TWO32 + view[2 * index]!;
      };
    case 'f64':
      return (index, tile, i) => {
        f64Words[0] = view[2 * index]!;
        f64Words[1] = view[2 * index + 1]!;
        tile.data[i] = f64[0]!;
      };
    case 'i1':
      return (index, tile, i) => {
        tile.data[i] = view[index] === 0 ? 0 : 1;
      };
    case 'f32':
    case 'i32':
    case 'i16':
    case 'i8':
      return (index, tile, i) => {
        tile.data[i] = view[index]!;
      };
    default: {
      const table = decodeTable(dtype);
      return (index, tile, i) => {
        tile.data[i] = table[view[index]!]!;
      };
    }
  }
}
type RawView = ReturnType<MemoryRegion['rawView']>;

function readWide(low: number, high: number, tile: Tile, i: number): void {
  const signed = high | 0;
  if (!tile.wide && signed >= -SAFE_HIGH + 1 && signed < SAFE_HIGH) {
    tile.data[i] = signed * TWO32 + low;
    return;
  }
  if (!tile.wide) {
    tile.big ??= new BigInt64Array(tile.count);
    for (let j = 0; j < tile.count; j++) tile.big[j] = BigInt(tile.data[j]!);
    tile.wide = true;
  }
  tile.big![i] = (BigInt(signed) << 32n) | BigInt(low);
}

/** How elements of a dtype go into a raw view. */
export function writer(dtype: TileDType, view: NonNullable<RawView>): ReadElement {
  switch (dtype) {
    case 'i64':
      return (index, tile, i) => {
        if (tile.wide) {
          const value = tile.big![i]!;
          view[2 * index] = Number(BigInt.asUintN(32, value));
          view[2 * index + 1] = Number(BigInt.asUintN(32, value >> 32n));
          return;
        }
        writeSafe(view, index, tile.data[i]!);
      };
    case 'pointer':
      return (index, tile, i) => writeSafe(view, index, tile.data[i]!);
    case 'f64':
      return (index, tile, i) => {
        f64[0] = tile.data[i]!;
        view[2 * index] = f64Words[0]!;
        view[2 * index + 1] = f64Words[1]!;
      };
    case 'i1':
    case 'f32':
    case 'i32':
    case 'i16':
    case 'i8':
      return (index, tile, i) => {
        view[index] = tile.data[i]!;
      };
    case 'f16':
      return (index, tile, i) => {
        f32[0] = tile.data[i]!;
        view[index] = encodeF16(f32Word[0]!, f32[0]!);
      };
    case 'bf16':
      return (index, tile, i) => {
        f32[0] = tile.data[i]!;
        const u = f32Word[0]!;
        // A NaN keeps a bit in the half that stays.
        view[index] = (u & 0x7fffffff) > 0x7f800000 ? (u >>> 16) | 0x40 : u >>> 16;
      };
    default:
      return (index, tile, i) => {
        view[index] = encodeSmall(dtype, tile.data[i]!);
      };
  }
}
function writeSafe(view: NonNullable<RawView>, index: number, x: number): void {
  const high = Math.floor(x / TWO32);
  view[2 * index] = x - high * TWO32;
  view[2 * index + 1] = high;
}
/** The f16 bits of a representable f32 value and its bits. */
function encodeF16(u: number, x: number): number {
  const sign = (u >>> 16) & 0x8000;
  const a = u & 0x7fffffff;
  if (a >= 0x47800000) return sign | (a > 0x7f800000 ? 0x7e00 : 0x7c00);
  if (a >= 0x38800000) return sign | ((a >>> 13) - (112 << 10));
  return sign | (Math.abs(x) * 2 ** 24);
}
