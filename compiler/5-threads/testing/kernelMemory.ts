/** Memory of random kernels: their inputs, and what their outputs hold before. */
import { floatBits } from '../../ir/numbers';
import { bitWidth, byteSize, isFloat, scalar } from '../../ir/types';
import type { DType } from '../../ir/types';

/** Elements of each input. */
export const INPUT = 4096;

/** Memory that a kernel finds where it does not store; an i1 in memory is 0 or 1. */
export function poison(dtype: DType, length: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(length);
  for (let i = 0; i < length; i++) out[i] = dtype === 'i1' ? i % 2 : (i * 37) & 0xff;
  if (isFloat(dtype)) out.fill(0x41);
  return out;
}

const WILD = [0, -0, 1, -1, 0.5, 1.5, -2.75, 3.14159, 100.25, -448, 65504, 1e5, -1e30, 3e38];
/** `wild`: floats may be infinite, NaN, or of any size. */
export function inputBytes(
  dtype: DType,
  random: () => number,
  wild: boolean,
): Uint8Array<ArrayBuffer> {
  const size = byteSize(scalar(dtype));
  const view = new DataView(new ArrayBuffer(INPUT * size));
  // One number of the kernel's: a shrunk kernel keeps the rest of its data.
  let state = Math.floor(random() * 0x7fffffff) + 1;
  const next = (n: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * n);
  };
  for (let i = 0; i < INPUT; i++) {
    let bits: bigint;
    if (isFloat(dtype)) {
      const special = wild && next(3) > 0;
      const value = special ? [...WILD, Infinity, -Infinity, NaN][next(WILD.length + 3)]! : 0;
      bits = floatBits(dtype, special ? value : next(17) - 8);
    } else if (dtype === 'i1') bits = BigInt(next(2));
    else {
      const range = 2 ** next(Math.min(50, bitWidth(dtype)) + 1);
      bits = BigInt.asUintN(bitWidth(dtype), BigInt(next(range) - Math.floor(range / 2)));
    }
    for (let byte = 0; byte < size; byte++)
      view.setUint8(i * size + byte, Number((bits >> BigInt(8 * byte)) & 0xffn));
  }
  return new Uint8Array(view.buffer);
}
