/**
 * Layouts as their author writes them: Gluon's `BlockedLayout(…)`, `SliceLayout(…)` and
 * `DistributedLinearLayout(…)`, and Triton's `#ttg.blocked<{…}>`, `#ttg.slice<{…}>` and
 * `#ttg.linear<{…}>`. Both forms are read, the second is printed, and each becomes a `Layout` of a
 * shape. A warp has 32 lanes, as on NVIDIA's GPUs.
 */
import type { Basis, Layout } from './layout';
import { dropDim, isPowerOfTwo, isWellFormed, log2, type ThreadBits } from './layoutAlgebra';
import { threadBases } from './layout';

export interface Blocked {
  readonly sizePerThread: readonly number[];
  readonly threadsPerWarp: readonly number[];
  readonly warpsPerCTA: readonly number[];
  readonly order: readonly number[];
}
export type AuthoredLayout =
  | ({ readonly kind: 'blocked' } & Blocked)
  | { readonly kind: 'slice'; readonly dim: number; readonly parent: AuthoredLayout }
  | ({ readonly kind: 'linear' } & Layout);

/** Lanes of a warp, in which authors count. */
export const WARP_LANES = 32;

/** How many dimensions a tile of this layout has. */
export function rankOf(layout: AuthoredLayout): number {
  switch (layout.kind) {
    case 'blocked':
      return layout.order.length;
    case 'slice':
      return rankOf(layout.parent) - 1;
    case 'linear':
      return [...layout.register, ...threadBases(layout)][0]?.length ?? 1;
    default:
      return layout satisfies never;
  }
}

/** Lanes of a warp and warps of a program that the layout counts on. */
export function threadsOf(layout: AuthoredLayout): {
  readonly lanes: number;
  readonly warps: number;
} {
  const product = (sizes: readonly number[]): number => sizes.reduce((a, b) => a * b, 1);
  switch (layout.kind) {
    case 'blocked':
      return { lanes: product(layout.threadsPerWarp), warps: product(layout.warpsPerCTA) };
    case 'slice':
      return threadsOf(layout.parent);
    case 'linear':
      return { lanes: 2 ** layout.lane.length, warps: 2 ** layout.subgroup.length };
    default:
      return layout satisfies never;
  }
}

/** A layout's fault, whatever the tile; undefined where it has none. */
export function faultOf(layout: AuthoredLayout): string | undefined {
  if (layout.kind === 'slice') {
    const rank = rankOf(layout.parent);
    if (layout.dim < 0 || layout.dim >= rank)
      return `SliceLayout's dim is ${layout.dim}, but its parent has ${rank} dimensions`;
    return faultOf(layout.parent);
  }
  if (layout.kind === 'linear') {
    const bases = [...layout.register, ...threadBases(layout)];
    const rank = rankOf(layout);
    return bases.every((basis) => basis.length === rank)
      ? undefined
      : 'all bases of a linear layout must have one length';
  }
  const { sizePerThread, threadsPerWarp, warpsPerCTA, order } = layout;
  const rank = order.length;
  const lists = [sizePerThread, threadsPerWarp, warpsPerCTA];
  if (rank === 0 || lists.some((list) => list.length !== rank))
    return 'size_per_thread, threads_per_warp, warps_per_cta and order must have one length';
  if (!lists.flat().every(isPowerOfTwo)) return 'its sizes must be powers of two';
  if ([...order].sort((a, b) => a - b).some((dim, i) => dim !== i))
    return `order must be a permutation of 0 to ${rank - 1}`;
  return undefined;
}

/** The smallest shape in which no register and no thread repeats an element. */
export function naturalShape(layout: AuthoredLayout): number[] {
  switch (layout.kind) {
    case 'blocked':
      return layout.order.map(
        (_, d) => layout.sizePerThread[d]! * layout.threadsPerWarp[d]! * layout.warpsPerCTA[d]!,
      );
    case 'slice':
      return naturalShape(layout.parent).filter((_, d) => d !== layout.dim);
    case 'linear': {
      const bases = [...layout.register, ...threadBases(layout)];
      return Array.from({ length: rankOf(layout) }, (_, d) =>
        Math.max(1, ...bases.map((basis) => (basis[d]! > 0 ? 2 ** (log2(basis[d]!) + 1) : 1))),
      );
    }
    default:
      return layout satisfies never;
  }
}

/** What Triton's blocked layout is on a tile: larger wraps, smaller repeats. */
export function blockedBases(shape: readonly number[], blocked: Blocked): Layout {
  const low = shape.map(() => 0);
  const high = shape.map(log2);
  const deal = (sizes: readonly number[], keepZero: boolean): Basis[] => {
    const out: Basis[] = [];
    for (const dim of blocked.order)
      for (let i = 0; i < log2(sizes[dim]!); i++) {
        if (low[dim]! < high[dim]!) out.push(unit(shape.length, dim, low[dim]!++));
        else if (keepZero) out.push(shape.map(() => 0));
      }
    return out;
  };
  const register = deal(blocked.sizePerThread, false);
  const lane = deal(blocked.threadsPerWarp, true);
  const subgroup = deal(blocked.warpsPerCTA, true);
  const rest = deal(
    shape.map((size, d) => size >> low[d]!),
    false,
  );
  return { register: [...register, ...rest], lane, subgroup };
}
const unit = (rank: number, dim: number, bit: number): Basis =>
  Array.from({ length: rank }, (_, d) => (d === dim ? 2 ** bit : 0));

/** The layout on a tile of this shape, by the author's lanes and warps. */
export function linearOf(layout: AuthoredLayout, shape: readonly number[]): Layout {
  switch (layout.kind) {
    case 'blocked':
      return blockedBases(shape, layout);
    case 'slice': {
      const whole = [...shape.slice(0, layout.dim), 1, ...shape.slice(layout.dim)];
      return dropDim(linearOf(layout.parent, whole), layout.dim);
    }
    case 'linear':
      return onShape(layout, shape);
    default:
      return layout satisfies never;
  }
}

/**
 * Bases past the shape repeat; a tile that is larger wraps into registers, last dimension first.
 */
function onShape(layout: Layout, shape: readonly number[]): Layout {
  const cut = (basis: Basis): Basis => basis.map((c, d) => (c < shape[d]! ? c : 0));
  const held = layout.register.map(cut).filter((basis) => basis.some((c) => c !== 0));
  const thread = (bases: readonly Basis[]): Basis[] => bases.map(cut);
  const register = [...held];
  const seen = [...register, ...layout.lane, ...layout.subgroup];
  for (let d = shape.length - 1; d >= 0; d--)
    for (let bit = 0; bit < log2(shape[d]!); bit++)
      if (!seen.some((basis) => basis[d] === 2 ** bit)) register.push(unit(shape.length, d, bit));
  return { register, lane: thread(layout.lane), subgroup: thread(layout.subgroup) };
}

/**
 * The same on a machine whose subgroups have another size: the bits of a thread's number stay, what
 * is a lane changes. With fewer threads the last bits are registers.
 */
export function refitted(layout: Layout, threads: ThreadBits): Layout {
  const bases = threadBases(layout);
  const count = threads.lanes + threads.subgroups;
  const zero = (bases[0] ?? layout.register[0] ?? [0]).map(() => 0);
  const padded = [
    ...bases,
    ...Array.from({ length: Math.max(0, count - bases.length) }, () => zero),
  ];
  const isZero = (basis: Basis): boolean => basis.every((c) => c === 0);
  return {
    register: [...layout.register, ...padded.slice(count).filter((basis) => !isZero(basis))],
    lane: padded.slice(0, threads.lanes),
    subgroup: padded.slice(threads.lanes, count),
  };
}

/** Whether every element of the tile is held, by bits that stand for one coordinate's bit each. */
export function isSupported(layout: Layout, shape: readonly number[]): boolean {
  const { lane, subgroup } = layout;
  return isWellFormed(layout, shape, { lanes: lane.length, subgroups: subgroup.length });
}

// ── text ────────────────────────────────────────────────────────────────────────────────────────

const list = (values: readonly number[]): string => `[${values.join(', ')}]`;
const lists = (bases: readonly Basis[]): string => `[${bases.map(list).join(', ')}]`;

export function blockedName(blocked: Blocked): string {
  const { sizePerThread, threadsPerWarp, warpsPerCTA, order } = blocked;
  return (
    `#ttg.blocked<{sizePerThread = ${list(sizePerThread)}, ` +
    `threadsPerWarp = ${list(threadsPerWarp)}, warpsPerCTA = ${list(warpsPerCTA)}, ` +
    `order = ${list(order)}}>`
  );
}

export function linearName({ register, lane, subgroup }: Layout): string {
  return (
    `#ttg.linear<{register = ${lists(register)}, lane = ${lists(lane)}, ` +
    `warp = ${lists(subgroup)}, block = []}>`
  );
}

/** As Triton's IR writes it. */
export function authoredName(layout: AuthoredLayout): string {
  if (layout.kind === 'blocked') return blockedName(layout);
  if (layout.kind === 'linear') return linearName(layout);
  return `#ttg.slice<{dim = ${layout.dim}, parent = ${authoredName(layout.parent)}}>`;
}

type Parsed = number | readonly Parsed[] | Call;
interface Call {
  readonly name: string;
  readonly args: readonly Parsed[];
  readonly named: ReadonlyMap<string, Parsed>;
}

/** A layout in either form. @throws an `Error` that says what was not understood. */
export function parseLayout(text: string): AuthoredLayout {
  return layoutFrom(new Reader(text).layout());
}

/** Reads `name<{key = value, …}>` and `Name(value, key=value, …)`. */
class Reader {
  readonly #tokens: string[];
  #at = 0;
  constructor(text: string) {
    // An alias's definition, `#blocked = #ttg.blocked<…>`, and a module's name, `gl.BlockedLayout`.
    const start = /#(?:ttg|triton_gpu)\.|(?:\w+\.)*[A-Z]\w*Layout\s*\(/.exec(text);
    if (!start)
      throw new Error(
        'it is neither #ttg.blocked<…>, #ttg.slice<…>, #ttg.linear<…> nor Gluon’s …Layout(…)',
      );
    this.#tokens = text.slice(start.index).match(/#?[A-Za-z_][\w.]*|-?\d+|[^\s]/g) ?? [];
  }
  layout(): Call {
    const value = this.#value();
    if (typeof value === 'number' || !('name' in value)) throw new Error('it is no layout');
    return value;
  }
  #value(): Parsed {
    const token = this.#next();
    if (/^-?\d+$/.test(token)) return Number(token);
    if (token === '[' || token === '(') return this.#items(token === '[' ? ']' : ')').args;
    if (!/^[#\w]/.test(token)) throw new Error(`${token} is not expected there`);
    const name = token.replace(/^.*\./, '');
    const open = this.#next();
    if (open === '(') return { name, ...this.#items(')') };
    if (open !== '<') throw new Error(`${name} has no parameters`);
    if (this.#peek() === '{') this.#next();
    const call = { name, ...this.#items('}', '>') };
    if (this.#peek() === '>') this.#next();
    return call;
  }
  #items(...ends: readonly string[]): Omit<Call, 'name'> {
    const args: Parsed[] = [];
    const named = new Map<string, Parsed>();
    while (!ends.includes(this.#peek())) {
      const key = this.#peek();
      if (/^[A-Za-z_]\w*$/.test(key) && this.#tokens[this.#at + 1] === '=') {
        this.#at += 2;
        named.set(key, this.#value());
      } else args.push(this.#value());
      if (this.#peek() === ',') this.#next();
      else if (!ends.includes(this.#peek()))
        throw new Error(`${this.#peek()} is not expected there`);
    }
    this.#next();
    return { args, named };
  }
  #peek(): string {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new Error('it ends too early');
    return token;
  }
  #next(): string {
    const token = this.#peek();
    this.#at++;
    return token;
  }
}

function layoutFrom({ name, args, named }: Call): AuthoredLayout {
  const part = (at: number, ...keys: readonly string[]): Parsed => {
    const key = keys.find((each) => named.has(each));
    const value = key === undefined ? args[at] : named.get(key);
    if (value === undefined) throw new Error(`${name} lacks ${keys[0]}`);
    return value;
  };
  switch (name) {
    case 'blocked':
    case 'BlockedLayout': {
      const layout = {
        kind: 'blocked',
        sizePerThread: numbers(part(0, 'size_per_thread', 'sizePerThread')),
        threadsPerWarp: numbers(part(1, 'threads_per_warp', 'threadsPerWarp')),
        warpsPerCTA: numbers(part(2, 'warps_per_cta', 'warpsPerCTA')),
        order: numbers(part(3, 'order')),
      } as const;
      return checked(layout);
    }
    case 'slice':
    case 'SliceLayout': {
      const [dim, parent] = [part(0, 'dim'), part(1, 'parent')];
      if (typeof dim !== 'number' || typeof parent === 'number' || !('name' in parent))
        throw new Error(`${name} takes dim, a number, and parent, a layout`);
      return checked({ kind: 'slice', dim, parent: layoutFrom(parent) });
    }
    case 'linear':
    case 'DistributedLinearLayout':
      return checked({
        kind: 'linear',
        register: bases(part(0, 'reg_bases', 'register')),
        lane: bases(part(1, 'lane_bases', 'lane')),
        subgroup: bases(part(2, 'warp_bases', 'warp')),
      });
    default:
      throw new Error(
        `${name} is a layout of particular hardware, or of shared memory: it is not drawn`,
      );
  }
}
function checked(layout: AuthoredLayout): AuthoredLayout {
  const fault = faultOf(layout);
  if (fault) throw new Error(fault);
  return layout;
}
function numbers(value: Parsed): readonly number[] {
  const items = Array.isArray(value) ? (value as readonly Parsed[]) : [];
  if (!Array.isArray(value) || !items.every((item) => typeof item === 'number'))
    throw new Error('a list of integers is expected');
  return items;
}
function bases(value: Parsed): (readonly number[])[] {
  if (!Array.isArray(value)) throw new Error('a list of bases is expected');
  return (value as readonly Parsed[]).map(numbers);
}
