/**
 * Evaluates the scalars that loops and branches depend on, for one program of a launch: arithmetic
 * on arguments, program ids and constants. What comes out of memory or of a tile is not known
 * (null).
 *
 * It remembers on what the answers depended (`dependences`): program ids, arguments, and what loops
 * carry, so that a count is repeated only where it can come out otherwise.
 */
import { type ElementFunction, elementFunction, type Element } from '../ir/evaluate';
import { Block, isLoop, type Operation, type Value } from '../ir/ir';
import { dtypeOf } from '../ir/types';

export type Scalar = Element | null;
export type Argument = Element | boolean | null;

/** On what the answers depended since this was made. */
export class Dependences {
  readonly #axes = new Set<number>();
  readonly #parameters = new Set<number>();
  readonly #bodies = new Set<Block>();

  /** Axes of the grid whose program ids were requested. */
  get axes(): ReadonlySet<number> {
    return this.#axes;
  }
  /** Indices of the arguments that were. */
  get parameters(): ReadonlySet<number> {
    return this.#parameters;
  }
  addAxis(axis: number): void {
    this.#axes.add(axis);
  }
  addParameter(index: number): void {
    this.#parameters.add(index);
  }
  /** A loop's counter, or a value that it carries, was requested. */
  addLoop(body: Block): void {
    this.#bodies.add(body);
  }
  /** Whether that was so since `forgetLoop`. */
  onLoop(body: Block): boolean {
    return this.#bodies.has(body);
  }
  forgetLoop(body: Block): void {
    this.#bodies.delete(body);
  }
}

export class Scalars {
  readonly dependences = new Dependences();
  #scopes = new Map<Block, Map<Value, Scalar>>();
  #program: readonly number[] = [0, 0, 0];
  /** Steps of loops that may still be taken one by one. */
  steps = 0;
  readonly #functions = new WeakMap<Operation, ElementFunction>();
  readonly #homes = new WeakMap<Block, Block>();

  constructor(
    private readonly body: Block,
    private args: readonly Argument[],
    private grid: readonly number[],
  ) {}

  launch(args: readonly Argument[], grid: readonly number[], steps: number): void {
    this.args = args;
    this.grid = grid;
    this.steps = steps;
  }

  /** Begins another program. */
  start(program: readonly number[]): void {
    this.#program = program;
    this.#scopes = new Map();
  }

  /** Begins an iteration: what the body's values were before is forgotten. */
  enter(body: Block, args: readonly Scalar[]): void {
    this.#scopes.set(body, new Map(body.args.map((arg, i) => [arg, args[i] ?? null])));
  }

  value(value: Value): Scalar {
    const { owner } = value;
    const block = owner instanceof Block ? owner : owner.parent;
    if (!block) return null;
    const home = this.#homeOf(block);
    let scope = this.#scopes.get(home);
    if (!scope) this.#scopes.set(home, (scope = new Map<Value, Scalar>()));
    if (owner instanceof Block && owner !== this.body) {
      this.dependences.addLoop(owner);
      return scope.get(value) ?? null;
    }
    const known = scope.get(value);
    if (known !== undefined) return known;
    const found =
      owner instanceof Block ? this.#argument(owner.args.indexOf(value)) : this.#of(value, owner);
    scope.set(value, found);
    return found;
  }

  #argument(index: number): Scalar {
    this.dependences.addParameter(index);
    const given = this.args[index] ?? null;
    return typeof given === 'boolean' ? Number(given) : given;
  }

  /** The body whose iterations a block belongs to. */
  #homeOf(block: Block): Block {
    const known = this.#homes.get(block);
    if (known) return known;
    const parent = block.parent;
    const home = !parent?.parent || isLoop(parent) ? block : this.#homeOf(parent.parent);
    this.#homes.set(block, home);
    return home;
  }

  #of(value: Value, op: Operation): Scalar {
    if (value.type.kind !== 'scalar') return null;
    switch (op.name) {
      case 'arith.constant': {
        const constant = op.attributes['value'];
        if (typeof constant === 'boolean') return Number(constant);
        return typeof constant === 'number' || typeof constant === 'bigint' ? constant : null;
      }
      case 'tt.get_program_id': {
        const axis = Number(op.attributes['axis']);
        this.dependences.addAxis(axis);
        return this.#program[axis] ?? null;
      }
      case 'tt.get_num_programs':
        return this.grid[Number(op.attributes['axis'])] ?? null;
      case 'scf.if': {
        const condition = this.value(op.operand(0));
        if (condition === null) return null;
        const taken = op.regions[condition ? 0 : 1];
        const yielded = taken?.terminator.operands[op.results.indexOf(value)];
        return yielded ? this.value(yielded) : null;
      }
      case 'scf.for':
        return this.#after(op)[op.results.indexOf(value)] ?? null;
      default:
        return this.#compute(op);
    }
  }

  #compute(op: Operation): Scalar {
    // A `scf.while`, or a reduction of several values: what it leaves depends on data.
    if (op.results.length !== 1) return null;
    const [first] = op.operands;
    const from = first && dtypeOf(first.type);
    const to = dtypeOf(op.result.type);
    if (!from || !to) return null;
    let f = this.#functions.get(op);
    if (!f) {
      const found = elementFunction(op.name, { from, to, attributes: op.attributes });
      if (!found) return null;
      this.#functions.set(op, (f = found));
    }
    const operands: Element[] = [];
    for (const operand of op.operands) {
      const known = this.value(operand);
      if (known === null) return null;
      operands.push(known);
    }
    return f(operands[0]!, operands[1]!, operands[2]!);
  }

  /** Results of a loop: its carried values, iteration by iteration. */
  #after(op: Operation): readonly Scalar[] {
    const body = op.region(0);
    const trips = this.trips(op);
    let carried: readonly Scalar[] = op.operands.slice(3).map((init) => this.value(init));
    if (trips === 0) return carried;
    if (!trips) return [];
    for (let i = 0; i < trips.count; i++) {
      if (carried.every((each) => each === null) || this.steps-- <= 0) {
        return carried.map(() => null);
      }
      this.enter(body, [trips.at(i), ...carried]);
      carried = this.yielded(body);
    }
    return carried;
  }

  yielded(body: Block): readonly Scalar[] {
    return body.terminator.operands.map((operand) => this.value(operand));
  }

  /** How often a loop runs, and its counter; 0 for not at all, null where it is not known. */
  trips(op: Operation): { readonly count: number; at(i: number): Element } | 0 | null {
    const lower = this.value(op.operand(0));
    const upper = this.value(op.operand(1));
    const step = this.value(op.operand(2));
    if (lower === null || upper === null || step === null || Number(step) <= 0) return null;
    const count = Math.ceil((Number(upper) - Number(lower)) / Number(step));
    if (count <= 0) return 0;
    const at = (i: number): Element =>
      typeof lower === 'bigint' ? lower + BigInt(i) * BigInt(step) : lower + i * Number(step);
    return { count, at };
  }
}
