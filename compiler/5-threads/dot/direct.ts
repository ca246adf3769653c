/**
 * tt.dot from global memory (`4-distribute/dots/direct.ts`): a loop along K, a few steps an
 * iteration, in which each thread loads the operands of its block of the accumulator. Products are
 * added in the order of K, as fused multiply-adds of whole vectors along N (integers: products and
 * sums), so the sums are those of a dot from workgroup memory. Halves are widened where they are
 * multiplied, exactly.
 *
 * A dot that `version_dots` marked has two loops, of which the first and the last step of K select
 * one: a loop without tests, and one with all of them that takes one step an iteration, since an
 * iteration of it costs even where it is not taken.
 */
import { STEPS } from '../../4-distribute/dots/direct';
import type { Operation } from '../../ir/ir';
import type { Layout } from '../../ir/layout';
import { registerCount } from '../../ir/layout';
import { VERSIONED } from '../../ir/registerForm';
import type { ThreadValue } from '../../ir/thread/ir';
import { F16, F32, number } from '../../ir/thread/types';
import type { NumberType } from '../../ir/thread/types';
import { shapeOf } from '../../ir/types';
import { layoutOf } from '../context';
import type { Lowering } from '../context';
import { registerCoordinate } from '../layouts';
import { boundsOf } from '../memory/bounds';
import { runLength } from '../memory/runs';
import { evaluate, loop, outsideLoops } from '../loopForm/values';
import type { Bit, Index, Pass } from '../loopForm/values';
import { multiplyAdd } from './fma';
import type { DotLowering } from './lowering';

export const direct: DotLowering = { lower };

function lower(t: Lowering, op: Operation): void {
  const [a, b, acc] = [op.operand(0), op.operand(1), op.operand(2)];
  const layout = layoutOf(acc);
  const [one, two] = layout.register;
  const width = one?.[1] === 1 && two?.[1] === 2 ? 4 : 1;
  const start = t.registers(acc);
  const hint = t.hint(op.result);
  const first = Array.from({ length: registerCount(layout) / width }, (_, i) =>
    t.b.vector(start.slice(width * i, width * i + width)),
  );
  const hints = first.map(() => hint);
  const depth = Math.log2(shapeOf(a.type)[1]!);
  /** The loop, 2^`steps` of K an iteration. */
  const sumsOf = (steps: number, narrow = false): readonly ThreadValue[] => {
    const step = (pass: Pass, k: number, sums: readonly ThreadValue[], widen: Widen) =>
      sums.map((sum, i) => {
        const r = i * width;
        const row = evaluate(t, pass, a, indexOf(layoutOf(a), 0, layout, r, k, steps));
        const columns = Array.from({ length: width }, (_, j) =>
          evaluate(t, pass, b, indexOf(layoutOf(b), 1, layout, r + j, k, steps)),
        );
        return t.let(hint, multiplyAdd(t, widen(row), widen(t.b.vector(columns)), sum));
      });
    const body = (pass: Pass, carried: readonly ThreadValue[]): readonly ThreadValue[] => {
      const widen = widener(t);
      let sums = carried;
      for (let k = 0; k < 1 << steps; k++) sums = step(pass, k, sums, widen);
      return sums;
    };
    return loop(t, depth - steps, first, body, { narrow, hints });
  };
  const loads = [a.definition!, b.definition!] as const;
  const tests =
    op.attributes[VERSIONED] === true
      ? loads.flatMap((load, side) => t.b.at(load.location, () => endTests(t, load, side as 0 | 1)))
      : [];
  const steps = Math.log2(STEPS);
  const sums =
    tests.length === 0
      ? sumsOf(steps)
      : t.b.if(
          t.let('all_inside', t.every(tests)!),
          () => t.assumptions.where({ accesses: loads }, () => sumsOf(steps)),
          () => sumsOf(0, true),
          hints,
        );
  t.setRegisters(
    op.result,
    sums.flatMap((sum) => t.b.components(sum)),
  );
}

type Widen = (value: ThreadValue) => ThreadValue;
/** Widens halves to f32, each value once. */
function widener(t: Lowering): Widen {
  const known = new Map<ThreadValue, ThreadValue>();
  return (value) => {
    const type = value.type as NumberType;
    if (type.scalar !== F16.scalar) return value;
    const found = known.get(value) ?? t.let('x', t.b.convert(value, number(F32.scalar, type.size)));
    known.set(value, found);
    return found;
  };
}

/**
 * The register of an operand for register `r` of the accumulator, at step `k` of an iteration of
 * 2^`steps`: `side` is the dimension that both have.
 */
function indexOf(
  operand: Layout,
  side: 0 | 1,
  accumulator: Layout,
  r: number,
  k: number,
  steps: number,
): Index {
  const own = registerCoordinate(accumulator, r, side);
  return operand.register.map((basis): Bit => {
    const [mine, summed] = [basis[side]!, basis[1 - side]!];
    if (mine !== 0) return (own & mine) === 0 ? 0 : 1;
    const bit = Math.log2(summed);
    return bit < steps ? (((k >> bit) & 1) as Bit) : { counter: bit - steps };
  });
}

/** How far addresses may move along K, so that none between the first and the last wraps around. */
const FARTHEST = 2 ** 30;

/**
 * That all loads of an operand are in range, whose addresses are linear along K: for each row (or
 * column) of the thread the first and the last step of K, and that addresses move little enough
 * from one to the next that none between them wraps around.
 */
function endTests(t: Lowering, load: Operation, side: 0 | 1): ThreadValue[] {
  const pointer = load.operand(0);
  const summed = 1 - side;
  const run = runLength(t, load);
  const bounds = boundsOf(t, load, run);
  if (!bounds) return [];
  const { register } = layoutOf(pointer);
  const low = Math.log2(run);
  const steps = shapeOf(pointer.type)[summed]!;
  const limit = Math.floor(FARTHEST / steps);
  const pass = outsideLoops();
  const tests: ThreadValue[] = [];
  // Only the first address of a run is computed: along K, the others follow it one by one.
  const alongRun = register.some((basis, i) => i < low && basis[summed] === 1);
  const mine = register.flatMap((basis, i) => (basis[side] && i >= low ? [i] : []));
  for (let n = 0; n < 1 << mine.length; n++) {
    /** The address at a step of K, rounded down to where a run begins. */
    const at = (k: number): ThreadValue => {
      const index = register.map((basis, i): Bit => {
        if (i < low) return 0;
        if (basis[side]) return mine.includes(i) ? (((n >> mine.indexOf(i)) & 1) as Bit) : 0;
        return (k & basis[summed]!) === 0 ? 0 : 1;
      });
      return evaluate(t, pass, pointer, index);
    };
    const first = at(0);
    tests.push(bounds.whole(first), bounds.whole(at(steps - 1)));
    if (!alongRun) tests.push(t.x`u32(${at(1)} - ${first} + ${limit}i) <= ${2 * limit}u`);
  }
  return tests.map((test) => t.let('inside', test));
}
