/**
 * Defers reports to the end of the kernel, where each instruction beside an access counts: in loops
 * where branches are masked, and of predicated loads. There a variable holds how far the first run
 * out of range lies behind the last one in range, and nothing else: no condition stays alive beside
 * the one that the run is accessed under (f32 matmul of odd sizes on an H200: 26.2 in place of 25.4
 * TFLOP/s). A guard at the end checks and reports that run.
 */
import { isTrue } from '../ir/thread/folding';
import { ThreadBuilder } from '../ir/thread/builder';
import type { ThreadFunc, ThreadOp, ThreadValue } from '../ir/thread/ir';
import { U32 } from '../ir/thread/types';
import { groupGuards, guardsOf } from './guards/groups';
import type { GuardGroup } from './guards/groups';
import { replaceResult, testsOf } from './guards/tests';

/** State shared by guards of the same access and tensor. */
interface Deferred {
  readonly variable: ThreadValue;
  /** The first of them. */
  readonly guard: ThreadOp;
}

/** @returns whether it deferred any. */
export function defer_reports(func: ThreadFunc): boolean {
  const end = func.body.ops.find(({ name }) => name === 'thread.report_guards');
  const masksBranches = func.attributes['masksBranches'] === true;
  const guards = guardsOf(func).filter(
    ({ attributes }) =>
      attributes['by'] === 'length' &&
      (attributes['predicated'] === true || (masksBranches && attributes['repeated'] === true)),
  );
  if (!end || guards.length === 0) return false;
  const b = ThreadBuilder.editing(func);
  const known = new Map<string, Deferred>();
  for (const group of groupGuards(guards)) deferGroup(b, group, known);
  for (const deferred of known.values()) b.before(end, () => guardDeferred(b, deferred));
  for (const guard of guards) guard.erase();
  b.finish();
  return true;
}

/** Records the least distance behind the last run of the group's guards. */
function deferGroup(
  b: ThreadBuilder,
  { guards, last }: GuardGroup,
  known: Map<string, Deferred>,
): void {
  const [guard] = guards as readonly [ThreadOp];
  const [whole, length] = guard.operands.slice(3);
  const key = `${String(guard.attributes['access'])} ${b.idOf(whole!)} ${b.idOf(length!)}`;
  const deferred = known.get(key) ?? {
    variable: b.variable(`least_${known.size}`, U32, b.u32(0xffffffff)),
    guard,
  };
  known.set(key, deferred);
  for (const each of guards) b.before(each, () => replaceResult(b, each, testsOf(b, each)));
  const { variable } = deferred;
  b.before(last.next!, () =>
    b.at(guard.location, () => {
      // A distance before `whole` wraps around.
      const least = guards.reduce((near, { operands: [mask, counts, distance] }) => {
        const far = b.x`${distance!} - ${whole!}`;
        // The variable is of the threads that count where the check at the end cannot test that.
        const here = !isEverywhere(b, deferred.guard.operand(1)) || !isEverywhere(b, counts!);
        const tests = [mask!, ...(here ? [counts!] : [])].filter((test) => !isTrue(test));
        const own = tests.reduce((x, test) => b.x`select(0xffffffffu, ${x}, ${test})`, far);
        return b.x`min(${near}, ${own})`;
      }, b.load(variable));
      b.store(variable, least);
    }),
  );
}

/** Whether a value is defined in the kernel's own block, and so at its end, too. */
function isEverywhere(b: ThreadBuilder, { owner, definition }: ThreadValue): boolean {
  return (definition ? definition.parent : owner) === b.func.body;
}

/** Checks, at the insertion point, the run that the variable names. */
function guardDeferred(b: ThreadBuilder, { variable, guard }: Deferred): void {
  const [, counts, , whole, length] = guard.operands;
  const { access, half, vector, operation } = guard.attributes;
  const least = b.load(variable);
  const mask = b.x`${least} != 0xffffffffu`;
  b.create(
    'thread.guard',
    [
      mask,
      isEverywhere(b, counts!) ? counts! : b.bool(true),
      b.named('distance', b.x`${least} + ${whole!}`),
      whole!,
      length!,
    ],
    {
      attributes: {
        access: access!,
        half: half!,
        by: 'length',
        vector: vector!,
        times: 1,
        operation: operation!,
        counted: false,
        deferred: true,
      },
    },
  );
}
