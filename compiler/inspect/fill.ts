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

/** New memory of so many bytes, rounded up to a multiple of 8. */
export function filledBuffer(bytes: number, { low, high }: Fill): ArrayBuffer {
  const words = new BigUint64Array(Math.ceil(bytes / 8));
  if (low !== 0 || high !== 0) words.fill((BigInt(high) << 32n) | BigInt(low));
  return words.buffer;
}
