/**
 * Contents of memory that no program has written: 8 bytes, repeated. Memory of `torch.zeros` is
 * zero; empty memory has the values that PyTorch's deterministic mode gives it (NaN, the largest
 * integer), so that a result which a kernel never wrote equals nothing that a program would expect.
 */
export interface Fill {
  /** Two words of 32 bits, little-endian. */
  readonly low: number;
  readonly high: number;
}

export const ZERO: Fill = { low: 0, high: 0 };

const FILLS = new Map<string, Fill>([['0 0', ZERO]]);

/** The same object for the same words, so that fills can be compared and be keys. */
export function fillOf(low: number, high: number): Fill {
  const key = `${low} ${high}`;
  let fill = FILLS.get(key);
  if (!fill) FILLS.set(key, (fill = { low, high }));
  return fill;
}

/** The words of 32 bits of `torch.empty`'s booleans, which are True. */
const TRUES = 0x01010101;

/** Other values for empty memory, of which no byte is that of the fill; zero stays zero. */
export function otherFill(fill: Fill): Fill {
  if (fill.low === 0 && fill.high === 0) return fill;
  return fill.low === TRUES ? ZERO : fillOf(0x46e046e0, 0x46e046e0);
}

/** New memory of so many bytes, rounded up to a multiple of 8. */
export function filledBuffer(bytes: number, fill: Fill): ArrayBuffer {
  const buffer = new ArrayBuffer(Math.ceil(bytes / 8) * 8);
  if (fill.low !== 0 || fill.high !== 0) refill(buffer, fill);
  return buffer;
}

/** Fills memory of a multiple of 8 bytes. */
export function refill(buffer: ArrayBuffer, { low, high }: Fill): void {
  if (low === high) new Uint32Array(buffer).fill(low);
  else new BigUint64Array(buffer).fill((BigInt(high) << 32n) | BigInt(low));
}
