/**
 * The blocks of a tile that lies in subgroup matrices: each subgroup holds the matrices of one, and
 * has its start. Subgroups beyond the last block take no part.
 */
import type { Value } from '../../ir/ir';
import type { ThreadValue } from '../../ir/thread/ir';
import { fragment } from '../../ir/thread/types';
import type { FragmentType } from '../../ir/thread/types';
import type { FragmentsType } from '../../ir/types';
import type { Lowering } from '../context';
import { plus } from '../layouts';

export function fragmentsOf(value: Value): FragmentsType {
  if (value.type.kind !== 'fragments') throw new Error('not a tile in subgroup matrices');
  return value.type;
}
/** Matrices of a subgroup's block: along the rows, along the columns. */
export function matrixGrid({ block, matrix }: FragmentsType): [number, number] {
  return [block[0] / matrix[0], block[1] / matrix[1]];
}
export function matrixCount(type: FragmentsType): number {
  const [rows, columns] = matrixGrid(type);
  return rows * columns;
}
/** The type of each matrix. */
export function matrixType({ element, matrix, across }: FragmentsType): FragmentType {
  const use = across === undefined ? 'result' : 'left';
  return fragment(use, element.dtype as FragmentType['scalar'], matrix[0], matrix[1]);
}
export function zeroMatrix(t: Lowering, type: FragmentType): ThreadValue {
  return t.b.value('thread.matrix_zero', [], { types: [type] });
}

/** Start of a subgroup's block, in blocks. */
export interface Place {
  readonly row: (weight: number) => Sum;
  readonly column: (weight: number) => Sum;
}
/** A constant, and a term that depends on the subgroup. */
export interface Sum {
  readonly constant: number;
  readonly own: ThreadValue | undefined;
}
export const ZERO: Sum = { constant: 0, own: undefined };
export function add(t: Lowering, { constant, own }: Sum, more: number): ThreadValue {
  return own ? plus(t, own, constant + more) : t.b.u32(constant + more);
}
export function both(t: Lowering, a: Sum, b: Sum): Sum {
  const own = a.own && b.own ? t.x`${a.own} + ${b.own}` : (a.own ?? b.own);
  return { constant: a.constant + b.constant, own };
}

/** How many blocks lie side by side, and how many there are. */
export function blocks({ shape, block, across = shape[1]! / block[1] }: FragmentsType): {
  across: number;
  count: number;
} {
  return { across, count: across * (shape[0]! / block[0]) };
}

/** Some rows of a tile. */
export interface Band {
  readonly from: number;
  readonly rows: number;
}

/**
 * Runs `body` for the subgroup's block. Subgroups without one, or with none in the band, get the
 * values of `otherwise`.
 */
export function inBlock(
  t: Lowering,
  type: FragmentsType,
  body: (place: Place) => readonly ThreadValue[],
  otherwise: () => readonly ThreadValue[] = () => [],
  band: Band = { from: 0, rows: type.shape[0]! },
): readonly ThreadValue[] {
  t.usesLanes = true;
  const { across, count } = blocks(type);
  const subgroups = t.threads / t.subgroupSize;
  const subgroup = t.b.prelude('subgroup', 'subgroup_number', () =>
    t.b.value('thread.subgroup_id', []),
  );
  // Rows of blocks in the band: places count from its first one.
  const down = Math.max(1, band.rows / type.block[0]);
  const all = down * across === count;
  const scaled =
    (name: string, number: () => ThreadValue) =>
    (weight: number): Sum => {
      if (weight === 0) return ZERO;
      const key = `${name} ${across} of ${count} by ${weight}${all ? '' : ` below ${down}`}`;
      return { constant: 0, own: t.b.prelude(key, name, () => t.x`${number()} * ${weight}u`) };
    };
  const row = (): ThreadValue =>
    all ? t.x`${subgroup} / ${across}u` : t.x`${subgroup} / ${across}u % ${down}u`;
  const place: Place = {
    row: down === 1 ? () => ZERO : scaled('block_row', row),
    column: across === 1 ? () => ZERO : scaled('block_column', () => t.x`${subgroup} % ${across}u`),
  };
  const number = Math.floor(band.from / type.block[0] / down);
  const condition = !all
    ? t.x`${subgroup} / ${across * down}u == ${number}u`
    : subgroups > count
      ? t.x`${subgroup} < ${count}u`
      : undefined;
  return condition ? t.b.if(condition, () => body(place), otherwise) : body(place);
}
