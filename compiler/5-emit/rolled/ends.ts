/**
 * Loops without tests: where all accesses of a loop walk up through memory, the thread's first and last
 * element tell for all that lies between them.
 */
import { maskOf } from '../../ir/access';
import { Operation, type Value } from '../../ir/ir';
import { shapeOf } from '../../ir/types';
import { layoutOf } from '../emission';
import type { Emission } from '../emission';
import { boundsOf } from '../memory/bounds';
import { inWholeVectors, runLength } from '../memory/runs';
import { constant, evaluate, evaluateOperand, outsideLoops } from './values';

/**
 * What a loop is: the only one, or of two the one without tests or the one with all of them. The latter
 * costs a turn even where it is not taken (`leaveEarly.ts`), so its turns are as short as they can be.
 */
export type Arm = 'only' | 'free' | 'tested';

/** More operations than this are not written twice. */
const MOST_TWICE = 32;

const UPPER_LIMITS: ReadonlySet<unknown> = new Set(['slt', 'sle', 'ult', 'ule']);

/**
 * On a CPU every test within a loop costs as much as an access. Where all accesses of a loop walk up
 * through memory under masks that only ever end, the thread's first and last element tell for all: then
 * the loop is written twice, without any test, and with all of them. `roots`: the store that it does,
 * and values that may be made of loads that are repeated.
 */
export function checkedOnce(
  e: Emission,
  roots: readonly (Value | Operation)[],
  emit: (arm: Arm) => void,
): void {
  const accesses = e.software ? walkedAccesses(e, roots) : [];
  const tests = accesses.flatMap((op) => e.writer.at(op.location, () => endTests(e, op)));
  if (tests.length === 0) {
    emit('only');
    return;
  }
  const all = e.let('all_inside', tests.join(' & '));
  const masks = accesses.map(maskOf).filter((mask) => mask !== undefined);
  e.writer.ifElse(
    all,
    () => {
      for (const op of accesses)
        e.free.set(
          op,
          e.writer.at(op.location, () => firstVector(e, op)),
        );
      for (const mask of masks) e.holds.add(mask);
      emit('free');
      e.free.clear();
      e.holds.clear();
    },
    () => emit('tested'),
  );
}

/** The index of the vector at the thread's first register of an access that walks up. */
function firstVector(e: Emission, op: Operation): string | undefined {
  const pointer = op.operand(0);
  const vector = runLength(e, op);
  if (!inWholeVectors(e, op, vector)) return undefined;
  const start = constant(0, layoutOf(pointer).register.length);
  const first = evaluate(e, outsideLoops(), pointer, start);
  return e.let('first', `u32(${first}) / ${vector}u`);
}

/** The accesses behind these; none where one of them does not walk up, or there is much to write twice. */
function walkedAccesses(e: Emission, roots: readonly (Value | Operation)[]): Operation[] {
  const seen = new Set<Operation>();
  const found: Operation[] = [];
  let all = true;
  const visit = (op: Operation | undefined): void => {
    // What is too much to write twice need not be walked to its end.
    if (!op || seen.has(op) || seen.size > MOST_TWICE) return;
    seen.add(op);
    if (op.name === 'tt.load' || op.name === 'tt.store') {
      found.push(op);
      all &&= walksUp(e, op);
      if (op.name === 'tt.store') return;
    }
    for (const operand of op.operands) if (e.later.has(operand)) visit(operand.definition);
  };
  for (const root of roots)
    if (root instanceof Operation) visit(root);
    else if (e.later.has(root)) visit(root.definition);
  return all && seen.size <= MOST_TWICE ? found : [];
}

/** Whether the access's addresses rise by one element from register to register, and its mask only ends. */
function walksUp(e: Emission, op: Operation): boolean {
  const shape = shapeOf(op.operand(0).type);
  const mask = maskOf(op);
  return (
    shape.length === 1 &&
    e.later.has(op.operand(0)) &&
    e.axes.of(op.operand(0)).contiguity[0]! >= shape[0]! &&
    (mask === undefined || (e.later.has(mask) && onlyEnds(e, mask)))
  );
}

/** Whether a mask that holds for the last register of a thread holds for those before it. */
function onlyEnds(e: Emission, mask: Value): boolean {
  const op = mask.definition;
  const size = shapeOf(mask.type)[0] ?? 1;
  if (op?.name === 'arith.andi') return op.operands.every((operand) => onlyEnds(e, operand));
  if (op?.name !== 'arith.cmpi' || !UPPER_LIMITS.has(op.attributes['predicate'])) return false;
  const [rising, limit] = op.operands.map((operand) => e.axes.of(operand));
  return rising!.contiguity[0]! >= size && limit!.constancy[0]! >= size;
}

/** That a thread's first and last element of an access are in range, and its last one is not masked. */
function endTests(e: Emission, op: Operation): string[] {
  const pass = outsideLoops();
  const pointer = op.operand(0);
  const bits = layoutOf(pointer).register.length;
  const [first, last] = [0, 2 ** bits - 1].map((r) => constant(r, bits));
  const mask = maskOf(op);
  const tests: string[] = mask ? [evaluateOperand(e, pass, mask, last!)] : [];
  const bounds = boundsOf(e, op, op.name === 'tt.load' ? 'load' : 'store', runLength(e, op));
  if (bounds)
    for (const index of [first!, last!])
      tests.push(`(${bounds.inside(evaluate(e, pass, pointer, index))})`);
  return tests.map((test) => e.let('inside', test));
}

/** Of the loads that are repeated for these values, the longest vector. */
export function longestVector(e: Emission, roots: readonly Value[]): number {
  return Math.max(1, ...walkedAccesses(e, roots).map((access) => runLength(e, access)));
}
