/**
 * How two tensors differ, element by element: what `allclose` and its like decide on, and what they do
 * not say. The rule is PyTorch's, |actual − expected| ≤ atol + rtol·|expected|, in f64; differences of
 * 64-bit integers are exact. NaN and infinities are counted apart from errors of size.
 */
import { SEVERAL } from '../../compiler/inspect/constants';
import { isBig } from '../numerics/dtypes';
import { exactText, forEachChunk, valuesOf, type Elements } from './elements';
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

export interface LogHistogram {
  /** Elements without any error. */
  readonly zero: number;
  /** Octaves, or quarters of a decade: bin i begins at `logEdge(first + i, base)`. */
  readonly base: 2 | 10;
  readonly first: number;
  readonly counts: readonly number[];
}

export interface Extreme {
  readonly value: number;
  readonly flat: number;
}

export interface ErrorReport {
  readonly count: number;
  /** Elements outside of the tolerance. */
  readonly over: number;
  /** Of those, by kind: the rest differ in size. */
  readonly nan: { readonly actual: number; readonly expected: number; readonly both: number };
  readonly infinity: { readonly actual: number; readonly expected: number; readonly sign: number };
  readonly maxAbsolute: Extreme | null;
  /** Of elements whose expected value is not 0. */
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

/** What would let every element pass; null where no tolerance does (NaN, infinities). */
export interface Needed {
  /** The least rtol with the atol that is given, and the other way round. */
  readonly rtol: number | null;
  readonly atol: number | null;
  readonly ulp: number | null;
}

const WORST = 100;
const CHUNK = 1 << 14;

/** Visits every element; `ulp` is asked for the element that is visited. */
function forEachPair(
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

function isClose(a: number, e: number, difference: number, tolerance: Tolerance): boolean {
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
  let [over, sum, finite] = [0, 0, 0];
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

/** What lets every element that was added pass. */
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

/** What a picture of the errors shows. */
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
  /** What does not exceed it has no place any more. */
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

/** Bins of an octave (base 2) or of a quarter of a decade (base 10), for all positive f64 numbers. */
class LogBins {
  private zero = 0;
  private readonly counts: Float64Array;
  private readonly edges: Float64Array;
  private readonly factor: number;
  private readonly least: number;

  constructor(private readonly base: 2 | 10) {
    this.edges = EDGES[base];
    this.least = LEAST_BIN[base];
    this.factor = FACTOR[base];
    this.counts = new Float64Array(this.edges.length);
  }

  add(x: number): void {
    if (x === 0) this.zero++;
    else if (x > 0) this.counts[place(x, this.factor, this.least, this.edges)]!++;
  }
  get histogram(): LogHistogram {
    const { base, zero, counts, least } = this;
    const first = counts.findIndex((count) => count > 0);
    if (first < 0) return { zero, base, first: 0, counts: [] };
    const last = counts.findLastIndex((count) => count > 0);
    return {
      zero,
      base,
      first: first + least,
      counts: Array.from(counts.subarray(first, last + 1)),
    };
  }
}

/** Quarters of a decade, or octaves: where bin `bin` begins. */
export function logEdge(bin: number, base: 2 | 10): number {
  if (base === 2) return 2 ** bin;
  return bin % 4 === 0 ? Number(`1e${bin / 4}`) : 10 ** (bin / 4);
}
/** The least and the largest f64 numbers lie inside. */
const LEAST_BIN = { 2: -1076, 10: -1298 } as const;
const BINS_OF = { 2: 2104, 10: 2536 } as const;
const edgesOf = (base: 2 | 10): Float64Array =>
  Float64Array.from({ length: BINS_OF[base] }, (_, i) => logEdge(i + LEAST_BIN[base], base));
const EDGES = { 2: edgesOf(2), 10: edgesOf(10) } as const;

const float = new Float64Array(1);
const words = new Uint32Array(float.buffer);
const SMALLEST_NORMAL = 2 ** -1022;

/** The base-2 logarithm to within a tenth: the exponent, and the significand as it stands. */
function roughLog2(x: number): number {
  if (x < SMALLEST_NORMAL) return Math.log2(x);
  float[0] = x;
  return words[1]! / 0x100000 - 1023;
}

/** The index of a positive number's bin; edges belong to the bin above them. Logarithms are dear, so a
 * rough one is put right by the edges. */
function place(x: number, factor: number, least: number, edges: Float64Array): number {
  let guess = Math.floor(roughLog2(x) * factor) - least;
  while (x >= edges[guess + 1]!) guess++;
  while (x < edges[guess]!) guess--;
  return guess;
}
/** Bins for each octave. */
const FACTOR = { 2: 1, 10: 4 * Math.log10(2) } as const;
/** The bin of a positive number. */
export function logBin(x: number, base: 2 | 10): number {
  return place(x, FACTOR[base], LEAST_BIN[base], EDGES[base]) + LEAST_BIN[base];
}

/** The errors of the elements that one program wrote. */
export interface ProgramErrors {
  /** Linear index. */
  readonly program: number;
  readonly elements: number;
  readonly over: number;
  /** NaN where something is not finite that should be, or the other way round. */
  readonly largest: number;
  /** The flat index of its first element over the tolerance. */
  readonly first: number | null;
}
export interface ErrorsByProgram {
  /** Those with elements over the tolerance, most first; the rest are counted only. */
  readonly worst: readonly ProgramErrors[];
  readonly withErrors: number;
  readonly writing: number;
  /** Elements that no program wrote, or several: how many, of them over the tolerance, the first of those. */
  readonly nobody: Unowned;
  readonly several: Unowned;
  /** Largest absolute error of each program, NaN as above; −1 where it wrote nothing here. */
  readonly largest: Float32Array;
}

export interface Unowned {
  readonly elements: number;
  readonly over: number;
  readonly first: number | null;
}

const WORST_PROGRAMS = 100;

/** @param owners for each element a program's linear index; `NOBODY`, `SEVERAL` where it is no single one. */
export function errorsByProgram(
  pair: Pair,
  tolerance: Tolerance,
  owners: Int32Array,
  programs: number,
): ErrorsByProgram {
  const largest = new Float32Array(programs).fill(-1);
  const elements = new Int32Array(programs);
  const over = new Int32Array(programs);
  const first = new Float64Array(programs).fill(-1);
  const nobody = { elements: 0, over: 0, first: null as number | null };
  const several = { ...nobody };
  forEachPair(pair, (flat, a, e, difference) => {
    const program = owners[flat]!;
    const close = isClose(a, e, difference, tolerance);
    if (program < 0 || program >= programs) {
      const counted = program === SEVERAL ? several : nobody;
      counted.elements++;
      if (!close && counted.over++ === 0) counted.first = flat;
      return;
    }
    elements[program]!++;
    if (!close && over[program]!++ === 0) first[program] = flat;
    const size = Math.abs(difference);
    if (close && !(size < Infinity)) return;
    const known = largest[program]!;
    if (!(size < Infinity)) largest[program] = NaN;
    else if (size > known) largest[program] = size;
  });
  const wrong: ProgramErrors[] = [];
  let writing = 0;
  for (let program = 0; program < programs; program++) {
    if (elements[program]! > 0) writing++;
    if (over[program]! === 0) continue;
    wrong.push({
      program,
      elements: elements[program]!,
      over: over[program]!,
      largest: largest[program]!,
      first: first[program]! < 0 ? null : first[program]!,
    });
  }
  wrong.sort((x, y) => y.over - x.over || x.program - y.program);
  const worst = wrong.slice(0, WORST_PROGRAMS);
  return { worst, withErrors: wrong.length, writing, nobody, several, largest };
}
