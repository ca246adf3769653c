/**
 * How many elements tensors have, and programs the grid, as polynomials of the scalars: relations
 * that a launch shows. A tensor of 600 × 200 elements, launched with M = 600 and K = 200, is taken
 * to have M · K of them in every launch. A proof for every launch states the relations that it
 * takes.
 *
 * Relations come from the launch alone, never from the accesses of the kernel: a dimension is a
 * scalar of that value, else the grid's, else a product of two, else the number itself.
 */
import { rowMajorStrides } from '../ir/types';
import type { Arithmetic } from './arithmetic';
import { Poly } from './polynomial';

/** Something that a size can be: its value in the launch, and what it is in every launch. */
export interface Symbol {
  readonly value: number;
  readonly poly: Poly;
}

export interface View {
  readonly shape: readonly number[];
  readonly strides: readonly number[];
}

export interface Extent {
  /** Elements from the first to the last one. */
  readonly elements: Poly;
  /** Further parts of the relation: at least 0. */
  readonly facts: readonly Poly[];
  /** In words: `M * K elements`. */
  readonly text: string;
}

/** Relations of one tensor that are tried. */
const MOST_EXTENTS = 24;
const MOST_OF_DIMENSION = 3;
/** A dimension may be a scalar of at least this, times at most so much. */
const LEAST_MULTIPLIED = 8;
const MOST_FACTOR = 8;

/** Candidates for one dimension, or one stride; the likeliest first. */
function matches(value: number, symbols: readonly Symbol[]): Poly[] {
  const constant = Poly.constant(value);
  if (value <= 1) return [constant];
  const equal = symbols.filter((symbol) => symbol.value === value).map(({ poly }) => poly);
  if (equal.length > 0) return [...equal.slice(0, MOST_OF_DIMENSION), constant];
  const products = symbols.flatMap((a, i) =>
    symbols
      .slice(i + 1)
      .filter((b) => a.value > 1 && b.value > 1 && a.value * b.value === value)
      .map((b) => a.poly.times(b.poly)),
  );
  const multiples = symbols
    .filter((a) => a.value >= LEAST_MULTIPLIED && value % a.value === 0)
    .filter((a) => value / a.value <= MOST_FACTOR)
    .map((a) => a.poly.times(value / a.value));
  return [...products, ...multiples].slice(0, MOST_OF_DIMENSION).concat(constant);
}

/**
 * Two dimensions of one size are two scalars, where two have that value: that a square matrix has
 * M · M elements is no relation that the launch shows.
 */
function choices(taken: readonly Poly[], found: readonly Poly[]): readonly Poly[] {
  const fresh = found.filter(
    (poly) => poly.asConstant !== undefined || !taken.some((each) => each.equals(poly)),
  );
  return fresh.some((poly) => poly.asConstant === undefined) ? fresh : found;
}

/** The view with neighbouring dimensions merged, in every way that its strides allow. */
function groupings(view: View): View[] {
  const dims = view.shape.map((size, d) => ({ size, stride: view.strides[d]! }));
  const kept = dims.filter(({ size }) => size !== 1);
  let all: { size: number; stride: number }[][] = [[]];
  for (const dim of kept)
    all = all.flatMap((list) => {
      const last = list.at(-1);
      const apart = [...list, dim];
      if (last?.stride !== dim.size * dim.stride) return [apart];
      return [apart, [...list.slice(0, -1), { size: last.size * dim.size, stride: dim.stride }]];
    });
  return all.map((list) => ({
    shape: list.map(({ size }) => size),
    strides: list.map(({ stride }) => stride),
  }));
}

/** @param strides symbols that the kernel multiplies with: what strides may be. */
export function extentsOf(
  view: View,
  symbols: readonly Symbol[],
  strides: readonly Symbol[],
  { terms }: Arithmetic,
): Extent[] {
  if (view.shape.includes(0)) return [];
  const found = new Map<string, Extent & { readonly loose: number }>();
  const add = (elements: Poly, facts: readonly Poly[], loose: number): void => {
    const key = `${elements.key} ; ${facts.map((fact) => fact.key).join(' ; ')}`;
    if (!found.has(key))
      found.set(key, { elements, facts, loose, text: `${terms.format(elements)} elements` });
  };
  for (const grouping of groupings(view)) {
    let sizes: Poly[][] = [[]];
    for (const size of grouping.shape)
      sizes = sizes
        .flatMap((list) => choices(list, matches(size, symbols)).map((poly) => [...list, poly]))
        .slice(0, 64);
    for (const list of sizes) {
      const loose = list.filter((poly) => poly.asConstant !== undefined).length;
      if (isRowMajor(grouping))
        add(
          list.reduce((a, b) => a.times(b), Poly.ONE),
          [],
          loose,
        );
      for (const steps of stridesOf(grouping, strides)) {
        const last = list.reduce(
          (sum, size, d) => sum.plus(size.plusConstant(-1).times(steps[d]!)),
          Poly.ZERO,
        );
        add(last.plusConstant(1), outward(grouping, list, steps), loose);
      }
    }
  }
  return [...found.values()].sort((a, b) => a.loose - b.loose).slice(0, MOST_EXTENTS);
}

function isRowMajor({ shape, strides }: View): boolean {
  const plain = rowMajorStrides(shape);
  return strides.every((stride, d) => stride === plain[d]);
}

function stridesOf({ strides }: View, symbols: readonly Symbol[]): Poly[][] {
  let all: Poly[][] = [[]];
  for (const stride of strides)
    all = all
      .flatMap((list) => matches(stride, symbols).map((poly) => [...list, poly]))
      .slice(0, 16);
  return all;
}

/** Rows that end before the next one begins do so in every launch. */
function outward({ shape, strides }: View, sizes: readonly Poly[], steps: readonly Poly[]): Poly[] {
  return shape.flatMap((_, d) => {
    if (d + 1 >= shape.length || strides[d]! < strides[d + 1]! * shape[d + 1]!) return [];
    const fact = steps[d]!.minus(sizes[d + 1]!.times(steps[d + 1]!));
    return fact.asConstant === undefined ? [fact] : [];
  });
}

/** Candidates for the grid along an axis; the likeliest first, the number itself last. */
export function gridSizes(
  programs: number,
  scalars: readonly Symbol[],
  blocks: readonly number[],
  arithmetic: Arithmetic,
): Poly[] {
  const rounded: Symbol[] = scalars.flatMap(({ value, poly }) =>
    [1, ...blocks].flatMap((block) => {
      const up = poly.plusConstant(block - 1);
      const parts = arithmetic.floorDivide(up, Poly.constant(block));
      return parts ? [{ value: Math.ceil(value / block), poly: parts.quotient }] : [];
    }),
  );
  const unique = [...new Map(rounded.map((each) => [each.poly.key, each])).values()];
  const equal = unique.filter(({ value }) => value === programs);
  const products = unique.flatMap((a, i) =>
    unique
      .slice(i)
      .filter((b) => a.value > 1 && b.value > 1 && a.value * b.value === programs)
      .map((b) => a.poly.times(b.poly)),
  );
  const found = [...equal.map(({ poly }) => poly), ...products];
  return [...found.slice(0, 8), Poly.constant(programs)];
}
