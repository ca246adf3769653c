/** Summaries of a tile's elements: statistics, and elements as text. */
import { elementAt, type Tile } from '../ir/tile';

/** Elements that are shown of a tile at first sight. */
export const SHOWN = 8;

export interface Statistics {
  readonly count: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  readonly nans: number;
  readonly infinities: number;
  /** The first elements. */
  readonly first: readonly string[];
}

export function statistics(tile: Tile, count: number): Statistics {
  let [min, max, sum, finite, nans, infinities] = [Infinity, -Infinity, 0, 0, 0, 0];
  for (let i = 0; i < count; i++) {
    const x = tile.wide ? Number(tile.big![i]!) : tile.data[i]!;
    if (Number.isNaN(x)) nans++;
    else if (!Number.isFinite(x)) infinities++;
    else {
      finite++;
      sum += x;
      if (x < min) min = x;
      if (x > max) max = x;
    }
  }
  return {
    count,
    min: finite > 0 ? min : null,
    max: finite > 0 ? max : null,
    mean: finite > 0 ? sum / finite : null,
    nans,
    infinities,
    first: Array.from({ length: Math.min(count, SHOWN) }, (_, i) => show(tile, i)),
  };
}

/**
 * One element as text: truth by name, addresses in hexadecimal, floats as short as they are exact.
 */
export function show(tile: Tile, i: number): string {
  const x = elementAt(tile, i);
  if (tile.dtype === 'i1') return x ? 'True' : 'False';
  if (tile.dtype === 'pointer') return `0x${Number(x).toString(16)}`;
  if (typeof x === 'bigint' || Number.isInteger(x)) return String(x);
  if (Number.isNaN(x)) return 'nan';
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf';
  return String(Number(x.toPrecision(7)));
}

/** Row-major index of a flat position. */
export function unravel(flat: number, shape: readonly number[]): number[] {
  const index = shape.map(() => 0);
  let rest = flat;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const size = shape[axis]!;
    index[axis] = rest % size;
    rest = Math.floor(rest / size);
  }
  return index;
}
