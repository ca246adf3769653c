/**
 * tt.dot from global memory (`4-distribute/dots/direct.ts`): a loop along K, a few steps an
 * iteration, in which each thread loads the operands of its block of the accumulator. Products are
 * added in the order of K, as fused multiply-adds of whole vectors along N (integers: products and
 * sums), so the sums are those of a dot from workgroup memory. Halves are widened where they are
 * multiplied, exactly.
 *
 * Tests of each load cost a quarter of the time. Where addresses are linear along K, the first and
 * the last step decide for all (loop versioning): a loop without tests, and one with all of them
 * that takes one step an iteration, since an iteration of it costs even where it is not taken.
 */
import { STEPS } from '../../4-distribute/dots/direct';
import { maskOf } from '../../ir/access';
import type { Operation, Value } from '../../ir/ir';
import type { Layout } from '../../ir/layout';
import { registerCount } from '../../ir/layout';
import { isRematerialized } from '../../ir/registerForm';
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
  const tests = loads.map((load, side) =>
    t.b.at(load.location, () => endTests(t, load, side as 0 | 1)),
  );
  const steps = Math.log2(STEPS);
  const known = tests.every((test) => test !== undefined) ? tests.flat() : [];
  const sums =
    known.length === 0
      ? sumsOf(steps)
      : t.b.if(
          t.let('all_inside', t.every(known)!),
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
 * That all loads of an operand are in range: for each row (or column) of the thread the first and
 * the last step of K, and that addresses move little enough from one to the next that none between
 * them wraps around. Undefined where that does not decide: under masks, or where addresses are not
 * linear.
 */
function endTests(t: Lowering, load: Operation, side: 0 | 1): ThreadValue[] | undefined {
  const pointer = load.operand(0);
  const summed = 1 - side;
  if (maskOf(load) || t.memory.of(load).computed) return undefined;
  if (!isRematerialized(load.result) || !isLinear(t, pointer, summed)) return undefined;
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

/** Whether a tile of integers or addresses is `x + k * y` along a dimension, modulo 2³². */
function isLinear(t: Lowering, value: Value, dim: number): boolean {
  const size = shapeOf(value.type)[dim];
  if (value.type.kind !== 'tensor' || size === 1) return true;
  const isConstant = (tile: Value): boolean => t.dots.axes.of(tile).constancy[dim]! >= size!;
  if (isConstant(value)) return true;
  const op = value.definition;
  switch (op?.name) {
    case 'tt.make_range':
      return true;
    case 'tt.broadcast':
      return isLinear(t, op.operand(0), dim);
    case 'tt.expand_dims': {
      const axis = Number(op.attributes['axis']);
      return isLinear(t, op.operand(0), dim > axis ? dim - 1 : dim);
    }
    case 'arith.addi':
    case 'arith.subi':
    case 'tt.addptr':
      return op.operands.every((operand) => isLinear(t, operand, dim));
    case 'arith.muli': {
      const [x, y] = [op.operand(0), op.operand(1)];
      return (isConstant(x) && isLinear(t, y, dim)) || (isConstant(y) && isLinear(t, x, dim));
    }
    default:
      return false;
  }
}
