/**
 * How two tensors differ, element by element: what `allclose` and its like decide on, and what they
 * do not say. The rule is PyTorch's, |actual − expected| ≤ atol + rtol·|expected|, in f64;
 * differences of 64-bit integers are exact. NaN and infinities are counted apart from errors of
 * size.
 */
import { isBig } from '../numerics/dtypes';
import { exactText, forEachChunk, valuesOf, type Elements } from './elements';
import { LogBins, type LogHistogram } from './logBins';
import { ulpDistances, ulpDtype } from './ulp';

export interface Tolerance {
  readonly rtol: number;
  readonly atol: number;
  readonly equalNan: boolean;
}

export interface Pair {
  readonly actual: Elements;
  readonly expected: Elements;
}

/** An element with its error. */
export interface WorstElement {
  readonly flat: number;
  readonly actual: string;
  readonly expected: string;
  /** Null where one of them is not finite. */
  readonly absolute: number | null;
  readonly relative: number | null;
  readonly ulp: number | null;
  /** How many times the tolerance it is; null without a tolerance. */
  readonly ratio: number | null;
}

export interface Extreme {
  readonly value: number;
  readonly flat: number;
}

export interface ErrorReport {
  readonly count: number;
  /** Elements outside of the tolerance. */
  readonly over: number;
  /** Counts by kind among those: the rest differ in size. */
  readonly nan: { readonly actual: number; readonly expected: number; readonly both: number };
  readonly infinity: { readonly actual: number; readonly expected: number; readonly sign: number };
  readonly maxAbsolute: Extreme | null;
  /**
   * Elements that are 0 on one side and a denormal of f32 on the other: arithmetic may have flushed
   * it.
   */
  readonly flushed: number;
  /** Over elements whose expected value is not 0. */
  readonly maxRelative: Extreme | null;
  readonly maxUlp: Extreme | null;
  readonly meanAbsolute: number | null;
  /** The dtype that the units in the last place are of; null for integers. */
  readonly ulpDtype: string | null;
  readonly absolute: LogHistogram;
  readonly relative: LogHistogram;
  /** Null for integers. */
  readonly ulp: LogHistogram | null;
  /** Those over the tolerance, or all where none is: worst first. */
  readonly worst: readonly WorstElement[];
  readonly needed: Needed;
}

/** Tolerance by which every element passes; null where none does (NaN, infinities). */
export interface Needed {
  /** The least rtol with the atol that is given, and the other way round. */
  readonly rtol: number | null;
  readonly atol: number | null;
  readonly ulp: number | null;
}

const WORST = 100;
const CHUNK = 1 << 14;
/** The least normal f32. */
const LEAST_NORMAL = 2 ** -126;

/** Visits every element; `ulp` reads the element that is visited. */
export function forEachPair(
  { actual, expected }: Pair,
  visit: (flat: number, a: number, e: number, difference: number, ulp: () => number) => void,
): void {
  const unit = ulpDtype(actual.dtype, expected.dtype);
  forEachChunk(
    actual,
    (values, at) => {
      const end = at + values.length;
      const others = valuesOf(expected, at, end);
      const distance = unit ? ulpDistances(actual, expected, unit, at, end) : () => NaN;
      let i = 0;
      const ulp = (): number => distance(i);
      const big = isBig(values) && isBig(others);
      for (i = 0; i < values.length; i++) {
        const [a, e] = [Number(values[i]!), Number(others[i]!)];
        const difference = big ? Number(values[i]! - others[i]!) : a === e ? 0 : a - e;
        visit(at + i, a, e, difference, ulp);
      }
    },
    CHUNK,
  );
}

export function isClose(a: number, e: number, difference: number, tolerance: Tolerance): boolean {
  if (difference === 0) return true;
  if (difference !== difference) return tolerance.equalNan && a !== a && e !== e;
  const size = Math.abs(difference);
  return size < Infinity && size <= tolerance.atol + tolerance.rtol * Math.abs(e);
}

export function errorReport(pair: Pair, tolerance: Tolerance): ErrorReport {
  const { actual, expected } = pair;
  const unit = ulpDtype(actual.dtype, expected.dtype);
  const nan = { actual: 0, expected: 0, both: 0 };
  const infinity = { actual: 0, expected: 0, sign: 0 };
  const [absolutes, relatives, ulps] = [new LogBins(10), new LogBins(10), new LogBins(2)];
  const [largest, relative, units] = [new Largest(), new Largest(), new Largest()];
  const worst = new Worst(WORST);
  const least = new LeastTolerance(tolerance);
  const exact = tolerance.atol === 0 && tolerance.rtol === 0;
  let [over, sum, finite, flushed] = [0, 0, 0, 0];
  forEachPair(pair, (flat, a, e, difference, ulp) => {
    least.add(a, e, difference);
    const close = isClose(a, e, difference, tolerance);
    if (!close) over++;
    if (a - a !== 0 || e - e !== 0) {
      const [noA, noE] = [a !== a, e !== e];
      if (noA && noE) nan.both++;
      else if (noA) nan.actual++;
      else if (noE) nan.expected++;
      else if (a !== e) {
        if (e - e === 0) infinity.actual++;
        else if (a - a === 0) infinity.expected++;
        else infinity.sign++;
      }
      if (!close) worst.add(flat, Infinity);
      return;
    }
    const size = Math.abs(difference);
    finite++;
    if (size > 0 && size < LEAST_NORMAL && (a === 0 || e === 0)) flushed++;
    sum += size;
    absolutes.add(size);
    largest.add(size, flat);
    const ratio = size === 0 ? 0 : size / Math.abs(e);
    if (ratio < Infinity) {
      relatives.add(ratio);
      relative.add(ratio, flat);
    }
    if (unit) {
      const distance = ulp();
      ulps.add(distance);
      units.add(distance, flat);
    }
    if (size > 0)
      worst.add(flat, exact ? size : size / (tolerance.atol + tolerance.rtol * Math.abs(e)));
  });
  return {
    count: actual.raw.length,
    over,
    nan,
    infinity,
    flushed,
    maxAbsolute: largest.extreme,
    maxRelative: relative.extreme,
    maxUlp: unit ? units.extreme : null,
    meanAbsolute: finite > 0 ? sum / finite : null,
    ulpDtype: unit,
    absolute: absolutes.histogram,
    relative: relatives.histogram,
    ulp: unit ? ulps.histogram : null,
    worst: worst.sorted().map((flat) => elementAt(pair, flat, unit, tolerance)),
    needed: least.needed(unit ? units.extreme : null),
  };
}

function elementAt(
  pair: Pair,
  flat: number,
  unit: ReturnType<typeof ulpDtype>,
  tolerance: Tolerance,
): WorstElement {
  const { actual, expected } = pair;
  const [x, y] = [valuesOf(actual, flat, flat + 1), valuesOf(expected, flat, flat + 1)];
  const [a, e] = [Number(x[0]!), Number(y[0]!)];
  const absolute =
    isBig(x) && isBig(y) ? Math.abs(Number(x[0]! - y[0]!)) : a === e ? 0 : Math.abs(a - e);
  const finite = absolute - absolute === 0;
  const allowed = tolerance.atol + tolerance.rtol * Math.abs(e);
  const ulp = unit ? ulpDistances(actual, expected, unit, flat, flat + 1)(0) : NaN;
  return {
    flat,
    actual: exactText(actual.dtype, x[0]!),
    expected: exactText(expected.dtype, y[0]!),
    absolute: finite ? absolute : null,
    relative: finite && e !== 0 ? absolute / Math.abs(e) : absolute === 0 ? 0 : null,
    ulp: ulp === ulp ? ulp : null,
    ratio: finite && allowed > 0 ? absolute / allowed : null,
  };
}

/** How many elements another tolerance would leave outside, and the first of them. */
export function countOver(
  pair: Pair,
  tolerance: Tolerance,
): { readonly over: number; readonly first: number | null } {
  let over = 0;
  let first: number | null = null;
  forEachPair(pair, (flat, a, e, difference) => {
    if (!isClose(a, e, difference, tolerance) && over++ === 0) first = flat;
  });
  return { over, first };
}

/** Tolerance by which every element that was added passes. */
class LeastTolerance {
  private rtol = 0;
  private atol = 0;
  private hopeless = false;
  constructor(private readonly tolerance: Tolerance) {}

  add(a: number, e: number, difference: number): void {
    if (difference === 0) return;
    const { rtol, atol, equalNan } = this.tolerance;
    const size = Math.abs(difference);
    if (!(size < Infinity)) {
      if (!(equalNan && a !== a && e !== e)) this.hopeless = true;
      return;
    }
    this.rtol = Math.max(this.rtol, (size - atol) / Math.abs(e));
    this.atol = Math.max(this.atol, size - rtol * Math.abs(e));
  }
  needed(ulp: Extreme | null): Needed {
    if (this.hopeless) return { rtol: null, atol: null, ulp: null };
    return {
      rtol: this.rtol === Infinity ? null : this.rtol,
      atol: this.atol,
      ulp: ulp?.value ?? null,
    };
  }
}

/** Quantity that a picture of the errors shows. */
export type ErrorKind = 'signed' | 'absolute' | 'relative' | 'ulp' | 'tolerance';

/** The error of every element; NaN where the two are not both finite and not the same. */
export function errorField(pair: Pair, kind: ErrorKind, tolerance: Tolerance): Float64Array {
  const out = new Float64Array(pair.actual.raw.length);
  forEachPair(pair, (flat, a, e, difference, ulp) => {
    if (difference === 0) return;
    if (difference !== difference || Math.abs(difference) === Infinity) {
      out[flat] = tolerance.equalNan && a !== a && e !== e ? 0 : NaN;
      return;
    }
    const size = Math.abs(difference);
    switch (kind) {
      case 'signed':
        out[flat] = difference;
        return;
      case 'absolute':
        out[flat] = size;
        return;
      case 'relative':
        out[flat] = size / Math.abs(e);
        return;
      case 'ulp':
        out[flat] = ulp();
        return;
      case 'tolerance':
        out[flat] = size / (tolerance.atol + tolerance.rtol * Math.abs(e));
        return;
      default:
        kind satisfies never;
    }
  });
  return out;
}

class Largest {
  private value = -1;
  private flat = -1;
  add(value: number, flat: number): void {
    if (!(value > this.value)) return;
    this.value = value;
    this.flat = flat;
  }
  get extreme(): Extreme | null {
    return this.flat < 0 ? null : { value: this.value, flat: this.flat };
  }
}

/** The elements of the highest scores; the first of equals. */
class Worst {
  private readonly entries: { flat: number; score: number }[] = [];
  /** An error that does not exceed the least has no place any more. */
  private least = -1;
  constructor(private readonly most: number) {}

  add(flat: number, score: number): void {
    if (!(score > this.least)) return;
    const { entries } = this;
    let at = entries.length;
    while (at > 0 && entries[at - 1]!.score < score) at--;
    entries.splice(at, 0, { flat, score });
    if (entries.length > this.most) entries.pop();
    if (entries.length === this.most) this.least = entries[this.most - 1]!.score;
  }
  sorted(): number[] {
    return this.entries.map(({ flat }) => flat);
  }
}
