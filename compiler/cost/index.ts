/**
 * The cost model: what a launch computes and moves, counted from its tile IR before distribution,
 * its scalar arguments and its grid. Loops count as often as they run: bounds are evaluated with
 * the launch's real values, program by program where they depend on program ids (`scalars.ts`).
 *
 * Guarantee: without `uncertain`, operations and requested bytes are those of an execution in which
 * every mask is full. What masks leave out at the edges shows in no count but the bytes of memory,
 * which are cut to what the tensors have: `memoryBytes`.
 */
import { cloneFunc } from '../ir/builder';
import { accessKind, memoryOf, rootOf } from '../ir/access';
import { findFloatBits, type FloatBits } from '../ir/floatBits';
import { isLoop, walk, type Block, type Func, type Operation, type Value } from '../ir/ir';
import { countOperation, Tally } from './counts';
import { type Argument, Scalars } from './scalars';

export type { Argument } from './scalars';
export { KINDS, Tally } from './counts';

/** All programs of a launch together. */
export interface Count {
  readonly tally: Tally;
  /** Why it is not exact; null where it is. */
  readonly uncertain: string | null;
}

/** Programs that are counted one by one; of more, so many are taken and the rest is like them. */
const MOST_PROGRAMS = 4096;
/** Iterations that are followed one by one for a launch. */
const MOST_STEPS = 100_000;
/** Counts that are kept. */
const CAPACITY = 256;

/** A block's own count, and the operations whose regions run more or less often. */
interface BlockCount {
  readonly tally: Tally;
  readonly control: readonly Operation[];
}

export class CostModel {
  readonly #blocks = new Map<Block, BlockCount>();
  readonly #scalars: Scalars;
  readonly #func: Func;
  #floatBits: FloatBits | undefined;
  readonly #parameters: readonly Value[];
  #total: Tally;
  #uncertain: string | null = null;
  readonly #known = new Map<string, Count>();
  /**
   * The arguments that it writes through, whatever their values are. Null where that cannot be
   * reported, where it reads them too, and where it does more: prints, assertions.
   */
  readonly written: ReadonlySet<number> | null;
  /** The arguments that its accesses go through; -1 for pointers that no argument leads to. */
  readonly accessed: { readonly read: ReadonlySet<number>; readonly written: ReadonlySet<number> };
  /** Copies `func`, which the passes that follow change. */
  constructor(func: Func) {
    const copy = cloneFunc(func);
    this.#parameters = copy.body.args;
    this.#scalars = new Scalars(copy.body, [], [1, 1, 1]);
    this.#total = new Tally(this.#parameters.length);
    this.written = writtenThrough(copy);
    this.accessed = accessedThrough(copy);
    this.#func = copy;
  }

  /** The kernel's use of floats made of bits; only adapters that flush denormals need it. */
  get floatBits(): FloatBits {
    return (this.#floatBits ??= findFloatBits(this.#func));
  }

  /** @param args one for each argument of the function; null for pointers. */
  count(args: readonly Argument[], grid: readonly number[]): Count {
    const before = this.#scalars.dependences.parameters.size;
    const known = this.#known.get(this.#key(args, grid));
    if (known) return known;
    const count = this.#count(args, grid);
    // An argument that nothing depended on until now: the keys were made without it.
    if (this.#scalars.dependences.parameters.size > before || this.#known.size >= CAPACITY)
      this.#known.clear();
    this.#known.set(this.#key(args, grid), count);
    return count;
  }

  #key(args: readonly Argument[], grid: readonly number[]): string {
    let key = grid.join();
    for (const index of this.#scalars.dependences.parameters) key += `;${String(args[index])}`;
    return key;
  }

  #count(args: readonly Argument[], grid: readonly number[]): Count {
    const scalars = this.#scalars;
    scalars.launch(args, grid, MOST_STEPS);
    this.#uncertain = null;
    for (;;) {
      const axes = [...scalars.dependences.axes];
      const total = new Tally(this.#parameters.length);
      const different = axes.reduce((product, axis) => product * (grid[axis] ?? 1), 1);
      const taken = Math.min(different, MOST_PROGRAMS);
      const all = grid.reduce((product, size) => product * size, 1);
      for (let i = 0; i < taken; i++) {
        let index = taken === different ? i : Math.floor((i * different) / taken);
        const program = [0, 0, 0];
        for (const axis of axes) {
          const size = grid[axis] ?? 1;
          program[axis] = index % size;
          index = Math.floor(index / size);
        }
        this.#total = total;
        scalars.start(program);
        this.#visit(this.#func.body, all / taken);
        if (scalars.dependences.axes.size > axes.length) break;
      }
      if (scalars.dependences.axes.size > axes.length) continue;
      if (taken < different) this.#uncertain ??= `estimated from ${taken} of ${different} programs`;
      return { tally: total, uncertain: this.#uncertain };
    }
  }

  #blockCount(block: Block): BlockCount {
    let known = this.#blocks.get(block);
    if (!known) {
      const tally = new Tally(this.#parameters.length);
      const control: Operation[] = [];
      for (const op of block.ops) {
        if (isLoop(op) || op.name === 'scf.if') control.push(op);
        else countOperation(op, tally, this.#parameters);
      }
      this.#blocks.set(block, (known = { tally, control }));
    }
    return known;
  }

  /** Adds what a block does, `times` over. */
  #visit(block: Block, times: number): void {
    const { tally, control } = this.#blockCount(block);
    this.#total.add(tally, times);
    for (const op of control) {
      if (op.name === 'scf.for') this.#loop(op, times);
      else if (op.name === 'scf.while') this.#while(op, times);
      else this.#branch(op, times);
    }
  }

  #branch(op: Operation, times: number): void {
    const condition = this.#scalars.value(op.operand(0));
    if (condition === null) this.#uncertain ??= 'a branch depends on data; it counts as taken';
    const region = op.regions[condition === null || condition ? 0 : 1];
    if (region) this.#visit(region, times);
  }

  #loop(op: Operation, times: number): void {
    const scalars = this.#scalars;
    const body = op.region(0);
    const trips = scalars.trips(op);
    if (trips === 0) return;
    if (trips === null)
      this.#uncertain ??= 'the end of a loop depends on data; it counts as one iteration';
    let carried = op.operands.slice(3).map((init) => scalars.value(init));
    const outer = this.#total;
    const one = new Tally(this.#parameters.length);
    scalars.dependences.forgetLoop(body);
    scalars.enter(body, [trips ? trips.at(0) : null, ...carried]);
    this.#total = one;
    this.#visit(body, 1);
    this.#total = outer;
    if (!trips || !scalars.dependences.onLoop(body)) {
      outer.add(one, times * (trips ? trips.count : 1));
      return;
    }
    outer.add(one, times);
    for (let i = 1; i < trips.count; i++) {
      if (scalars.steps-- <= 0) {
        this.#uncertain ??= 'the loops are too long to be counted iteration by iteration';
        outer.add(one, times * (trips.count - i));
        return;
      }
      carried = [...scalars.yielded(body)];
      scalars.enter(body, [trips.at(i), ...carried]);
      this.#visit(body, times);
    }
  }

  #while(op: Operation, times: number): void {
    const scalars = this.#scalars;
    const [before, after] = [op.region(0), op.region(1)];
    let carried = op.operands.map((init) => scalars.value(init));
    for (;;) {
      scalars.enter(before, carried);
      this.#visit(before, times);
      const [condition, ...forwarded] = before.terminator.operands.map((operand) =>
        scalars.value(operand),
      );
      if (condition === 0) return;
      scalars.enter(after, forwarded);
      this.#visit(after, times);
      if (condition === null || condition === undefined || scalars.steps-- <= 0) {
        this.#uncertain ??= 'the end of a loop depends on data; it counts as one iteration';
        return;
      }
      carried = [...scalars.yielded(after)];
    }
  }
}

function writtenThrough(func: Func): ReadonlySet<number> | null {
  const { body } = func;
  const [through, written, read] = [new Set<number>(), new Set<number>(), new Set<number>()];
  let more = false;
  walk(body, (op) => {
    if (op.name === 'tt.print' || op.name === 'tt.assert') more = true;
    const kind = accessKind(op);
    if (kind === null) return;
    const memory = memoryOf(op.operand(0), func);
    if (kind !== 'store') read.add(memory);
    if (kind === 'load') return;
    written.add(memory);
    through.add(rootOf(op.operand(0), body.args));
  });
  more ||= written.has(-1) || read.has(-1) || [...written].some((memory) => read.has(memory));
  return more ? null : through;
}

function accessedThrough({ body }: Func): CostModel['accessed'] {
  const [read, written] = [new Set<number>(), new Set<number>()];
  walk(body, (op) => {
    const kind = accessKind(op);
    if (kind === null) return;
    const root = rootOf(op.operand(0), body.args);
    if (kind !== 'store') read.add(root);
    if (kind !== 'load') written.add(root);
  });
  return { read, written };
}

/** A tensor's storage, as far as a launch can reach it. */
export interface Reach {
  /** Index of the function's argument. */
  readonly argument: number;
  /** Arguments in one storage have one of these. */
  readonly storage: unknown;
  /** From the argument's first byte to the storage's end. */
  readonly bytes: number;
}

/** Bytes that have to come from memory and go there at least once. */
export function memoryBytes(
  tally: Tally,
  reach: readonly Reach[],
): { readonly read: number; readonly written: number } {
  const storages = new Map<unknown, { bytes: number; read: number; written: number }>();
  for (const { argument, storage, bytes } of reach) {
    const known = storages.get(storage) ?? { bytes: 0, read: 0, written: 0 };
    known.bytes = Math.max(known.bytes, bytes);
    known.read += tally.readThrough(argument);
    known.written += tally.writtenThrough(argument);
    storages.set(storage, known);
  }
  let read = tally.readThrough(-1);
  let written = tally.writtenThrough(-1);
  for (const each of storages.values()) {
    read += Math.min(each.read, each.bytes);
    written += Math.min(each.written, each.bytes);
  }
  return { read, written };
}

/** Bytes that the programs ask for. */
export function requestedBytes(tally: Tally): number {
  let sum = 0;
  for (let argument = -1; argument < tally.parameters; argument++)
    sum += tally.readThrough(argument) + tally.writtenThrough(argument);
  return sum;
}
