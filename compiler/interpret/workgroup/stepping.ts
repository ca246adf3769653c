/**
 * A workgroup one operation at a time, for a debugger. The steps are those of the workgroup
 * interpreter, so results are the same; branches and loops are walked by a generator, which stops
 * before each operation with the lanes that take part. Registers are not pooled, so every value
 * stays to be looked at.
 */
import type { ThreadBlock, ThreadOp, ThreadValue } from '../../ir/thread/ir';
import { nothing, WorkgroupCompiler } from './compile';
import { copies, ends, parallelCopies } from './control';
import type { Step } from './lanes';
import { inOrder } from './values';

/** Before an operation: the first `n` of the lanes execute it. */
export interface ThreadStop {
  readonly op: ThreadOp;
  readonly lanes: Int32Array;
  readonly n: number;
}
type Run = Generator<ThreadStop, void, void>;
type Walk = (lanes: Int32Array, n: number) => Run;

/** An operation with what runs it: at once, or with stops inside. */
type Node =
  { readonly op: ThreadOp; readonly step: Step } | { readonly op: ThreadOp; readonly walk: Walk };

export class SteppingWorkgroup extends WorkgroupCompiler {
  /** Values that hold something now, by the operation's number that last wrote them. */
  readonly written = new Map<ThreadValue, number>();
  /** Operations that were started. */
  count = 0;

  /** The whole kernel, for the first `n` lanes. */
  start(n: number): Run {
    this.bindParameters();
    const nodes = this.#nodes(this.state.kernel.func.body);
    const lanes = Int32Array.from({ length: this.state.lanes }, (_, i) => i);
    return this.#play(nodes, lanes, n);
  }

  #note(values: readonly ThreadValue[]): void {
    for (const value of values) this.written.set(value, this.count);
  }
  *#play(nodes: readonly Node[], lanes: Int32Array, n: number): Run {
    for (const node of nodes) {
      yield { op: node.op, lanes, n };
      this.count++;
      if ('walk' in node) yield* node.walk(lanes, n);
      else node.step(lanes, n);
      this.#note(node.op.results);
    }
  }

  /**
   * Constants and components of vectors are there before the kernel runs: nothing stops at them.
   */
  #nodes(block: ThreadBlock): Node[] {
    return block.ops.flatMap((op): Node[] => {
      const walk = this.#walk(op);
      if (walk) return [{ op, walk }];
      const step = this.step(op);
      return step === nothing ? [] : [{ op, step }];
    });
  }
  #walk(op: ThreadOp): Walk | null {
    switch (op.name) {
      case 'thread.if':
        return this.#if(op);
      case 'thread.for':
        return this.#for(op);
      case 'thread.while':
        return this.#while(op);
      default:
        return null;
    }
  }

  #if(op: ThreadOp): Walk {
    const [condition] = this.register(op.operand(0)).planes;
    const results = op.results.map((result) => this.held(result));
    const branches = op.regions.map((region) => ({
      nodes: this.#nodes(region),
      end: inOrder(copies(this, ends(region), results)),
    }));
    const play = (nodes: readonly Node[], lanes: Int32Array): Run =>
      this.#play(nodes, lanes, lanes.length);
    return function* (lanes, n): Run {
      const taken = lanes.slice(0, n);
      const sides = [1, 0].map((truth) => taken.filter((i) => condition![i] === truth));
      for (const [i, side] of sides.entries()) {
        const branch = branches[i];
        if (!branch || side.length === 0) continue;
        yield* play(branch.nodes, side);
        branch.end(side, side.length);
      }
    };
  }

  /** As `forStep`: carried values and results have the same registers. */
  #for(op: ThreadOp): Walk {
    const [trips, ...init] = op.operands;
    const [count] = this.register(trips!).planes;
    const carried = op.results.map((result) => this.held(result));
    const counters = op.regions.map((region) => this.register(region.args[0]!).planes[0]!);
    const begin = inOrder(copies(this, init, carried));
    for (const region of op.regions)
      region.args.slice(1).forEach((arg, i) => this.alias(arg, carried[i]!));
    const bodies = op.regions.map((region) => ({
      args: region.args,
      nodes: this.#nodes(region),
      next: inOrder(parallelCopies(this, ends(region), carried)),
    }));
    const play = (nodes: readonly Node[], lanes: Int32Array): Run =>
      this.#play(nodes, lanes, lanes.length);
    const note = (values: readonly ThreadValue[]): void => this.#note(values);
    return function* (lanes, n): Run {
      begin(lanes, n);
      let active = lanes.slice(0, n);
      for (let iteration = 0; ; iteration++) {
        active = active.filter((i) => iteration < count![i]!);
        if (active.length === 0) return;
        const which = iteration % bodies.length;
        const body = bodies[which]!;
        for (const i of active) counters[which]![i] = iteration;
        note(body.args);
        yield* play(body.nodes, active);
        body.next(active, active.length);
      }
    };
  }

  #while(op: ThreadOp): Walk {
    const [before, after] = [op.region(0), op.region(1)];
    const carried = before.args.map((arg) => this.held(arg));
    const results = op.results.map((result) => this.held(result));
    const entered = after.args.map((arg) => this.held(arg));
    const begin = inOrder(copies(this, op.operands, carried));
    const test = this.#nodes(before);
    const [condition, ...forwarded] = before.terminator.operands;
    const [go] = this.register(condition!).planes;
    const leave = inOrder(copies(this, forwarded, results));
    const enter = inOrder(copies(this, forwarded, entered));
    const body = this.#nodes(after);
    const next = inOrder(parallelCopies(this, ends(after), carried));
    const play = (nodes: readonly Node[], lanes: Int32Array): Run =>
      this.#play(nodes, lanes, lanes.length);
    const note = (values: readonly ThreadValue[]): void => this.#note(values);
    return function* (lanes, n): Run {
      begin(lanes, n);
      let active = lanes.slice(0, n);
      while (active.length > 0) {
        note(before.args);
        yield* play(test, active);
        const left = active.filter((i) => go![i] !== 1);
        if (left.length > 0) leave(left, left.length);
        active = active.filter((i) => go![i] === 1);
        if (active.length === 0) return;
        enter(active, active.length);
        note(after.args);
        yield* play(body, active);
        next(active, active.length);
      }
    };
  }
}
