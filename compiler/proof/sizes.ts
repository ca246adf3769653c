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
  /** Whether it is a size of the grid. */
  readonly ofGrid?: boolean;
  /** Whether the kernel adds it to a program id: what comes before the first program. */
  readonly addend?: boolean;
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
const MOST_EXTENTS = 32;
const MOST_OF_DIMENSION = 3;
const MOST_SUMS = 2;
/** A dimension may be a scalar of at least this, times at most so much. */
const LEAST_MULTIPLIED = 8;
const MOST_FACTOR = 8;
/** A dimension may be a scalar divided by one of these: packed elements, groups of them. */
const PARTS = [2, 4, 8, 16, 32, 64, 128];

function equals(value: number, symbols: readonly Symbol[]): Poly[] {
  const equal = symbols.filter((symbol) => value > 1 && symbol.value === value);
  const polys = equal.slice(0, MOST_OF_DIMENSION).map(({ poly }) => poly);
  return equal.some(({ ofGrid }) => !ofGrid) ? polys : [...polys, Poly.constant(value)];
}

/** Candidates for one dimension; the likeliest first. */
function matches(
  { size: value, fixed }: Dimension,
  symbols: readonly Symbol[],
  arithmetic: Arithmetic,
): Poly[] {
  const equal = equals(value, symbols);
  const symbolic = equal.filter((poly) => poly.asConstant === undefined);
  if (value <= 1 || symbolic.length === equal.length) return equal;
  const products = symbols.flatMap((a, i) =>
    symbols
      .slice(i + 1)
      .filter((b) => a.value > 1 && b.value > 1 && a.value * b.value === value)
      .map((b) => a.poly.times(b.poly)),
  );
  const multiples = symbols
    .filter((a) => !a.ofGrid && a.value >= LEAST_MULTIPLIED && value % a.value === 0)
    .filter((a) => value / a.value <= MOST_FACTOR)
    .map((a) => a.poly.times(value / a.value));
  const parts = symbols
    .filter((a) => !a.ofGrid && value >= LEAST_MULTIPLIED)
    .flatMap((a) =>
      PARTS.filter((part) => a.value === value * part).map((part) => [a, part] as const),
    )
    .map(([a, part]) => arithmetic.floorDivide(a.poly, Poly.constant(part))!.quotient);
  // Rows before this launch's first one and those of its grid: `start + grid.x`.
  const sums = symbols
    .filter((a) => !a.ofGrid && a.addend)
    .flatMap((a) =>
      symbols
        .filter((b) => b.ofGrid && a.value + b.value === value)
        .map((b) => a.poly.plus(b.poly)),
    );
  const found = [...symbolic, ...products, ...multiples, ...parts].slice(0, MOST_OF_DIMENSION);
  found.push(...sums.slice(0, MOST_SUMS));
  return fixed ? [...found, Poly.constant(value)] : found;
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

interface Dimension {
  readonly size: number;
  readonly stride: number;
  /** Whether it may be the number: no scalar has its value, or that of a dimension in it. */
  readonly fixed: boolean;
}

/** The view with neighbouring dimensions merged, in every way that its strides allow. */
function groupings(view: View, symbols: readonly Symbol[]): Dimension[][] {
  const kept = view.shape
    .map((size, d) => ({ size, stride: view.strides[d]!, fixed: !isScalar(size, symbols) }))
    .filter(({ size }) => size !== 1);
  let all: Dimension[][] = [[]];
  for (const dim of kept)
    all = all.flatMap((list) => {
      const last = list.at(-1);
      const apart = [...list, dim];
      if (last?.stride !== dim.size * dim.stride) return [apart];
      const { stride } = dim;
      const merged = { size: last.size * dim.size, stride, fixed: last.fixed && dim.fixed };
      return [apart, [...list.slice(0, -1), merged]];
    });
  return all;
}
function isScalar(size: number, symbols: readonly Symbol[]): boolean {
  return symbols.some(({ value, ofGrid }) => !ofGrid && value === size);
}

/** @param strides symbols that the kernel multiplies with: what strides may be. */
export function extentsOf(
  view: View,
  symbols: readonly Symbol[],
  strides: readonly Symbol[],
  arithmetic: Arithmetic,
): Extent[] {
  const { terms } = arithmetic;
  if (view.shape.includes(0)) return [];
  // The likeliest first: row-major, with dimensions that are scalars, not numbers or products.
  const found = new Map<string, Extent & { readonly loose: number }>();
  const add = (elements: Poly, facts: readonly Poly[], loose: number): void => {
    const key = `${elements.key} ; ${facts.map((fact) => fact.key).join(' ; ')}`;
    if ((found.get(key)?.loose ?? Infinity) > loose)
      found.set(key, { elements, facts, loose, text: `${terms.format(elements)} elements` });
  };
  const known = new Set(symbols.map(({ poly }) => poly.key));
  for (const dimensions of groupings(view, symbols)) {
    const grouping = {
      shape: dimensions.map(({ size }) => size),
      strides: dimensions.map(({ stride }) => stride),
    };
    let sizes: Poly[][] = [[]];
    for (const dimension of dimensions)
      sizes = sizes
        .flatMap((list) =>
          choices(list, matches(dimension, symbols, arithmetic)).map((poly) => [...list, poly]),
        )
        .slice(0, 64);
    for (const list of sizes) {
      const loose = 2 * list.filter((poly) => !known.has(poly.key)).length;
      if (isRowMajor(grouping))
        add(
          list.reduce((a, b) => a.times(b), Poly.ONE),
          [],
          loose,
        );
      // A size of the tensor is no stride of it, or it would be the product of the inner sizes.
      const others = strides.filter(({ poly }) => !list.some((size) => size.equals(poly)));
      for (const steps of stridesOf(grouping, others)) {
        const last = list.reduce(
          (sum, size, d) => sum.plus(size.plusConstant(-1).times(steps[d]!)),
          Poly.ZERO,
        );
        add(last.plusConstant(1), outward(grouping, list, steps), loose + 1);
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
  for (const stride of strides) {
    const found = [...new Set([...equals(stride, symbols), Poly.constant(stride)])];
    all = all.flatMap((list) => found.map((poly) => [...list, poly])).slice(0, 16);
  }
  return all;
}

/** Rows that end before the next one begins do so in every launch. */
function outward({ shape, strides }: View, sizes: readonly Poly[], steps: readonly Poly[]): Poly[] {
  const facts: Poly[] = [];
  for (let d = 0; d < shape.length; d++) {
    let inner = Poly.ONE;
    for (let e = d + 1; e < shape.length; e++) {
      if (strides[e - 1]! < strides[e]! * shape[e]!) break;
      inner = inner.times(sizes[e]!);
      const fact = steps[d]!.minus(inner.times(steps[e]!));
      if (fact.asConstant === undefined) facts.push(fact);
    }
  }
  return facts;
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
