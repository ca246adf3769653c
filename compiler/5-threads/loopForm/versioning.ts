/**
 * Versions of a loop that `version_loops` selected: one test of the thread's first and last element
 * of each access covers everything between them, and a loop without tests runs where it holds.
 */
import { maskOf } from '../../ir/access';
import type { Operation, Value } from '../../ir/ir';
import { isRematerialized, VERSIONED } from '../../ir/registerForm';
import type { ThreadValue } from '../../ir/thread/ir';
import { layoutOf } from '../context';
import type { Lowering } from '../context';
import { boundsOf } from '../memory/bounds';
import { inWholeVectors, runLength } from '../memory/runs';
import { constant, evaluate, evaluateOperand, outsideLoops } from './values';

/**
 * Which version of a loop is lowered: the only one, or of two the one without tests or the one with
 * all of them. The latter costs an iteration even where it is not taken, so its iterations are
 * short.
 */
export type Version = 'only' | 'free' | 'tested';

/** Lowers the loop of a store or reduction in each of its versions. */
export function versioned(
  t: Lowering,
  op: Operation,
  lower: (version: Version) => readonly ThreadValue[],
  hints: readonly string[] = [],
): readonly ThreadValue[] {
  if (op.attributes[VERSIONED] !== true) return lower('only');
  const { accesses } = accessesBehind(op);
  const tests = accesses.flatMap((access) => t.b.at(access.location, () => endTests(t, access)));
  const all = t.let('all_inside', t.every(tests)!);
  const masks = accesses.map(maskOf).filter((mask) => mask !== undefined);
  return t.b.if(
    all,
    () =>
      t.assumptions.where(
        {
          accesses,
          firstVector: (access) => t.b.at(access.location, () => firstVector(t, access)),
          masks,
        },
        () => lower('free'),
      ),
    () => lower('tested'),
    hints,
  );
}

/**
 * The accesses of a loop over an operation's registers: its own, and loads that are rematerialized
 * for it; and how many operations the loop evaluates.
 */
export function accessesBehind(owner: Operation): {
  readonly accesses: readonly Operation[];
  readonly operations: number;
} {
  const seen = new Set<Operation>();
  const accesses: Operation[] = [];
  const visit = (op: Operation): void => {
    if (seen.has(op)) return;
    seen.add(op);
    if (op.name === 'tt.load' || op.name === 'tt.store') accesses.push(op);
    if (op.name !== 'tt.store') visitOperands(op.operands);
  };
  const visitOperands = (operands: readonly Value[]): void => {
    for (const operand of operands) if (isRematerialized(operand)) visit(operand.definition!);
  };
  if (owner.name === 'tt.store') {
    visitOperands([owner.operand(1)]);
    visit(owner);
  } else visitOperands(owner.operands);
  return { accesses, operations: seen.size };
}

/** The index of the vector at the thread's first register of an access that walks up. */
function firstVector(t: Lowering, op: Operation): ThreadValue | undefined {
  const pointer = op.operand(0);
  const vector = runLength(t, op);
  if (!inWholeVectors(t, op, vector)) return undefined;
  const start = constant(0, layoutOf(pointer).register.length);
  const first = evaluate(t, outsideLoops(), pointer, start);
  return t.let('first', t.x`u32(${first}) / ${vector}u`);
}

/**
 * That a thread's first and last element of an access are in range, and its last one is not masked.
 */
function endTests(t: Lowering, op: Operation): ThreadValue[] {
  const pass = outsideLoops();
  const pointer = op.operand(0);
  const bits = layoutOf(pointer).register.length;
  const [first, last] = [0, 2 ** bits - 1].map((r) => constant(r, bits));
  const mask = maskOf(op);
  const tests: ThreadValue[] = mask ? [evaluateOperand(t, pass, mask, last!)] : [];
  const bounds = boundsOf(t, op, runLength(t, op));
  if (bounds)
    for (const index of [first!, last!])
      tests.push(bounds.whole(evaluate(t, pass, pointer, index)));
  return tests.map((test) => t.let('inside', test));
}

/** The longest vector among the loads that are rematerialized for a reduction. */
export function longestVector(t: Lowering, op: Operation): number {
  return Math.max(1, ...accessesBehind(op).accesses.map((access) => runLength(t, access)));
}
