/**
 * Loop versioning: where all accesses of a loop walk up through memory, one test of the thread's
 * first and last element covers everything between them, and a loop without tests runs.
 */
import { maskOf } from '../../ir/access';
import { Operation, type Value } from '../../ir/ir';
import { isRematerialized } from '../../ir/registerForm';
import type { ThreadValue } from '../../ir/thread/ir';
import { shapeOf } from '../../ir/types';
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

/** More operations than this are not lowered twice. */
const MOST_TWICE = 32;

const UPPER_LIMITS: ReadonlySet<unknown> = new Set(['slt', 'sle', 'ult', 'ule']);

/**
 * On a CPU every test within a loop costs as much as an access. Where all accesses of a loop walk
 * up through memory under masks that only ever end, the thread's first and last element decide for
 * all: the loop is lowered twice, without any test and with all of them. `roots`: the loop's store,
 * and values that may be made of loads that are rematerialized.
 */
export function versioned(
  t: Lowering,
  roots: readonly (Value | Operation)[],
  lower: (version: Version) => readonly ThreadValue[],
  hints: readonly string[] = [],
): readonly ThreadValue[] {
  const accesses = t.software ? walkedAccesses(t, roots) : [];
  const tests = accesses.flatMap((op) => t.b.at(op.location, () => endTests(t, op)));
  if (tests.length === 0) return lower('only');
  const all = t.let('all_inside', t.every(tests)!);
  const masks = accesses.map(maskOf).filter((mask) => mask !== undefined);
  return t.b.if(
    all,
    () => {
      for (const op of accesses)
        t.free.set(
          op,
          t.b.at(op.location, () => firstVector(t, op)),
        );
      for (const mask of masks) t.holds.add(mask);
      const values = lower('free');
      t.free.clear();
      t.holds.clear();
      return values;
    },
    () => lower('tested'),
    hints,
  );
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
 * The accesses behind these; none where one of them does not walk up, or there is much to lower
 * twice.
 */
function walkedAccesses(t: Lowering, roots: readonly (Value | Operation)[]): Operation[] {
  const seen = new Set<Operation>();
  const found: Operation[] = [];
  let all = true;
  const visit = (op: Operation | undefined): void => {
    // A tree that is too large need not be walked to its end.
    if (!op || seen.has(op) || seen.size > MOST_TWICE) return;
    seen.add(op);
    if (op.name === 'tt.load' || op.name === 'tt.store') {
      found.push(op);
      all &&= walksUp(t, op);
      if (op.name === 'tt.store') return;
    }
    for (const operand of op.operands) if (isRematerialized(operand)) visit(operand.definition);
  };
  for (const root of roots)
    if (root instanceof Operation) visit(root);
    else if (isRematerialized(root)) visit(root.definition);
  return all && seen.size <= MOST_TWICE ? found : [];
}

/**
 * Whether the access's addresses rise by one element from register to register, and its mask only
 * ends.
 */
function walksUp(t: Lowering, op: Operation): boolean {
  const shape = shapeOf(op.operand(0).type);
  const mask = maskOf(op);
  return (
    shape.length === 1 &&
    isRematerialized(op.operand(0)) &&
    t.axes.of(op.operand(0)).contiguity[0]! >= shape[0]! &&
    (mask === undefined || (isRematerialized(mask) && onlyEnds(t, mask)))
  );
}

/** Whether a mask that holds for the last register of a thread holds for those before it. */
function onlyEnds(t: Lowering, mask: Value): boolean {
  const op = mask.definition;
  const size = shapeOf(mask.type)[0] ?? 1;
  if (op?.name === 'arith.andi') return op.operands.every((operand) => onlyEnds(t, operand));
  if (op?.name !== 'arith.cmpi' || !UPPER_LIMITS.has(op.attributes['predicate'])) return false;
  const [rising, limit] = op.operands.map((operand) => t.axes.of(operand));
  return rising!.contiguity[0]! >= size && limit!.constancy[0]! >= size;
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

/** The longest vector among the loads that are rematerialized for these values. */
export function longestVector(t: Lowering, roots: readonly Value[]): number {
  return Math.max(1, ...walkedAccesses(t, roots).map((access) => runLength(t, access)));
}
