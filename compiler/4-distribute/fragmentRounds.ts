/**
 * How fragments come back into registers: as much of the tile at a time as scratch holds. A round takes the
 * matrices whose place in their subgroup's block agrees in some bits; the rest of the tile's coordinates
 * index a smaller tile in row-major order, its rows padded by 16 bytes.
 */
import { type Layout, threadBases } from '../ir/layout';
import type { FragmentsType } from '../ir/types';

/** Unused words after each row. */
const PADDING = 4;

export interface FragmentRounds {
  /** Bits of row and column that a round fixes, each as its value. */
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  /** Words from one row of the smaller tile to the next. */
  readonly stride: number;
  readonly bytes: number;
}

/** From one round of everything to one matrix of each subgroup at a time. */
function candidates(type: FragmentsType, layout: Layout): FragmentRounds[] {
  const bits: (readonly [dim: 0 | 1, value: number])[] = [];
  for (const dim of [0, 1] as const)
    for (let bit = type.matrix[dim]; bit < Math.min(type.block[dim], type.shape[dim]!); bit *= 2)
      bits.push([dim, bit]);
  // Bits that a register decides come first: the others leave threads idle.
  const ofThreads = ([dim, value]: readonly [number, number]): boolean =>
    threadBases(layout).some((basis) => basis[dim] === value);
  bits.sort((a, b) => Number(ofThreads(a)) - Number(ofThreads(b)));
  return Array.from({ length: bits.length + 1 }, (_, count) => {
    const fixed = bits.slice(0, count);
    const of = (dim: number): number[] =>
      fixed.flatMap(([other, value]) => (other === dim ? [value] : []));
    const [rows, columns] = [of(0), of(1)];
    const stride = type.shape[1]! / 2 ** columns.length + PADDING;
    return { rows, columns, stride, bytes: 4 * stride * (type.shape[0]! / 2 ** rows.length) };
  });
}

/** The fewest rounds whose scratch is no larger than `capacity`; else the most. */
export function fragmentRounds(
  type: FragmentsType,
  layout: Layout,
  capacity: number,
): FragmentRounds {
  const all = candidates(type, layout);
  return all.find(({ bytes }) => bytes <= capacity) ?? all.at(-1)!;
}
