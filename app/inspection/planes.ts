/**
 * Pictures of tensors: which two dimensions lie down and across, where the others stand, and a
 * window of that plane as cells. A cell that covers many elements shows their mean, or the one of
 * the largest size; NaN and infinities win over numbers, so that a single one is seen from far
 * away.
 */
import type { Elements } from './elements';
import { numberAt, valuesOf } from './elements';

/** Position of a plane in a tensor. */
export interface Plane {
  /** The dimensions that run down and across; null where the tensor has no such dimension. */
  readonly down: number | null;
  readonly across: number | null;
  /** The index of every other dimension; what stands for `down` and `across` does not matter. */
  readonly at: readonly number[];
  /** For one dimension only: it is broken into rows of so many elements. */
  readonly wrap: number | null;
}

export interface PlaneSize {
  readonly rows: number;
  readonly columns: number;
}

/** Above this many elements a vector is broken into rows. */
const LONGEST_ROW = 512;

/**
 * Rows of a power of two, so that blocks of a program stay visible; about twice as wide as high.
 */
export function wrapFor(length: number): number | null {
  if (length <= LONGEST_ROW) return null;
  return 2 ** Math.min(12, Math.ceil(Math.log2(Math.sqrt(length * 2))));
}

/** The last two dimensions, everything else at 0. */
export function defaultPlane(shape: readonly number[]): Plane {
  const rank = shape.length;
  const at = shape.map(() => 0);
  if (rank === 0) return { down: null, across: null, at, wrap: null };
  if (rank === 1) return { down: null, across: 0, at, wrap: wrapFor(shape[0]!) };
  return { down: rank - 2, across: rank - 1, at, wrap: null };
}

/** A vector in rows of so many elements; other planes stay as they are. */
export function wrapVector(shape: readonly number[], plane: Plane, perRow: number): Plane {
  return shape.length === 1 ? { ...plane, wrap: perRow } : plane;
}

export function planeSize(shape: readonly number[], plane: Plane): PlaneSize {
  const columns = plane.across === null ? 1 : shape[plane.across]!;
  if (plane.wrap !== null)
    return { rows: Math.ceil(columns / plane.wrap), columns: Math.min(plane.wrap, columns) };
  return { rows: plane.down === null ? 1 : shape[plane.down]!, columns };
}

export function rowMajor(shape: readonly number[]): number[] {
  const strides = shape.map(() => 1);
  for (let axis = shape.length - 2; axis >= 0; axis--)
    strides[axis] = strides[axis + 1]! * shape[axis + 1]!;
  return strides;
}

/** Flat positions of a plane's elements: `start + row·down + column·across`. */
export interface PlaneWalk extends PlaneSize {
  readonly start: number;
  readonly down: number;
  readonly across: number;
  /** One past the last position, which the last row of a wrapped vector may lie beyond. */
  readonly end: number;
}
export function walkOf(shape: readonly number[], plane: Plane): PlaneWalk {
  const strides = rowMajor(shape);
  let start = 0;
  shape.forEach((_, axis) => {
    if (axis !== plane.down && axis !== plane.across) start += strides[axis]! * plane.at[axis]!;
  });
  const across = plane.across === null ? 1 : strides[plane.across]!;
  const down = plane.wrap ?? (plane.down === null ? 0 : strides[plane.down]!);
  const end = shape.reduce((product, size) => product * size, 1);
  return { ...planeSize(shape, plane), start, down, across, end };
}

/** The tensor's index of a plane's element. */
export function indexAt(plane: Plane, row: number, column: number): number[] {
  const index = [...plane.at];
  if (plane.wrap !== null && plane.across !== null) {
    index[plane.across] = row * plane.wrap + column;
    return index;
  }
  if (plane.down !== null) index[plane.down] = row;
  if (plane.across !== null) index[plane.across] = column;
  return index;
}

/** The other way round: where an element stands in the plane; null where it is not in it. */
export function placeOf(plane: Plane, index: readonly number[]): readonly [number, number] | null {
  const outside = index.some(
    (each, axis) => axis !== plane.down && axis !== plane.across && each !== plane.at[axis],
  );
  if (outside) return null;
  const column = plane.across === null ? 0 : index[plane.across]!;
  if (plane.wrap !== null) return [Math.floor(column / plane.wrap), column % plane.wrap];
  return [plane.down === null ? 0 : index[plane.down]!, column];
}

/** Marker in a cell that holds no number. */
export const FLAG = { number: 0, nan: 1, infinity: 2, minusInfinity: 3, empty: 4 } as const;

/** Numbers of a plane. */
export interface Field extends PlaneSize {
  readonly values: Float32Array | Float64Array;
  /** Elements behind it: the last row of a wrapped vector may be shorter. */
  readonly length: number;
}

export interface Cells {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float32Array;
  readonly flags: Uint8Array;
}

/** Materializes a plane of a tensor. */
export function fieldOf(elements: Elements, plane: Plane): Field {
  const walk = walkOf(elements.shape, plane);
  const { rows, columns, start, down, across, end } = walk;
  const length = plane.wrap === null ? rows * columns : end;
  const dense = across === 1 && (rows === 1 || down === columns);
  if (dense) {
    const values = valuesOf(elements, start, Math.min(end, start + length));
    if (values instanceof Float32Array || values instanceof Float64Array)
      return { rows, columns, values, length };
    return { rows, columns, values: Float64Array.from(values as Int32Array, Number), length };
  }
  const values = new Float64Array(rows * columns);
  for (let row = 0, i = 0; row < rows; row++)
    for (let column = 0; column < columns; column++, i++)
      values[i] = numberAt(elements, start + row * down + column * across);
  return { rows, columns, values, length };
}

/** The same plane of numbers that lie as the tensor's elements do (errors, for example). */
export function fieldOfNumbers(
  numbers: Float64Array,
  shape: readonly number[],
  plane: Plane,
): Field {
  return fieldOf({ dtype: 'float64', shape, raw: numbers }, plane);
}

/** A part of a plane, in whole elements: rows from `top` up to, not including, `bottom`. */
export interface Window {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  /** Elements of a cell, down and across. The last cells may have fewer. */
  readonly perRow: number;
  readonly perColumn: number;
}

/** Elements along a side of one element of the coarse copy. */
const COARSE = 8;
/** Fields below this have no coarse copy. */
const COARSE_FROM = 1 << 19;

/** @param reduce what a cell of several elements shows. */
export function cellsOf(field: Field, window: Window, reduce: 'mean' | 'extreme'): Cells {
  const { perRow, perColumn } = window;
  const top = Math.max(0, window.top);
  const left = Math.max(0, window.left);
  const rows = Math.max(0, Math.ceil((Math.min(field.rows, window.bottom) - top) / perRow));
  const columns = Math.max(
    0,
    Math.ceil((Math.min(field.columns, window.right) - left) / perColumn),
  );
  const isLarge = field.rows * field.columns >= COARSE_FROM;
  if (isLarge && [top, left, perRow, perColumn].every((each) => each % COARSE === 0)) {
    const coarse = coarsened(field, reduce);
    return reduced(coarse, rows, columns, reduce, {
      top: top / COARSE,
      left: left / COARSE,
      perRow: perRow / COARSE,
      perColumn: perColumn / COARSE,
    });
  }
  const source = { ...field, flags: null };
  return reduced(source, rows, columns, reduce, { top, left, perRow, perColumn });
}

/** Made once for a field and a way to reduce. */
function coarsened(field: Field, reduce: 'mean' | 'extreme'): Cells {
  const known = coarseOf.get(field) ?? {};
  coarseOf.set(field, known);
  return (known[reduce] ??= reduced(
    { ...field, flags: null },
    Math.ceil(field.rows / COARSE),
    Math.ceil(field.columns / COARSE),
    reduce,
    { top: 0, left: 0, perRow: COARSE, perColumn: COARSE },
  ));
}
const coarseOf = new WeakMap<Field, { mean?: Cells; extreme?: Cells }>();
/** For tests: whether the field was looked at from afar. */
export const isCoarsened = (field: Field): boolean => coarseOf.has(field);

interface Source extends PlaneSize {
  readonly values: Float32Array | Float64Array;
  readonly flags: Uint8Array | null;
  readonly length?: number;
}
interface Grid {
  readonly top: number;
  readonly left: number;
  readonly perRow: number;
  readonly perColumn: number;
}

function reduced(
  source: Source,
  rows: number,
  columns: number,
  reduce: 'mean' | 'extreme',
  grid: Grid,
): Cells {
  const values = new Float32Array(rows * columns);
  const flags = new Uint8Array(rows * columns);
  const length = source.length ?? source.rows * source.columns;
  const { values: numbers, flags: marks } = source;
  for (let row = 0, cell = 0; row < rows; row++) {
    const r0 = grid.top + row * grid.perRow;
    const r1 = Math.min(source.rows, r0 + grid.perRow);
    for (let column = 0; column < columns; column++, cell++) {
      const c0 = grid.left + column * grid.perColumn;
      const c1 = Math.min(source.columns, c0 + grid.perColumn);
      let [sum, count, extreme, flag] = [0, 0, 0, FLAG.empty as number];
      for (let r = r0; r < r1; r++) {
        const end = Math.min(length, r * source.columns + c1);
        for (let i = r * source.columns + c0; i < end; i++) {
          const x = numbers[i]!;
          const other = marks === null ? (x - x === 0 ? FLAG.number : flagOf(x)) : marks[i]!;
          if (other === FLAG.number) {
            sum += x;
            count++;
            if (Math.abs(x) > Math.abs(extreme)) extreme = x;
          } else if (other !== FLAG.empty && (flag === FLAG.empty || other === FLAG.nan)) {
            // NaN before infinities.
            flag = other;
          }
        }
      }
      if (flag === FLAG.empty && count > 0) flag = FLAG.number;
      flags[cell] = flag;
      values[cell] = reduce === 'mean' ? (count > 0 ? sum / count : 0) : extreme;
    }
  }
  return { rows, columns, values, flags };
}

function flagOf(x: number): number {
  if (x - x === 0) return FLAG.number;
  if (x !== x) return FLAG.nan;
  return x > 0 ? FLAG.infinity : FLAG.minusInfinity;
}
