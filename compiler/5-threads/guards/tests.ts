/** Values of a bounds guard: the tests of its run, and how far it is out of range. */
import type { ThreadBuilder } from '../../ir/thread/builder';
import type { ThreadOp, ThreadValue } from '../../ir/thread/ir';

/** The tests of a guard's run, without its mask. */
export interface GuardTests {
  readonly some: ThreadValue;
  readonly whole: ThreadValue;
  /**
   * For runs that are not all in range: how many elements are not, and the distance of the first
   * one.
   */
  count(): ThreadValue;
  first(): ThreadValue;
}

export const numberOf = (guard: ThreadOp, name: string): number => Number(guard.attributes[name]);

/** The tests, made at the insertion point; `count` and `first` are made where they are called. */
export function testsOf(b: ThreadBuilder, guard: ThreadOp): GuardTests {
  const [distance, limit, length] = guard.operands.slice(2);
  const vector = numberOf(guard, 'vector');
  if (guard.attributes['by'] === 'mask') {
    const yes = b.bool(true);
    return { whole: yes, some: yes, count: () => b.u32(0), first: () => distance! };
  }
  if (guard.attributes['by'] === 'good')
    return {
      whole: b.x`${limit!} == ${vector}u`,
      some: b.x`${limit!} != 0u`,
      count: () => b.x`${vector}u - ${limit!}`,
      first: () => b.x`${distance!} + ${limit!}`,
    };
  if (vector === 1) {
    const inside = b.named('inside', b.x`${distance!} < ${length!}`);
    return { some: inside, whole: inside, count: () => b.u32(1), first: () => distance! };
  }
  // A run in a tensor of whole vectors is in range or not, as a whole. The report tests again: a
  // result that is kept for it across the branch costs f16 attention 4 % on an H100.
  if (limit === length)
    return {
      some: b.x`${distance!} < ${length!}`,
      whole: b.x`${length!} > ${distance!}`,
      count: () => b.u32(vector),
      first: () => distance!,
    };
  return {
    whole: b.x`${distance!} < ${limit!}`,
    some: b.x`${distance!} < ${length!}`,
    count: () => b.x`select(${vector}u, ${tailOf(b, guard)}, ${distance!} == ${limit!})`,
    first: () => b.x`max(${distance!}, ${length!})`,
  };
}

/**
 * How many elements of the run that holds the end, or that begins there, are past it: a tensor's
 * constant.
 */
function tailOf(b: ThreadBuilder, guard: ThreadOp): ThreadValue {
  const [whole, length] = guard.operands.slice(3);
  const vector = numberOf(guard, 'vector');
  const make = (): ThreadValue => b.named('tail', b.x`${vector}u - (${length!} - ${whole!})`);
  const { definition } = whole!;
  return definition ? b.onceBehind(definition, `tail ${vector}`, make) : make();
}

/** Puts the test in the place of the guard's result. */
export function replaceResult(b: ThreadBuilder, guard: ThreadOp, tests: GuardTests): void {
  const { result } = guard;
  if (result.uses.size === 0) return;
  const value = b.x`${guard.operand(0)} & ${tests.some}`;
  result.replaceAllUsesWith(result.name ? b.named(result.name, value) : value);
}
