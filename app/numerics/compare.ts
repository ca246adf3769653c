/**
 * Comparing two tensors and summing up one: what `allclose`, `assert_close` and the tensor events
 * say. The rule is PyTorch's: |actual − expected| ≤ atol + rtol·|expected|, in f64 here.
 */
import { computeArray, EPSILON, isBig, isFloat, roundTo } from './dtypes';
import type { Dtype, Values } from './dtypes';

/** Rows and columns that a preview has at most. */
const CELLS = 64;

export type Shown = number | 'nan' | 'inf' | '-inf';

export function shown(x: number): Shown {
  if (x !== x) return 'nan';
  if (x === Infinity) return 'inf';
  if (x === -Infinity) return '-inf';
  return x;
}

interface Preview {
  rows: number;
  columns: number;
  rowStep: number;
  columnStep: number;
  values: Shown[];
}

export interface Comparison {
  mismatches: number;
  /** Flat index of the first one, −1 where there is none. */
  first: number;
  firstActual: Shown;
  firstExpected: Shown;
  /** Over all elements; null where there are none. */
  maxAbsolute: number | 'inf' | 'nan' | null;
  /** Over those that are finite; null where there is none. */
  maxRelative: number | null;
  /** Over the elements outside the tolerance, and where: the figures of PyTorch's message. */
  worstAbsolute: Shown;
  worstAbsoluteAt: number;
  worstRelative: Shown;
  worstRelativeAt: number;
  nanMismatches: number;
  /** The largest share of its tolerance that an element's error takes; null without a tolerance. */
  toleranceUsed: number | null;
  /** The largest share that one step of the dtype takes, at the expected value. */
  roundingShare: number | null;
  heatmap: Preview | null;
}

/** How much of the tolerance errors take, and how much the dtype's rounding would. */
class Shares {
  private used = -1;
  private rounding = -1;
  private readonly step: number;
  constructor(
    private readonly rtol: number,
    private readonly atol: number,
    dtype: Dtype,
  ) {
    this.step = EPSILON[dtype] ?? 0;
  }

  add(e: number, difference: number): void {
    const size = Math.abs(e);
    const allowed = this.atol + this.rtol * size;
    if (!(allowed > 0 && size < Infinity && difference < Infinity)) return;
    this.used = Math.max(this.used, difference / allowed);
    // The numbers of an integer dtype are 1 apart everywhere.
    this.rounding = Math.max(this.rounding, (this.step > 0 ? this.step * size : 1) / allowed);
  }
  get found(): Pick<Comparison, 'toleranceUsed' | 'roundingShare'> {
    const known = this.used >= 0;
    return {
      toleranceUsed: known ? this.used : null,
      roundingShare: known ? this.rounding : null,
    };
  }
}

/** NaN counts as the largest. */
function greater(a: number, b: number): boolean {
  return a > b || (a !== a && b === b);
}

/** PyTorch computes differences in the dtype compared, and says them so. */
function narrow(x: number, dtype: Dtype): number {
  if (!isFloat(dtype)) return Math.fround(x);
  const one = computeArray(dtype, 1) as Float32Array;
  one[0] = x;
  roundTo(dtype, one);
  return one[0]!;
}

/** Both have the same length; `rows`·`columns` is their picture for the heatmap. */
export function compare(
  actual: Values,
  expected: Values,
  rtol: number,
  atol: number,
  equalNan: boolean,
  rows: number,
  columns: number,
  dtype: Dtype,
): Comparison {
  const n = actual.length;
  const exact = isBig(actual) && isBig(expected);
  const cellRows = Math.min(rows, CELLS);
  const cellColumns = Math.min(columns, CELLS);
  const rowStep = Math.ceil(rows / Math.max(1, cellRows));
  const columnStep = Math.ceil(columns / Math.max(1, cellColumns));
  const heatRows = Math.ceil(rows / Math.max(1, rowStep));
  const heatColumns = Math.ceil(columns / Math.max(1, columnStep));
  const heat = new Float64Array(heatRows * heatColumns);
  const result: Comparison = {
    mismatches: 0,
    first: -1,
    firstActual: 0,
    firstExpected: 0,
    maxAbsolute: null,
    maxRelative: null,
    worstAbsolute: 0,
    worstAbsoluteAt: 0,
    worstRelative: 0,
    worstRelativeAt: 0,
    nanMismatches: 0,
    toleranceUsed: null,
    roundingShare: null,
    heatmap: null,
  };
  const shares = new Shares(rtol, atol, dtype);
  let maxAbsolute = -1;
  let infinite = false;
  let maxRelative = -1;
  let worstAbsolute = -1;
  let worstRelative = -1;
  for (let i = 0, row = 0, column = 0; i < n; i++) {
    const a = Number(actual[i]!);
    const e = Number(expected[i]!);
    let difference: number;
    let close: boolean;
    if (exact) {
      const d = (actual[i] as bigint) - (expected[i] as bigint);
      difference = Number(d < 0n ? -d : d);
      close = difference <= atol + rtol * Math.abs(e);
    } else if (a === e) {
      difference = 0;
      close = true;
    } else if (a !== a || e !== e) {
      close = equalNan && a !== a && e !== e;
      difference = close ? 0 : NaN;
      if (!close) result.nanMismatches++;
    } else {
      difference = Math.abs(a - e);
      close = Number.isFinite(difference) && difference <= atol + rtol * Math.abs(e);
    }
    if (!close) {
      if (result.mismatches++ === 0) {
        result.first = i;
        result.firstActual = shown(a);
        result.firstExpected = shown(e);
      }
      const relative = difference / Math.abs(e);
      if (greater(difference, worstAbsolute)) {
        worstAbsolute = difference;
        result.worstAbsoluteAt = i;
      }
      if (greater(relative, worstRelative)) {
        worstRelative = relative;
        result.worstRelativeAt = i;
      }
    }
    shares.add(e, difference);
    if (difference === Infinity) infinite = true;
    else if (difference > maxAbsolute) maxAbsolute = difference;
    const ratio = difference === 0 ? 0 : difference / Math.abs(e);
    if (ratio > maxRelative && ratio < Infinity) maxRelative = ratio;
    const cell = Math.floor(row / rowStep) * heatColumns + Math.floor(column / columnStep);
    const old = heat[cell]!;
    if (difference > old || difference !== difference) heat[cell] = difference;
    if (++column === columns) {
      column = 0;
      row++;
    }
  }
  Object.assign(result, shares.found);
  if (result.nanMismatches > 0) result.maxAbsolute = 'nan';
  else if (infinite) result.maxAbsolute = 'inf';
  else result.maxAbsolute = maxAbsolute < 0 ? null : maxAbsolute;
  result.maxRelative = maxRelative < 0 ? null : maxRelative;
  result.worstAbsolute = shown(narrow(worstAbsolute, dtype));
  result.worstRelative = shown(narrow(worstRelative, dtype));
  if (n > 0)
    result.heatmap = {
      rows: heatRows,
      columns: heatColumns,
      rowStep,
      columnStep,
      values: Array.from(heat, shown),
    };
  return result;
}

export interface Summary {
  nanCount: number;
  infCount: number;
  min: number | null;
  max: number | null;
  mean: number | null;
  preview: Preview;
}

/** `plane` elements (rows·columns) from the start are previewed; statistics are of everything. */
export function summarize(x: Values, rows: number, columns: number): Summary {
  let nanCount = 0;
  let infCount = 0;
  let min = Infinity;
  let max = -Infinity;
  let sum = 0;
  for (let i = 0; i < x.length; i++) {
    const value = Number(x[i]!);
    if (value !== value) nanCount++;
    else if (!Number.isFinite(value)) infCount++;
    else {
      if (value < min) min = value;
      if (value > max) max = value;
      sum += value;
    }
  }
  const finite = x.length - nanCount - infCount;
  const rowStep = Math.max(1, Math.ceil(rows / CELLS));
  const columnStep = Math.max(1, Math.ceil(columns / CELLS));
  const values: Shown[] = [];
  for (let r = 0; r < rows; r += rowStep)
    for (let c = 0; c < columns; c += columnStep) values.push(shown(Number(x[r * columns + c]!)));
  return {
    nanCount,
    infCount,
    min: finite ? min : null,
    max: finite ? max : null,
    mean: finite ? sum / finite : null,
    preview: {
      rows: Math.ceil(rows / rowStep),
      columns: Math.ceil(columns / columnStep),
      rowStep,
      columnStep,
      values,
    },
  };
}

/**
 * The elements as JSON text: 64-bit integers as digits, floats with a point (Python reports `1`
 * from `1.0`), and `NaN`, `Infinity` as Python reads them.
 */
export function toJson(x: Values): string {
  const floats = x instanceof Float32Array || x instanceof Float64Array;
  const parts: string[] = new Array<string>(x.length);
  for (let i = 0; i < x.length; i++) {
    const value = x[i]!;
    parts[i] =
      floats && Math.abs(Number(value)) < 1e21 && Number.isInteger(value)
        ? `${Object.is(value, -0) ? '-0' : value}.0`
        : String(value);
  }
  return `[${parts.join(',')}]`;
}
