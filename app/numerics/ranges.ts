/** Evenly spaced numbers, as `torch.arange` makes them. */
import { computeArray, isBig, roundTo } from './dtypes';
import type { Dtype, NumberArray } from './dtypes';
import { elementwise } from './kernels/elementwise';
import { count, isContiguous, parseNumber, store } from './operands';
import type { Operand } from './operands';

/** Elements that are computed at once. */
const PIECE = 1 << 14;

/** Writes start, start + step … to the window `out` of `bytes`, computed in `dtype`. */
export function arange(
  dtype: Dtype,
  start: string,
  step: string,
  out: Operand,
  bytes: Uint8Array,
): void {
  const n = count(out.s ?? []);
  const [from, by] = [parseNumber(start), parseNumber(step)];
  // In f64 an element is exact where the ends are integers below 2^53; others are rounded once.
  const exact = Math.abs(from) + n * Math.abs(by) < 2 ** 53;
  const plain = dtype === out.d && isContiguous(out.s ?? [], out.t ?? []);
  if (plain && exact && dtype !== 'uint64') {
    const piece = new Float64Array(Math.min(n, PIECE));
    const source = new Uint8Array(piece.buffer);
    for (let first = 0; first < n; first += PIECE) {
      const length = Math.min(PIECE, n - first);
      for (let i = 0; i < length; i++) piece[i] = from + (first + i) * by;
      const operand: Operand = { d: 'float64', s: [length], t: [1], o: 0 };
      const to: Operand = { d: dtype, s: [length], t: [1], o: (out.o ?? 0) + first };
      if (!elementwise('copy', '', 'float32', [operand], [source], to, bytes)) break;
      if (first + length === n) return;
    }
  }
  const values = computeArray(dtype, n);
  if (isBig(values)) {
    const [low, each] = [BigInt(start), BigInt(step)];
    for (let i = 0; i < n; i++) values[i] = low + BigInt(i) * each;
  } else for (let i = 0; i < n; i++) (values as NumberArray)[i] = from + i * by;
  roundTo(dtype, values);
  store(out, bytes, values, dtype);
}
