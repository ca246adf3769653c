/**
 * Lowers bounds guards to tests, and to the record of what is out of range (`guards/records.ts`):
 * one branch behind the runs of an operation, or straight code where branches are masked. The end
 * of the kernel reports the record.
 */
import { ThreadBuilder } from '../ir/thread/builder';
import type { ThreadFunc, ThreadOp } from '../ir/thread/ir';
import { groupGuards, guardsOf } from './guards/groups';
import type { GuardGroup } from './guards/groups';
import { Records } from './guards/records';
import type { TestedGuard } from './guards/records';
import { numberOf, replaceResult, testsOf } from './guards/tests';

/** @returns whether there were guards. */
export function lower_guards(func: ThreadFunc): boolean {
  const end = func.body.ops.find(({ name }) => name === 'thread.report_guards');
  const guards = guardsOf(func);
  if (guards.length === 0 && !end) return false;
  const b = ThreadBuilder.editing(func);
  // Masks alone report nothing.
  for (const guard of guards.filter(isMask))
    b.before(guard, () => replaceResult(b, guard, testsOf(b, guard)));
  if (end)
    lowerReports(
      b,
      func,
      guards.filter((guard) => !isMask(guard)),
      end,
    );
  for (const op of guards) op.erase();
  b.finish();
  return true;
}

const isMask = ({ attributes }: ThreadOp): boolean => attributes['by'] === 'mask';

/** Lowers guards of ranges, and makes the reports in the place of `end`. */
function lowerReports(
  b: ThreadBuilder,
  func: ThreadFunc,
  guards: readonly ThreadOp[],
  end: ThreadOp,
): void {
  const records = new Records(b);
  const straight = func.attributes['masksBranches'] === true;
  const groups = groupGuards(guards);
  const isDeferred = ({ guards: [guard] }: GuardGroup): boolean =>
    guard!.attributes['deferred'] === true;
  for (const group of groups) if (!isDeferred(group)) lowerGroup(b, records, group, straight);
  // Records of loops come behind those of straight code: the first access of all is kept.
  const deferred = groups.filter(isDeferred);
  b.before(deferred[0]?.guards[0] ?? end, () => records.gather());
  for (const group of deferred) lowerGroup(b, records, group, false);
  b.before(end, () => records.report(end.operand(0)));
  const uncounted = guards.flatMap((guard) =>
    guard.attributes['counted'] === false ? [numberOf(guard, 'access')] : [],
  );
  if (uncounted.length > 0)
    func.attributes['uncounted'] = [...new Set(uncounted)].sort((x, y) => x - y);
  end.erase();
}

function lowerGroup(
  b: ThreadBuilder,
  records: Records,
  { guards, last }: GuardGroup,
  straight: boolean,
): void {
  const tested = guards.map((guard): TestedGuard => {
    return { guard, tests: b.before(guard, () => testsOf(b, guard)) };
  });
  const make = (): void => {
    if (straight) for (const each of tested) records.straight(each);
    else records.branch(tested);
  };
  b.before(last.next!, () => b.at(guards[0]!.location, make));
  for (const { guard, tests } of tested) b.before(guard, () => replaceResult(b, guard, tests));
}
