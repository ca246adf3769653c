/**
 * How fragments come back into registers: as much of the tile at a time as scratch holds. A chunk
 * takes the matrices whose place in their subgroup's block agrees in some bits; the rest of the
 * tile's coordinates index a smaller tile in row-major order.
 *
 * Rows are padded for 32 banks. A matrix's store has four rows of eight words at a time, which are
 * in different banks where rows begin 8 or 24 apart, modulo 32. A read has four words of eight
 * threads at a time, which as a rule are two runs of 16 columns in each of four rows: so in narrow
 * tiles every other 16 columns lie four words further.
 */
import { type Layout, threadBases } from '../ir/layout';
import type { FragmentsType } from '../ir/types';

export interface FragmentChunks {
  /** Bits of row and column that a chunk fixes, each as its value. */
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  /** Words from one row of the smaller tile to the next. */
  readonly stride: number;
  /** Words from a row's start to a column of the smaller tile: a sum over the column's bits. */
  readonly wordOfColumn: (column: number) => number;
  readonly bytes: number;
}

/** From one chunk of everything to one matrix of each subgroup at a time. */
function candidates(type: FragmentsType, layout: Layout): FragmentChunks[] {
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
    const width = type.shape[1]! / 2 ** columns.length;
    const skewed = isSkewed(type, width);
    const stride = rowWords(width);
    return {
      rows,
      columns,
      stride,
      wordOfColumn: skewed ? skewedWord : (column) => column,
      bytes: 4 * stride * (type.shape[0]! / 2 ** rows.length),
    };
  });
}

/** Unused words in each row. */
const PADDING = 8;

/** Words of a row of so many columns, with what separates it from the next. */
export function rowWords(columns: number): number {
  return columns + PADDING;
}

/** With 20 words for 16 columns, and 36 for any 32. */
function skewedWord(column: number): number {
  return (column >> 5) * 36 + ((column >> 4) & 1) * 20 + (column & 15);
}
/**
 * Whether the padding has room for a skew, and the distance of blocks side by side is still a
 * multiple.
 */
function isSkewed(type: FragmentsType, width: number): boolean {
  const blocks = type.shape[1]! / type.block[1];
  return width <= 64 && (blocks <= 2 || width / blocks >= 32);
}

/**
 * Into how many slabs, one a row of blocks, scratch can be sliced: a subgroup then lays down its
 * matrices at places that are constants in its slab, which spares the guard that Tint puts around
 * others. Where a row of blocks is one block or two, and threads take four neighbours at a time. 1
 * where it cannot.
 */
export function slabsOfScratch(type: FragmentsType, layout: Layout): number {
  const few = type.shape[1]! / type.block[1] <= 2 && inRow(layout.register);
  return few ? type.shape[0]! / type.block[0] : 1;
}
/** Whether four registers are neighbours along the columns. */
export function inRow(bases: readonly (readonly number[])[]): boolean {
  const [one, two] = bases;
  return one?.[0] === 0 && one[1] === 1 && two?.[0] === 0 && two[1] === 2;
}

/** The fewest chunks whose scratch is no larger than `capacity`; else the most. */
export function fragmentChunks(
  type: FragmentsType,
  layout: Layout,
  capacity: number,
): FragmentChunks {
  const all = candidates(type, layout);
  return all.find(({ bytes }) => bytes <= capacity) ?? all.at(-1)!;
}
