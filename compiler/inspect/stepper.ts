/**
 * The interpreter one operation at a time: for the debugger. Straight-line operations are the steps
 * of `interpret/`, so their results are the same; loops and branches are walked here by a
 * generator, which can stop before any operation. Tiles are not pooled, so every value stays to be
 * looked at.
 */
import { FuncCompiler, type LaunchState, type Step } from '../interpret/compile';
import { parallelCopy } from '../interpret/control';
import {
  AssertionFailed,
  defineArguments,
  regionsOf,
  type InterpreterOptions,
} from '../interpret/index';
import { Memory, type OutOfRangeError } from '../interpret/memory';
import type { Tile } from '../ir/tile';
import { elementAt, setElement } from '../ir/tile';
import type { Bindings, Block, Operation, Value } from '../ir/ir';
import type { Location } from '../ir/location';
import { frameKey } from './frames';

type Run = Generator<Operation, void, void>;

/** An operation with what runs it: at once, or with stops inside. */
type Node =
  | { readonly op: Operation; readonly step: Step | undefined }
  | { readonly op: Operation; readonly run: () => Run };

/** The current meaning of a name of the source, and since which step. */
export interface Bound {
  readonly name: string;
  readonly inlinedAt: Location | undefined;
  readonly value: Value;
  readonly step: number;
}

export class SteppingCompiler extends FuncCompiler {
  /** Values that hold something now, by when they got it. */
  readonly written = new Map<Value, number>();
  readonly bound = new Map<string, Bound>();
  count = 0;

  constructor(
    state: LaunchState,
    private readonly bindings: Bindings,
  ) {
    super(state);
  }

  /** Makes the assignments that stand after an operation, or at the beginning of a block. */
  private bind(place: Operation | Block): void {
    for (const { name, inlinedAt, value } of this.bindings.get(place) ?? []) {
      // A loop's argument that turned out not to change is gone; its name means what it did.
      if (!this.written.has(value)) continue;
      const key = `${frameKey(inlinedAt)} ${name}`;
      this.bound.set(key, { name, inlinedAt, value, step: this.count });
    }
  }

  override define(value: Value, _pooled: boolean): Tile {
    return super.define(value, false);
  }
  /** Says that values have just been computed. */
  note(values: readonly Value[]): void {
    for (const value of values) this.written.set(value, this.count);
  }

  nodes(block: Block): Node[] {
    return block.ops.map((op) => this.node(op));
  }
  *play(block: Block, nodes: readonly Node[]): Run {
    this.bind(block);
    for (const node of nodes) {
      yield node.op;
      this.count++;
      if ('run' in node) yield* node.run();
      else {
        node.step?.();
        this.note(node.op.results);
      }
      this.bind(node.op);
    }
  }

  private node(op: Operation): Node {
    switch (op.name) {
      case 'scf.for':
        return { op, run: this.for(op) };
      case 'scf.while':
        return { op, run: this.while(op) };
      case 'scf.if':
        return { op, run: this.if(op) };
      default:
        return { op, step: this.operation(op) };
    }
  }

  private for(op: Operation): () => Run {
    const body = op.region(0);
    const [lower, upper, by] = [0, 1, 2].map((i) => this.tile(op.operand(i)));
    const init = op.operands.slice(3).map((value) => this.tile(value));
    const [counter, ...args] = body.args;
    const index = this.define(counter!, false);
    const carried = args.map((arg) => this.define(arg, false));
    const results = op.results.map((result) => this.define(result, false));
    const start = parallelCopy(carried, init);
    const nodes = this.nodes(body);
    const yielded = body.terminator.operands.map((value) => this.tile(value));
    const next = parallelCopy(carried, yielded);
    const end = parallelCopy(results, carried);
    const note = (values: readonly Value[]): void => this.note(values);
    const play = (block: Block, list: readonly Node[]): Run => this.play(block, list);
    return function* (): Run {
      const limit = Number(elementAt(upper!, 0));
      const step = Number(elementAt(by!, 0));
      if (step <= 0) throw new Error('scf.for: the step must be positive');
      start();
      for (let i = Number(elementAt(lower!, 0)); i < limit; i += step) {
        index.wide = false;
        setElement(index, 0, index.dtype === 'i64' ? BigInt(i) : i);
        note(body.args);
        yield* play(body, nodes);
        next();
      }
      end();
      note(op.results);
    };
  }

  private while(op: Operation): () => Run {
    const [before, after] = [op.region(0), op.region(1)];
    const init = op.operands.map((value) => this.tile(value));
    const carried = before.args.map((arg) => this.define(arg, false));
    const forwarded = after.args.map((arg) => this.define(arg, false));
    const results = op.results.map((result) => this.define(result, false));
    const start = parallelCopy(carried, init);
    const test = this.nodes(before);
    const [condition, ...values] = before.terminator.operands.map((value) => this.tile(value));
    const forward = parallelCopy(forwarded, values);
    const end = parallelCopy(results, values);
    const bodyNodes = this.nodes(after);
    const yielded = after.terminator.operands.map((value) => this.tile(value));
    const next = parallelCopy(carried, yielded);
    const note = (values: readonly Value[]): void => this.note(values);
    const play = (block: Block, list: readonly Node[]): Run => this.play(block, list);
    return function* (): Run {
      start();
      for (;;) {
        note(before.args);
        yield* play(before, test);
        if (!condition!.data[0]) break;
        forward();
        note(after.args);
        yield* play(after, bodyNodes);
        next();
      }
      end();
      note(op.results);
    };
  }

  private if(op: Operation): () => Run {
    const condition = this.tile(op.operand(0));
    const results = op.results.map((result) => this.define(result, false));
    const branches = op.regions.map((region) => ({
      region,
      nodes: this.nodes(region),
      end: parallelCopy(
        results,
        region.terminator.operands.map((value) => this.tile(value)),
      ),
    }));
    const note = (values: readonly Value[]): void => this.note(values);
    const play = (block: Block, list: readonly Node[]): Run => this.play(block, list);
    return function* (): Run {
      const branch = branches[condition.data[0] ? 0 : 1]!;
      yield* play(branch.region, branch.nodes);
      branch.end();
      note(op.results);
    };
  }
}

export interface StepperOptions extends Pick<
  InterpreterOptions,
  'func' | 'args' | 'memory' | 'grid' | 'onPrint'
> {
  readonly program: readonly [number, number, number];
  readonly onOutOfRange: (error: OutOfRangeError) => void;
  /** Holds values otherwise than the IR's types say. */
  readonly compilerFor?: (state: LaunchState, bindings: Bindings) => SteppingCompiler;
}

export class Stepper {
  readonly #compiler: SteppingCompiler;
  readonly #run: Run;
  #next: Operation | null = null;
  #failure: string | null = null;

  constructor(options: StepperOptions) {
    const { func, args, grid, program } = options;
    const memory = new Memory(options.memory);
    const parameters = func.body.args;
    const programId: [number, number, number] = [...program];
    const state: LaunchState = {
      memory,
      programId,
      grid,
      tick: () => {},
      onPrint: () => {},
      onAssert: (location, message, element, shape) => {
        throw new AssertionFailed(message, location, programId, element, shape);
      },
      onOutOfRange: options.onOutOfRange,
      regionOf: regionsOf(memory, parameters, args),
    };
    this.#compiler =
      options.compilerFor?.(state, func.bindings) ?? new SteppingCompiler(state, func.bindings);
    defineArguments(this.#compiler, parameters, args);
    this.#compiler.note(parameters);
    const nodes = this.#compiler.nodes(func.body);
    this.#run = this.#compiler.play(func.body, nodes);
    this.#advance();
  }

  /** The next step; null where the program has ended. */
  get next(): Operation | null {
    return this.#next;
  }
  /** Operations that were started. */
  get count(): number {
    return this.#compiler.count;
  }
  /** Why it cannot go on. */
  get failure(): string | null {
    return this.#failure;
  }
  /** Runs one operation; of a loop or a branch, up to the first of its body. */
  step(): void {
    if (this.#next) this.#advance();
  }
  /** Values that have been computed, with the step that last did. */
  get written(): ReadonlyMap<Value, number> {
    return this.#compiler.written;
  }
  /** The source's names; none where the IR is not as it was lowered. */
  get bound(): ReadonlyMap<string, Bound> {
    return this.#compiler.bound;
  }
  tile(value: Value): Tile {
    return this.#compiler.tile(value);
  }

  #advance(): void {
    try {
      const result = this.#run.next();
      this.#next = result.done ? null : result.value;
    } catch (error) {
      this.#next = null;
      this.#failure = error instanceof Error ? error.message : String(error);
    }
  }
}
