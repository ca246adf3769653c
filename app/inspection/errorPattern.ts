/**
 * The pattern of a failed comparison in words: where the wrong elements lie, and what stands there.
 * Every statement holds for each wrong element; where none does, nothing is said.
 */
import { exactText, PRECISION, unravel } from './elements';
import { forEachPair, isClose, type Pair, type Tolerance } from './errors';

export interface ErrorPattern {
  /** `the last 8 of 300 columns`; null where the wrong elements fill no describable part. */
  readonly where: string | null;
  /** `actual = 1.0027 × expected`; null where no single relation explains every error. */
  readonly relation: string | null;
}

/**
 * The wrong elements with their values (none where too many are wrong), and for each axis how many
 * lie at each coordinate.
 */
interface Wrong {
  readonly shape: readonly number[];
  readonly count: number;
  readonly flats: Float64Array;
  readonly actual: Float64Array;
  readonly expected: Float64Array;
  readonly axes: readonly Int32Array[];
}

/** Coordinates that are listed one by one. */
const LISTED = 4;
/** Wrong elements of which each value is looked at: 96 MiB. */
const MOST_KEPT = 2 ** 22;
const LONGEST_PERIOD = 4096;
/** Elements and values below which a relation may be chance. */
const FEWEST = 4;
/**
 * A relation leaves at most this share of an error, and this share of the element, where it holds.
 */
const LEFT_OF_ERROR = 1 / 16;
const LEFT_OF_VALUE = 2 ** -10;
/** Digits of a number: the fewest with which the sentence holds. */
const DIGITS = [5, 7, 9, 12, 17];

/** Null where every element is within the tolerance. */
export function errorPattern(pair: Pair, tolerance: Tolerance): ErrorPattern | null {
  const wrong = wrongOf(pair, tolerance);
  if (wrong.count === 0) return null;
  return { where: whereText(wrong), relation: relationText(wrong, pair) };
}

function wrongOf(pair: Pair, tolerance: Tolerance): Wrong {
  const { shape, raw } = pair.actual;
  let count = 0;
  const isWrong = new Uint8Array(raw.length);
  forEachPair(pair, (flat, a, e, difference) => {
    if (isClose(a, e, difference, tolerance)) return;
    isWrong[flat] = 1;
    count++;
  });
  const kept = count > MOST_KEPT ? 0 : count;
  const [flats, actual, expected] = [0, 1, 2].map(() => new Float64Array(kept)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const axes = shape.map((size) => new Int32Array(size));
  let at = 0;
  forEachPair(pair, (flat, a, e) => {
    if (!isWrong[flat]) return;
    if (kept > 0) {
      flats[at] = flat;
      actual[at] = a;
      expected[at++] = e;
    }
    let rest = flat;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      const size = shape[axis]!;
      axes[axis]![rest % size]!++;
      rest = Math.floor(rest / size);
    }
  });
  return { shape, count, flats, actual, expected, axes };
}

/** Name of an index of an axis. */
function axisName(axis: number, rank: number): string {
  if (rank === 1) return 'element';
  if (rank === 2) return axis === 0 ? 'row' : 'column';
  return `axis ${axis} index`;
}

function whereText(wrong: Wrong): string | null {
  const { shape, count, axes } = wrong;
  const total = shape.reduce((product, size) => product * size, 1);
  if (total < 2) return null;
  if (count === total) return 'every element';
  const touched = axes.map((counts) => counts.reduce((sum, each) => sum + Number(each > 0), 0));
  const partial = shape.flatMap((size, axis) => (touched[axis]! < size ? [axis] : []));
  const parts = partial.map((axis) => setText(axes[axis]!, axisName(axis, shape.length)));
  const within = touched.reduce((product, each) => product * each, 1);
  if (partial.length > 0 && count === within) {
    const only = parts.join(', ');
    if (shape.length !== 2 || partial.length === 2) return only;
    return `${only}, in every ${axisName(1 - partial[0]!, 2)}`;
  }
  const side = sideOfDiagonal(wrong);
  if (side !== null) return side;
  if (partial.length === 0) return null;
  const [some, all] = [count, within].map((each) => each.toLocaleString('en-US'));
  return `${parts.join(', ')}: ${some} of the ${all} elements there`;
}

/** The coordinates of an axis at which something is wrong: not all of them. */
function setText(counts: Int32Array, one: string): string {
  const many = one.endsWith('index') ? one.replace('index', 'indices') : `${one}s`;
  const size = counts.length;
  const touched: number[] = [];
  counts.forEach((count, at) => {
    if (count > 0) touched.push(at);
  });
  const [first, last] = [touched[0]!, touched.at(-1)!];
  const number = touched.length;
  if (number === 1) return `${one} ${first}`;
  if (last - first + 1 === number) {
    if (last === size - 1) return `the last ${number} of ${size} ${many} (from ${first} on)`;
    if (first === 0) return `the first ${number} of ${size} ${many}`;
    return `${many} ${first}–${last}`;
  }
  const period = periodOf(counts);
  if (period) {
    const { length, from, to } = period;
    if (from === to) return `every ${ordinal(length)} ${one}, from ${from} on`;
    return `${many} ${from}–${to} of every ${length}`;
  }
  if (number <= LISTED) return `${many} ${touched.slice(0, -1).join(', ')} and ${touched.at(-1)!}`;
  return `${number.toLocaleString('en-US')} of ${size.toLocaleString('en-US')} ${many}`;
}

/** The shortest period, repeated at least twice, within which one run of coordinates is wrong. */
function periodOf(
  counts: Int32Array,
): { readonly length: number; readonly from: number; readonly to: number } | null {
  const size = counts.length;
  const longest = Math.min(LONGEST_PERIOD, Math.floor(size / 2));
  for (let length = 2; length <= longest; length++) {
    let at = length;
    while (at < size && counts[at]! > 0 === counts[at - length]! > 0) at++;
    if (at < size) continue;
    const within = counts.subarray(0, length);
    const from = within.findIndex((count) => count > 0);
    const to = within.findLastIndex((count) => count > 0);
    return within.subarray(from, to + 1).every((count) => count > 0) ? { length, from, to } : null;
  }
  return null;
}

function ordinal(value: number): string {
  const tens = value % 100;
  const ends = ['th', 'st', 'nd', 'rd'];
  return `${value}${tens > 10 && tens < 14 ? 'th' : (ends[value % 10] ?? 'th')}`;
}

/** Side of a square matrix's diagonal that holds all wrong elements and no right one. */
function sideOfDiagonal({ shape, count, flats }: Wrong): string | null {
  const [size = 0, columns] = shape;
  if (shape.length !== 2 || size !== columns || flats.length < count) return null;
  const half = (size * (size - 1)) / 2;
  const sides = [
    ['the diagonal', size, (d: number) => d === 0],
    ['above the diagonal', half, (d: number) => d > 0],
    ['below the diagonal', half, (d: number) => d < 0],
    ['on and above the diagonal', half + size, (d: number) => d >= 0],
    ['on and below the diagonal', half + size, (d: number) => d <= 0],
    ['off the diagonal', 2 * half, (d: number) => d !== 0],
  ] as const;
  for (const [name, members, holds] of sides)
    if (members === count && flats.every((flat) => holds((flat % size) - Math.floor(flat / size))))
      return name;
  return null;
}

function relationText(wrong: Wrong, pair: Pair): string | null {
  const { actual, count } = wrong;
  if (actual.length < count) return null;
  if (actual.every((value) => value !== value)) return 'actual is NaN';
  const [value] = actual;
  // Values that f64 rounds may differ.
  const isRounded = (each: number): boolean => Math.abs(each) > MOST_EXACT;
  if (isWide(pair) && (actual.some(isRounded) || wrong.expected.some(isRounded))) return null;
  if (count > 1 && actual.every((each) => each === value))
    return `actual is ${exactText(pair.actual.dtype, value!).replace(/\.0$/, '')}`;
  if (!finiteAndVaried(wrong)) return null;
  return numericRelation(wrong, pair) ?? movedRelation(wrong, pair);
}

/** Enough finite elements, of enough different values, to tell a relation from chance. */
function finiteAndVaried({ actual, expected, count }: Wrong): boolean {
  const different = new Set<number>();
  for (let at = 0; at < count && different.size < FEWEST; at++) different.add(expected[at]!);
  if (different.size < FEWEST) return false;
  return [actual, expected].every((values) => values.every((value) => value - value === 0));
}

/** Integers of 64 bits: f64 holds them exactly up to 2⁵³. */
const isWide = ({ actual, expected }: Pair): boolean =>
  [actual, expected].some(({ raw }) => typeof raw[0] === 'bigint');
const MOST_EXACT = Number.MAX_SAFE_INTEGER;

/**
 * Whether `guess` explains each error: what is left is rounding, or small against both the error
 * and the element; of integers nothing is left.
 * @param rounded what the guess was rounded from: a sum's rounding is that of its parts
 */
function explains(
  { actual, expected, count }: Wrong,
  pair: Pair,
  guess: (expected: number, at: number) => number,
  rounded: (actual: number, expected: number) => number = (a) => a,
): boolean {
  const dtypes = [pair.actual.dtype, pair.expected.dtype];
  const ofFloats = dtypes.flatMap((dtype) => PRECISION[dtype] ?? []);
  const unit = ofFloats.length > 0 ? 4 * 2 ** -Math.min(...ofFloats) : 0;
  const share = ofFloats.length > 0 ? LEFT_OF_VALUE : 0;
  for (let at = 0; at < count; at++) {
    const [a, e] = [actual[at]!, expected[at]!];
    const left = Math.abs(a - guess(e, at));
    const small = Math.min(Math.abs(a - e) * LEFT_OF_ERROR, Math.abs(a) * share);
    if (!(left <= Math.max(small, unit * Math.abs(rounded(a, e))))) return false;
  }
  return true;
}

function numericRelation(wrong: Wrong, pair: Pair): string | null {
  const { actual, expected, count } = wrong;
  if (explains(wrong, pair, (e) => -e)) return 'actual = −expected';
  let [products, squares, difference] = [0, 0, 0];
  for (let at = 0; at < count; at++) {
    products += actual[at]! * expected[at]!;
    squares += expected[at]! ** 2;
    difference += (actual[at]! - expected[at]!) / count;
  }
  const factor = shownAs(products / squares, 1, (by) => explains(wrong, pair, (e) => by * e));
  if (factor !== null) return `actual = ${factor} × expected`;
  const larger = (a: number, e: number): number => Math.max(Math.abs(a), Math.abs(e));
  const offset = shownAs(difference, 0, (by) => explains(wrong, pair, (e) => e + by, larger));
  if (offset === null) return null;
  return `actual = expected ${difference < 0 ? '−' : '+'} ${offset.replace('-', '')}`;
}

/**
 * The shortest text of a number with which a relation holds; null where it holds with none, or
 * where the number would state no error.
 */
function shownAs(value: number, right: number, holds: (value: number) => boolean): string | null {
  for (const digits of DIGITS) {
    const shown = Number(value.toPrecision(digits));
    if (shown !== right && holds(shown)) return String(shown);
  }
  return null;
}

/** The right values at other places: transposed, reversed, or one element further. */
function movedRelation(wrong: Wrong, pair: Pair): string | null {
  const { shape, flats } = wrong;
  const rank = shape.length;
  const values = new Float64Array(pair.actual.raw.length);
  forEachPair(pair, (flat, _a, e) => (values[flat] = e));
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((p, size) => p * size, 1));
  const holds = (move: (index: number[]) => void): boolean =>
    explains(wrong, pair, (_e, at) => {
      const index = unravel(flats[at]!, shape);
      move(index);
      // Out of range: no value, which explains nothing.
      if (index.some((each, axis) => each < 0 || each >= shape[axis]!)) return NaN;
      return values[index.reduce((flat, each, axis) => flat + each * strides[axis]!, 0)]!;
    });
  const swap = (index: number[]): void =>
    void ([index[rank - 2], index[rank - 1]] = [index[rank - 1]!, index[rank - 2]!]);
  if (rank > 1 && holds(swap)) return 'actual is expected with its last two axes swapped';
  for (let axis = 0; axis < rank; axis++) {
    const along = rank === 1 ? '' : ` along axis ${axis}`;
    const moved = (by: number) => (index: number[]) => void (index[axis] = index[axis]! + by);
    if (holds((index) => void (index[axis] = shape[axis]! - 1 - index[axis]!)))
      return `actual is expected in reverse order${along}`;
    for (const by of [1, -1])
      if (holds(moved(by)))
        return `actual is the expected value of the ${by > 0 ? 'next' : 'previous'} element${along}`;
  }
  return null;
}
