/** Steps of branches and loops: the lanes that take part are listed anew. */
import type { ThreadBlock, ThreadOp, ThreadValue } from '../../ir/thread/ir';
import type { WorkgroupCompiler } from './compile';
import { copyStep, type Fragment, type Register, type Step } from './lanes';
import { inOrder } from './values';

type Held = Register | Fragment;

export function ifStep(c: WorkgroupCompiler, op: ThreadOp): Step {
  const [condition] = c.register(op.operand(0)).planes;
  const results = op.results.map((result) => c.held(result));
  const branches = op.regions.map((region) => {
    const body = c.block(region);
    return inOrder([body, ...copies(c, ends(region), results)]);
  });
  const [then, otherwise] = [new Int32Array(c.state.lanes), new Int32Array(c.state.lanes)];
  return (lanes, n) => {
    let [yes, no] = [0, 0];
    for (let k = 0; k < n; k++) {
      const i = lanes[k]!;
      if (condition![i] === 1) then[yes++] = i;
      else otherwise[no++] = i;
    }
    if (yes > 0) branches[0]!(then, yes);
    if (no > 0) branches[1]!(otherwise, no);
  };
}

/** Carried values and results have the same registers: a lane that leaves keeps what it had. */
export function forStep(c: WorkgroupCompiler, op: ThreadOp): Step {
  const [trips, ...init] = op.operands;
  const [count] = c.register(trips!).planes;
  const carried = op.results.map((result) => c.held(result));
  const counters = op.regions.map((region) => c.register(region.args[0]!).planes[0]!);
  const begin = inOrder(copies(c, init, carried));
  op.regions.forEach((region) =>
    region.args.slice(1).forEach((arg, i) => c.alias(arg, carried[i]!)),
  );
  const bodies = op.regions.map((region) => {
    const body = c.block(region);
    return inOrder([body, ...parallelCopies(c, ends(region), carried)]);
  });
  const active = new Int32Array(c.state.lanes);
  return (lanes, n) => {
    begin(lanes, n);
    let left = n;
    active.set(lanes.subarray(0, n));
    for (let iteration = 0; ; iteration++) {
      let kept = 0;
      for (let k = 0; k < left; k++) {
        const i = active[k]!;
        if (iteration < count![i]!) active[kept++] = i;
      }
      left = kept;
      if (left === 0) return;
      const which = iteration % bodies.length;
      for (let k = 0; k < left; k++) counters[which]![active[k]!] = iteration;
      bodies[which]!(active, left);
    }
  };
}

export function whileStep(c: WorkgroupCompiler, op: ThreadOp): Step {
  const [before, after] = [op.region(0), op.region(1)];
  const carried = before.args.map((arg) => c.held(arg));
  const results = op.results.map((result) => c.held(result));
  // Before the first region, whose registers are free again behind it.
  const entered = after.args.map((arg) => c.held(arg));
  const begin = inOrder(copies(c, op.operands, carried));
  const test = c.block(before);
  const [condition, ...forwarded] = before.terminator.operands;
  const [go] = c.register(condition!).planes;
  const leave = inOrder(copies(c, forwarded, results));
  const enter = inOrder(copies(c, forwarded, entered));
  const body = c.block(after);
  const next = inOrder(parallelCopies(c, ends(after), carried));
  const [active, left] = [new Int32Array(c.state.lanes), new Int32Array(c.state.lanes)];
  return (lanes, n) => {
    begin(lanes, n);
    active.set(lanes.subarray(0, n));
    for (let count = n; count > 0;) {
      test(active, count);
      let [on, off] = [0, 0];
      for (let k = 0; k < count; k++) {
        const i = active[k]!;
        if (go![i] === 1) active[on++] = i;
        else left[off++] = i;
      }
      if (off > 0) leave(left, off);
      count = on;
      if (on === 0) return;
      enter(active, on);
      body(active, on);
      next(active, on);
    }
  };
}

/** The values that a region yields. */
export function ends(region: ThreadBlock): readonly ThreadValue[] {
  return region.terminator.operands;
}
export function copies(
  c: WorkgroupCompiler,
  from: readonly ThreadValue[],
  to: readonly Held[],
): Step[] {
  return to.map((target, i) => copyStep(c.held(from[i]!), target, c.state.subgroup));
}
/** Copies as if at once: a source may be another's target. */
export function parallelCopies(
  c: WorkgroupCompiler,
  from: readonly ThreadValue[],
  to: readonly Held[],
): Step[] {
  const first: Step[] = [];
  const then: Step[] = [];
  to.forEach((target, i) => {
    const source = c.held(from[i]!);
    if (source === target) return;
    if (!to.includes(source)) {
      then.push(copyStep(source, target, c.state.subgroup));
      return;
    }
    const kept = c.copyOf(source);
    first.push(copyStep(source, kept, c.state.subgroup));
    then.push(copyStep(kept, target, c.state.subgroup));
  });
  return [...first, ...then];
}
