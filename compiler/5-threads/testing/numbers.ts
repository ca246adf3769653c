/**
 * For tests: numbers of every dtype that go wrong first (zeros, denormals, halves, limits,
 * infinities, NaN), random ones, and kernels that apply one operation to each.
 */
import { Builder } from '../../ir/builder';
import { Block, Func } from '../../ir/ir';
import type { Value } from '../../ir/ir';
import { UNKNOWN_LOCATION } from '../../ir/location';
import { bitWidth, byteSize, isFloat, pointer, scalar } from '../../ir/types';
import type { DType, ScalarType } from '../../ir/types';

/** Elements that one program takes. */
export const BLOCK = 256;

/** out[i] = f(x0[i], x1[i], …), BLOCK elements a program. */
export function mapKernel(
  inputs: readonly ScalarType[],
  output: ScalarType,
  f: (b: Builder, args: readonly Value[]) => Value,
): () => Func {
  return () => {
    const body = new Block();
    const args = [...inputs, output].map((type, i) => body.addArg(pointer(type), `p${i}`));
    const b = new Builder(body);
    const start = b.binary('arith.muli', b.programId(0), b.i32(BLOCK));
    const offsets = b.binary('arith.addi', b.splat(start, [BLOCK]), b.makeRange(0, BLOCK));
    const at = (base: Value): Value => b.addptr(b.splat(base, [BLOCK]), offsets);
    const loaded = args.slice(0, -1).map((arg) => b.load(at(arg)));
    b.store(at(args.at(-1)!), f(b, loaded));
    b.return();
    const parameters = args.map(() => ({ divisibility: 16 }));
    return new Func('map', parameters, body, UNKNOWN_LOCATION);
  };
}

/** A generator of random u32s; the same for the same seed. */
export function words(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let x = state;
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
    return (x ^ (x >>> 15)) >>> 0;
  };
}

/** Bits of numbers worth trying. */
function corners(dtype: DType): bigint[] {
  const width = BigInt(bitWidth(dtype));
  if (!isFloat(dtype)) {
    if (dtype === 'i1') return [0n, 1n];
    const out = [0n, 1n, 2n, 3n, 5n, 7n, 10n, 127n, 128n, 255n];
    for (let bit = 1n; bit < width; bit++) out.push(1n << bit, (1n << bit) - 1n, (1n << bit) + 1n);
    return out.flatMap((x) => [x, -x, ~x]);
  }
  const mantissa = MANTISSA[dtype];
  const magnitudes = 1n << (width - 1n);
  const one = 1n << mantissa;
  const out = [0n, 1n, 2n, 3n, one - 2n, one - 1n, one, one + 1n, 2n * one, 3n * one];
  const middle = (magnitudes / one / 2n - 1n) * one;
  for (const at of [middle - one, middle, middle + one, middle + 2n * one]) {
    out.push(at - 1n, at, at + 1n, at + one / 2n, at + one / 4n, at + one / 2n - 1n);
    out.push(at + one / 2n + 1n, at + (3n * one) / 4n);
  }
  for (const up of [7n, 8n, 15n, 16n, 24n, 31n, 32n, 52n, 53n, 62n, 63n, 64n]) {
    const at = middle + up * one;
    if (at < magnitudes) out.push(at - 1n, at, at + 1n);
  }
  // The largest, the infinity, NaNs, as the format has them.
  for (let k = 1n; k < 4n; k++) out.push(magnitudes - k, magnitudes - one - k);
  out.push(magnitudes - one, magnitudes - one + 1n, magnitudes - one / 2n);
  return out.filter((x) => x >= 0n && x < magnitudes).flatMap((x) => [x, x + magnitudes]);
}
const MANTISSA: Record<Exclude<DType, `i${number}`>, bigint> = {
  f16: 10n,
  bf16: 7n,
  f32: 23n,
  f64: 52n,
  f8E4M3FN: 3n,
  f8E5M2: 2n,
  f8E4M3FNUZ: 3n,
  f8E5M2FNUZ: 2n,
  f8E4M3B11FNUZ: 3n,
};

/**
 * The bits of `count` numbers: corners first (in an order that differs by seed), then random ones.
 */
export function samples(dtype: DType, count: number, seed: number): bigint[] {
  const next = words(seed);
  const width = bitWidth(dtype);
  const out = corners(dtype).map((x) => BigInt.asUintN(width, x));
  for (let i = out.length - 1; i > 0; i--) {
    const j = next() % (i + 1);
    [out[i], out[j]] = [out[j]!, out[i]!];
  }
  while (out.length < count) {
    let bits = (BigInt(next()) << 32n) | BigInt(next());
    // Half of the wide floats lie within a few powers of two of 1, where sums cancel and round.
    if (dtype === 'f64' && next() % 2 === 0)
      bits = (bits & 0x800fffffffffffffn) | (BigInt(1019 + (next() % 9)) << 52n);
    if (dtype === 'i64' && next() % 2 === 0) bits >>= BigInt(next() % 64);
    if (dtype === 'i64' && next() % 4 === 0) bits = -bits;
    out.push(BigInt.asUintN(width, bits));
  }
  return out.slice(0, count);
}

/** Every first number with every second one, of `count` corners each. */
export function crossed(dtype: DType, count: number): [bigint[], bigint[]] {
  const list = [...new Set(corners(dtype).map((x) => BigInt.asUintN(bitWidth(dtype), x)))];
  const step = Math.max(1, Math.floor(list.length / count));
  const some = list.filter((_, i) => i % step === 0).slice(0, count);
  const rows = some.flatMap((x) => some.map(() => x));
  return [rows, some.flatMap(() => some)];
}

/** Bits as they lie in memory, filled up to a multiple of BLOCK by repeating them. */
export function memory(dtype: DType, bits: readonly bigint[]): Uint8Array<ArrayBuffer> {
  const size = byteSize(scalar(dtype));
  const count = Math.ceil(bits.length / BLOCK) * BLOCK;
  const out = new Uint8Array(count * size);
  for (let i = 0; i < count; i++)
    for (let k = 0; k < size; k++)
      out[i * size + k] = Number((bits[i % bits.length]! >> BigInt(8 * k)) & 0xffn);
  return out;
}

/** Numbers back from memory, as bits; all NaNs of a float type are one. */
export function bitsIn(dtype: DType, bytes: Uint8Array): string[] {
  const size = byteSize(scalar(dtype));
  return Array.from({ length: bytes.length / size }, (_, i) => {
    let bits = 0n;
    for (let k = size - 1; k >= 0; k--) bits = (bits << 8n) | BigInt(bytes[i * size + k]!);
    return isFloat(dtype) && isNaNBits(dtype, bits) ? 'NaN' : `0x${bits.toString(16)}`;
  });
}
function isNaNBits(dtype: Exclude<DType, `i${number}`>, bits: bigint): boolean {
  const sign = 1n << BigInt(bitWidth(dtype) - 1);
  const magnitude = bits & (sign - 1n);
  switch (dtype) {
    case 'f8E4M3FN':
      return magnitude === 0x7fn;
    case 'f8E4M3FNUZ':
    case 'f8E5M2FNUZ':
      return bits === sign;
    case 'f8E4M3B11FNUZ':
      return false;
    default:
      return magnitude > sign - (1n << MANTISSA[dtype]);
  }
}
