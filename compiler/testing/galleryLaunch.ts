/**
 * For tests: small inputs for a kernel of the gallery, guessed from its parameters. Sizes and
 * strides need not fit together: an access out of range gives 0 or is left out, on the interpreters
 * as on a GPU.
 */
import type { MemoryStorage } from '../interpret/memory';
import { encodeSmall, roundFloat } from '../ir/numbers';
import type { Func } from '../ir/ir';
import type { ElementType } from '../ir/types';
import { byteSize, elementOf, isFloat } from '../ir/types';

export interface GalleryLaunch {
  readonly args: readonly (number | bigint | boolean)[];
  readonly memory: readonly MemoryStorage[];
  readonly grid: readonly [number, number, number];
}

/** Elements of each tensor: some rows of the sizes below. */
const ELEMENTS = 16_384;
const SIZE = 73;
/**
 * Scalars by the parameters' names: strides at which no two elements share a place, and short
 * loops.
 */
const SCALARS: Readonly<Record<string, number>> = {
  ...{ ab: 2048, bb: 2048, cb: 2048, am: 96, ak: 1, bk: 96, bn: 1, cm: 96, cn: 1 },
  ...{ stride: 96, x_stride: 96, out_stride: 96, stride_row: 128, stride_head: 8192 },
  ...{ window: 40, heads: 4, kv_heads: 2, group: 2, width: 3, max_pages: 8, splits: 2 },
  ...{ C: 3, H: 9, W: 7, OC: 5, n_rows: 4, share: 80, limit: 20, low: -1, high: 1 },
  // Above 0 its noise has to lie between 0 and 1.
  temperature: 0,
};
/** Rows of three chunks, so that the loop over them goes round. */
const OF_KERNEL: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  scan_kernel: { N: 300 },
  loss_kernel: { n_cols: 2200 },
  sample_kernel: { n: 1300 },
  conv_kernel: { C: 9 },
};
/** A tensor of integers that are addresses of another tensor. */
const ADDRESSES = 'address_ptr';
const FIRST_ADDRESS = 2 ** 20;

/** The same numbers every time. */
function* numbers(): Generator<number> {
  for (let x = 12345; ;) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    yield x / 2 ** 32;
  }
}

/** @param size of the scalars whose names say nothing. */
export function galleryLaunch(func: Func, grid: GalleryLaunch['grid'], size = SIZE): GalleryLaunch {
  const random = numbers();
  const memory: MemoryStorage[] = [];
  const add = (element: ElementType): number => {
    const address = FIRST_ADDRESS + memory.length * 2 ** 18;
    const bytes = new Uint8Array(ELEMENTS * byteSize(element));
    memory.push({ address, bytes });
    fill(bytes, element, random, () => add({ kind: 'scalar', dtype: 'f32' }));
    return address;
  };
  const args = func.body.args.map((arg, i) => {
    const element = elementOf(arg.type);
    if (element.kind === 'pointer') {
      const address = add(element.pointee);
      if (arg.name === ADDRESSES)
        point(memory.at(-1)!.bytes, add({ kind: 'scalar', dtype: 'f32' }));
      return address;
    }
    const { dtype } = element;
    if (dtype === 'i1') return true;
    const name = arg.name ?? '';
    if (isFloat(dtype)) return SCALARS[name] ?? 0.5;
    const value = OF_KERNEL[func.name]?.[name] ?? SCALARS[name] ?? size;
    const promised = func.parameters[i]?.divisibility ?? 1;
    const kept = Math.ceil(value / promised) * promised;
    return dtype === 'i64' ? BigInt(kept) : kept;
  });
  return { args, memory, grid };
}

function point(bytes: Uint8Array, address: number): void {
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length; at += 8) view.setBigUint64(at, BigInt(address), true);
}

/** Floats around 0, indices below 80; addresses of a tensor of f32. */
function fill(
  bytes: Uint8Array,
  element: ElementType,
  random: Generator<number>,
  target: () => number,
): void {
  const view = new DataView(bytes.buffer);
  const size = byteSize(element);
  const next = (): number => random.next().value as number;
  const address = element.kind === 'pointer' ? target() : 0;
  for (let at = 0; at < bytes.length; at += size) {
    if (element.kind === 'pointer') {
      view.setBigUint64(at, BigInt(address), true);
      continue;
    }
    const { dtype } = element;
    if (dtype === 'f32') view.setFloat32(at, next() * 2 - 1, true);
    else if (dtype === 'f64') view.setFloat64(at, next() * 2 - 1, true);
    else if (isFloat(dtype)) {
      const bits = encodeSmall(dtype, roundFloat(dtype, next() * 2 - 1));
      if (size === 1) view.setUint8(at, bits);
      else view.setUint16(at, bits, true);
    } else if (size === 1) view.setUint8(at, dtype === 'i1' ? Math.round(next()) : next() * 80);
    else if (size === 2) view.setUint16(at, next() * 80, true);
    else view.setUint32(at, next() * 80, true);
  }
}
