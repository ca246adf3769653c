/**
 * The algebra of layouts (`layout.ts`): building them, following them through operations that
 * change a tile's shape, comparing them, and finding out what a conversion between two of them
 * costs.
 *
 * Every layout built here is a *bit permutation*: each vector is zero or has one coordinate that is
 * a power of two, no two non-zero vectors are equal, and together they reach every element. The
 * operations below keep that, and `isWellFormed` checks it. A register vector is never zero: a tile
 * is repeated over threads, not over registers of one thread.
 */
import { type Basis, type Layout, threadBases } from './layout';

/** How the bits of a thread's number split into lanes and subgroups. */
export interface ThreadBits {
  readonly lanes: number;
  readonly subgroups: number;
}

export function log2(n: number): number {
  return 31 - Math.clz32(n);
}
export function isPowerOfTwo(n: number): boolean {
  return n > 0 && Number.isInteger(n) && (n & (n - 1)) === 0;
}
export function ceilPowerOfTwo(n: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, n)));
}
const isZero = (basis: Basis): boolean => basis.every((c) => c === 0);

// ── construction ────────────────────────────────────────────────────────────────────────────────

/** Deals out the bits of a tile's coordinates, per dimension from the low bit, each one once. */
export class LayoutBuilder {
  readonly register: Basis[] = [];
  readonly thread: Basis[] = [];
  readonly #low: number[];
  readonly #high: number[];
  constructor(
    readonly shape: readonly number[],
    readonly threads: ThreadBits,
  ) {
    this.#low = shape.map(() => 0);
    this.#high = shape.map(log2);
  }
  /** Bits of dimension `dim` that are not dealt out yet. */
  left(dim: number): number {
    return this.#high[dim]! - this.#low[dim]!;
  }
  get threadsLeft(): number {
    return this.threads.lanes + this.threads.subgroups - this.thread.length;
  }
  /** Gives up to `count` of the lowest free bits of `dim` to registers. */
  registers(dim: number, count = Infinity): this {
    for (let i = 0; i < count && this.left(dim) > 0; i++) this.register.push(this.#take(dim));
    return this;
  }
  /**
   * Gives up to `count` of the lowest free bits of `dim` to the next bits of the thread's number.
   */
  toThreads(dim: number, count = Infinity): this {
    for (let i = 0; i < count && this.left(dim) > 0 && this.threadsLeft > 0; i++)
      this.thread.push(this.#take(dim));
    return this;
  }
  /** The remaining bits go to registers in `order`; threads that are left hold copies. */
  finish(order: readonly number[]): Layout {
    for (const dim of order) this.registers(dim);
    const zero = this.shape.map(() => 0);
    while (this.threadsLeft > 0) this.thread.push(zero);
    const { lanes } = this.threads;
    return {
      register: this.register,
      lane: this.thread.slice(0, lanes),
      subgroup: this.thread.slice(lanes),
    };
  }
  #take(dim: number): Basis {
    const bit = this.#low[dim]!++;
    return this.shape.map((_, i) => (i === dim ? 1 << bit : 0));
  }
}

/** Dimensions with the last one first: row-major. */
export function rowMajor(rank: number): number[] {
  return Array.from({ length: rank }, (_, i) => rank - 1 - i);
}

/**
 * A blocked layout: each thread owns `vector` neighbours along `order[0]`, threads follow `order`,
 * a tile larger than that wraps around into more registers, a smaller one is held by several
 * threads.
 */
export function blockedLayout(
  shape: readonly number[],
  threads: ThreadBits,
  vector = 1,
  order: readonly number[] = rowMajor(shape.length),
): Layout {
  const builder = new LayoutBuilder(shape, threads);
  if (order.length > 0) builder.registers(order[0]!, log2(vector));
  for (const dim of order) builder.toThreads(dim);
  return builder.finish(order);
}

// ── reading ─────────────────────────────────────────────────────────────────────────────────────

/** The coordinates of the element that `register` of thread number `thread` holds. */
export function coordinates(layout: Layout, register: number, thread: number): number[] {
  const bases = [...layout.register, ...threadBases(layout)];
  const bits = register + thread * 2 ** layout.register.length;
  const rank = bases[0]?.length ?? 0;
  const out = new Array<number>(rank).fill(0);
  bases.forEach((basis, i) => {
    if (Math.floor(bits / 2 ** i) % 2 === 1) basis.forEach((c, d) => (out[d]! ^= c));
  });
  return out;
}

/** Bits of the thread's number that do not matter: threads that differ in them hold the same. */
export function freeThreadMask(layout: Layout): number {
  return threadBases(layout).reduce(
    (mask, basis, i) => (isZero(basis) ? mask | (1 << i) : mask),
    0,
  );
}
/** Whether `thread` is the one, among those with equal contents, that stores. */
export function isOwner(layout: Layout, thread: number): boolean {
  return (thread & freeThreadMask(layout)) === 0;
}

/** Place of the element at `at`: its register and the owner among its threads. */
export function locate(
  layout: Layout,
  at: readonly number[],
): { readonly register: number; readonly thread: number } {
  let register = 0;
  let thread = 0;
  const has = (basis: Basis): boolean =>
    !isZero(basis) && basis.every((c, d) => c === 0 || (at[d]! & c) === c);
  layout.register.forEach((basis, i) => has(basis) && (register |= 1 << i));
  threadBases(layout).forEach((basis, i) => has(basis) && (thread |= 1 << i));
  return { register, thread };
}

/** How many consecutive registers, from a multiple of that number, are neighbours along `dim`. */
export function registerRun(layout: Layout, dim: number): number {
  let bits = 0;
  for (const basis of layout.register) {
    if (!basis.every((c, d) => c === (d === dim ? 1 << bits : 0))) break;
    bits++;
  }
  return 1 << bits;
}

export function isWellFormed(
  layout: Layout,
  shape: readonly number[],
  threads: ThreadBits,
): boolean {
  if (layout.lane.length !== threads.lanes || layout.subgroup.length !== threads.subgroups)
    return false;
  if (layout.register.some(isZero)) return false;
  const all = [...layout.register, ...threadBases(layout)];
  if (all.some((basis) => basis.length !== shape.length)) return false;
  const seen = new Set<string>();
  for (const basis of all) {
    const set = basis.filter((c) => c !== 0);
    if (set.length === 0) continue;
    if (set.length > 1 || !isPowerOfTwo(set[0]!)) return false;
    const key = basis.join();
    if (seen.has(key) || basis.some((c, d) => c >= shape[d]!)) return false;
    seen.add(key);
  }
  return seen.size === shape.reduce((bits, size) => bits + log2(size), 0);
}

export function layoutKey(layout: Layout): string {
  const part = (bases: readonly Basis[]): string => bases.map((b) => b.join(',')).join(' ');
  return `${part(layout.register)}|${part(layout.lane)}|${part(layout.subgroup)}`;
}
export function equalLayouts(a: Layout, b: Layout): boolean {
  return a === b || layoutKey(a) === layoutKey(b);
}

// ── through operations ──────────────────────────────────────────────────────────────────────────

/** Rewrites every vector; registers whose vector becomes zero go, threads keep theirs. */
function mapBases(layout: Layout, change: (basis: Basis) => Basis): Layout {
  return {
    register: layout.register.map(change).filter((basis) => !isZero(basis)),
    lane: layout.lane.map(change),
    subgroup: layout.subgroup.map(change),
  };
}

/** `tt.reduce`: the layout of the result, without dimension `axis` (Triton's slice layout). */
export function dropDim(layout: Layout, axis: number): Layout {
  return mapBases(layout, (basis) => basis.filter((_, d) => d !== axis));
}
/** `tt.expand_dims`: a dimension of size 1 at `axis`. */
export function insertDim(layout: Layout, axis: number): Layout {
  return mapBases(layout, (basis) => [...basis.slice(0, axis), 0, ...basis.slice(axis)]);
}
/** `tt.broadcast`, backward: the layout of an operand with this shape, some dimensions being 1. */
export function restrictTo(layout: Layout, shape: readonly number[]): Layout {
  return mapBases(layout, (basis) => basis.map((c, d) => (shape[d] === 1 ? 0 : c)));
}
/** `tt.trans`: dimension i of the result is dimension `order[i]`. */
export function transposed(layout: Layout, order: readonly number[]): Layout {
  return mapBases(layout, (basis) => order.map((d) => basis[d]!));
}
/** `tt.reshape`: the same elements in row-major order under another shape of as many elements. */
export function reshaped(layout: Layout, from: readonly number[], to: readonly number[]): Layout {
  return mapBases(layout, (basis) => {
    let flat = basis.reduce((sum, c, d) => sum * from[d]! + c, 0);
    const out = to.map(() => 0);
    for (let d = to.length - 1; d >= 0; d--) {
      out[d] = flat % to[d]!;
      flat = Math.floor(flat / to[d]!);
    }
    return out;
  });
}
/**
 * `tt.join` of tiles of rank `rank`: a new last dimension of size 2, held in the lowest register
 * bit.
 */
export function joined(layout: Layout, rank: number): Layout {
  const wide = insertDim(layout, rank);
  return { ...wide, register: [[...new Array<number>(rank).fill(0), 1], ...wide.register] };
}
/** `tt.cat`: twice as long along `axis`, the second half in the highest register bit. */
export function concatenated(layout: Layout, shape: readonly number[], axis: number): Layout {
  const half = shape.map((size, d) => (d === axis ? size : 0));
  return { ...layout, register: [...layout.register, half] };
}
/** Without the register bit that holds `basis`; undefined where a thread bit holds it. */
export function withoutRegister(layout: Layout, basis: Basis): Layout | undefined {
  const key = basis.join();
  const index = layout.register.findIndex((b) => b.join() === key);
  if (index < 0) return undefined;
  return { ...layout, register: layout.register.filter((_, i) => i !== index) };
}

// ── conversions ─────────────────────────────────────────────────────────────────────────────────

/**
 * Cost class of a conversion. `registers`: each thread already holds what it needs, in registers
 * known at compile time. `shuffle`: register r of a lane comes from one register, the same for all
 * lanes, of another lane of its subgroup. `memory`: through workgroup memory.
 */
export type ConversionKind = 'registers' | 'shuffle' | 'memory';

const sameBases = (a: readonly Basis[], b: readonly Basis[]): boolean =>
  a.length === b.length && a.every((basis, i) => basis.join() === b[i]!.join());
const keys = (bases: readonly Basis[]): Set<string> =>
  new Set(bases.filter((b) => !isZero(b)).map((b) => b.join()));

export function classifyConversion(from: Layout, to: Layout): ConversionKind {
  if (!sameBases(from.subgroup, to.subgroup)) return 'memory';
  if (sameBases(from.lane, to.lane)) return 'registers';
  const source = keys(from.lane);
  const target = keys(to.lane);
  // Each element that a lane needs must be in some lane, not in a register that depends on the
  // lane.
  const inRegisters = keys(from.register);
  const wanted = keys(to.register);
  for (const key of target) if (!source.has(key)) return 'memory';
  for (const key of wanted) if (!inRegisters.has(key)) return 'memory';
  return 'shuffle';
}

/**
 * For a conversion of kind `registers` or `shuffle`: the register of `from` that register
 * `register` of `to` takes its value from.
 */
export function sourceRegister(from: Layout, to: Layout, register: number): number {
  return locate(from, coordinates(to, register, 0)).register;
}
/**
 * For a conversion of kind `shuffle`: for each bit of the source lane's number, the bit of the
 * reading lane's number that it equals, or -1 where it is 0 (the source holds copies there).
 */
export function sourceLaneBits(from: Layout, to: Layout): number[] {
  return from.lane.map((basis) =>
    isZero(basis) ? -1 : to.lane.findIndex((b) => b.join() === basis.join()),
  );
}

// ── for people ──────────────────────────────────────────────────────────────────────────────────

/** One line: what a thread holds and how threads go over the tile. */
export function describeLayout(layout: Layout, shape: readonly number[]): string {
  const extent = (bases: readonly Basis[]): string =>
    shape.map((_, d) => 1 << bases.filter((b) => b[d] !== 0).length).join('×');
  const free = threadBases(layout).filter(isZero).length;
  const vector = shape.map((_, d) => registerRun(layout, d));
  const runs = Math.max(1, ...vector);
  const copies = free > 0 ? `, each element held by ${1 << free} threads` : '';
  const lanes = layout.lane.length > 0 ? `, lanes ${extent(layout.lane)}` : '';
  return (
    `${1 << layout.register.length} a thread (${extent(layout.register)}), runs of ${runs}` +
    `${lanes}, ${layout.lane.length > 0 ? 'subgroups' : 'threads'} ${extent(layout.subgroup)}${copies}`
  );
}
