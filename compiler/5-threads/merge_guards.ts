/**
 * Merges bounds guards: prefetched loads side by side share one test, whether no run is masked and
 * none is out of range, as almost always. A section of guards and what they guard is written twice:
 * without tests where the shared test holds, and as it was. Reads and reports are those of each
 * guard by itself.
 */
import { isTrue } from '../ir/thread/folding';
import { ThreadBuilder } from '../ir/thread/builder';
import type { ThreadBlock, ThreadFunc, ThreadOp, ThreadValue } from '../ir/thread/ir';
import { hasThreadTrait } from '../ir/thread/ops';
import { cloneGuarded } from './guards/cloneGuarded';
import { guardsOf, lastUse } from './guards/groups';
import { SharedRanges } from './guards/sharedRanges';
import { numberOf } from './guards/tests';

/** @returns whether it merged any. */
export function merge_guards(func: ThreadFunc): boolean {
  const sections = new Map<ThreadBlock, Map<unknown, ThreadOp[]>>();
  for (const guard of guardsOf(func)) {
    const { section } = guard.attributes;
    if (section === undefined) continue;
    const own = sections.get(guard.parent!) ?? new Map<unknown, ThreadOp[]>();
    sections.set(guard.parent!, own);
    own.set(section, [...(own.get(section) ?? []), guard]);
  }
  if (sections.size === 0) return false;
  const b = ThreadBuilder.editing(func);
  const ranges = new SharedRanges(b);
  let changed = false;
  for (const own of sections.values())
    for (const guards of own.values()) changed = mergeSection(b, ranges, guards) || changed;
  b.finish();
  return changed;
}

function mergeSection(
  b: ThreadBuilder,
  ranges: SharedRanges,
  guards: readonly ThreadOp[],
): boolean {
  const [first] = guards as readonly [ThreadOp];
  const next = lastUse(guards).next!;
  const section = new Set<ThreadOp>();
  for (let op = first; op !== next; op = op.next!) section.add(op);
  if (![...section].every(isRepeatable)) return false;
  const tests = testsOfSection(b, ranges, guards, section);
  if (!tests) return false;
  // Components of vectors are taken behind the section.
  for (const op of section) {
    if (op.name !== 'thread.extract' || !section.has(op.operand(0).definition!)) continue;
    const { uses } = op.result;
    if (uses.size === 0 || [...uses].some((user) => isInside(user, section))) continue;
    section.delete(op);
    op.parent!.remove(op);
    next.parent!.insertBefore(next, op);
  }
  const ops = [...section];
  const outs = ops.flatMap(({ results }) =>
    results.filter(({ uses }) => [...uses].some((user) => !isInside(user, section))),
  );
  const anchor = ops.at(-1)!.next!;
  b.before(anchor, () =>
    b.at(first.location, () => {
      const results = b.if(
        tests.reduce((x, y) => b.x`${x} & ${y}`),
        () => cloneGuarded(b, ops, outs),
        () => {
          for (const op of ops) {
            op.parent!.remove(op);
            b.append(op);
          }
          return outs;
        },
        outs.map(({ name }) => name ?? ''),
      );
      outs.forEach((out, i) => replaceOutside(out, results[i]!, section));
    }),
  );
  return true;
}

/** Whether an operation of a section may stand in both versions. */
function isRepeatable(op: ThreadOp): boolean {
  if (op.name === 'thread.guard') return true;
  if (op.name === 'thread.if')
    return op.regions.every((region) =>
      region.ops.every((each) => each.name === 'thread.yield' || isRepeatable(each)),
    );
  return isMovable(op);
}
const isMovable = ({ name }: ThreadOp): boolean =>
  hasThreadTrait(name, 'pure') ||
  (hasThreadTrait(name, 'reads') && !hasThreadTrait(name, 'writes'));

function isInside(op: ThreadOp, section: ReadonlySet<ThreadOp>): boolean {
  for (let at: ThreadOp | undefined = op; at; at = at.parent?.parent)
    if (section.has(at)) return true;
  return false;
}

/** The yields of the section's own block, which were made last, keep the value. */
function replaceOutside(
  out: ThreadValue,
  result: ThreadValue,
  section: ReadonlySet<ThreadOp>,
): void {
  const own = out.definition!.parent!.terminator;
  for (const user of [...out.uses])
    if (user !== own && !isInside(user, section)) user.replaceOperand(out, result);
}

/**
 * The tests, before the section: masks, ranges that a loop shares, and whole runs. What they need
 * of the section moves before it; undefined where it cannot.
 */
function testsOfSection(
  b: ThreadBuilder,
  ranges: SharedRanges,
  guards: readonly ThreadOp[],
  section: Set<ThreadOp>,
): readonly ThreadValue[] | undefined {
  const [first] = guards as readonly [ThreadOp];
  const operations = new Map<unknown, ThreadOp[]>();
  for (const guard of guards) {
    const { operation } = guard.attributes;
    operations.set(operation, [...(operations.get(operation) ?? []), guard]);
  }
  const shared = [...operations.values()].map((own) => ({ own, range: ranges.of(own) }));
  const needed = [
    ...masksOf(guards),
    ...shared.flatMap(({ own, range }) =>
      range ? [range.base] : own.flatMap((guard) => guard.operands.slice(2)),
    ),
  ];
  if (!needed.every((value) => canMove(value, section))) return undefined;
  for (const value of needed) moveBefore(value, first, section);
  const tests = b.before(first, () =>
    shared.flatMap(({ own, range }) => [
      ...(range
        ? [b.named('within', b.x`u32(${range.base} + ${range.from}) < ${range.room}`)]
        : own.flatMap((guard) => wholeOf(b, guard))),
      ...masksOf(own),
    ]),
  );
  return [...new Set(tests)];
}

const masksOf = (guards: readonly ThreadOp[]): ThreadValue[] =>
  guards.map((guard) => guard.operand(0)).filter((mask) => !isTrue(mask));

/** Whether all of a guard's run is in range; nothing where the mask decides. */
function wholeOf(b: ThreadBuilder, guard: ThreadOp): ThreadValue[] {
  const [distance, limit] = guard.operands.slice(2);
  switch (guard.attributes['by']) {
    case 'mask':
      return [];
    case 'good':
      return [b.x`${limit!} == ${numberOf(guard, 'vector')}u`];
    default:
      return [b.x`${distance!} < ${limit!}`];
  }
}

function canMove({ definition }: ThreadValue, section: ReadonlySet<ThreadOp>): boolean {
  if (!definition || !section.has(definition)) return true;
  return isMovable(definition) && definition.operands.every((each) => canMove(each, section));
}
function moveBefore({ definition }: ThreadValue, anchor: ThreadOp, section: Set<ThreadOp>): void {
  if (!definition || !section.delete(definition)) return;
  for (const operand of definition.operands) moveBefore(operand, anchor, section);
  anchor.parent!.remove(definition);
  anchor.parent!.insertBefore(anchor, definition);
}
