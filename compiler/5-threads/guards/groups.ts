/** The bounds guards of a kernel in thread IR, by the operation that they belong to. */
import { walk } from '../../ir/ir';
import type { ThreadBlock, ThreadFunc, ThreadOp } from '../../ir/thread/ir';

/** Guards of one operation in one block, in program order. */
export interface GuardGroup {
  readonly guards: readonly ThreadOp[];
  /** The last operation of the block that a result of theirs decides, or the last guard. */
  readonly last: ThreadOp;
}

export function guardsOf(func: ThreadFunc): ThreadOp[] {
  const guards: ThreadOp[] = [];
  walk(func.body, (op) => {
    if (op.name === 'thread.guard') guards.push(op);
  });
  return guards;
}

/** The groups of guards, in the order of their first ones. */
export function groupGuards(guards: readonly ThreadOp[]): GuardGroup[] {
  const byBlock = new Map<ThreadBlock, Map<unknown, ThreadOp[]>>();
  const lists: ThreadOp[][] = [];
  for (const guard of guards) {
    const block = guard.parent!;
    let own = byBlock.get(block);
    if (!own) byBlock.set(block, (own = new Map()));
    const operation = guard.attributes['operation'];
    const list = own.get(operation);
    if (list) list.push(guard);
    else {
      const made = [guard];
      own.set(operation, made);
      lists.push(made);
    }
  }
  return lists.map((list) => ({ guards: list, last: lastUse(list) }));
}

/**
 * The last operation of the guards' block that uses a result of theirs, itself or in its regions.
 */
export function lastUse(guards: readonly ThreadOp[]): ThreadOp {
  const users = new Set<ThreadOp>();
  const block = guards[0]!.parent;
  for (const { results } of guards)
    for (const { uses } of results)
      for (const user of uses) {
        let at: ThreadOp | undefined = user;
        while (at && at.parent !== block) at = at.parent?.parent;
        if (at) users.add(at);
      }
  let last = guards[0]!;
  const end = guards.at(-1)!;
  users.add(end);
  for (let op: ThreadOp | undefined = last; op && users.size > 0; op = op.next)
    if (users.delete(op)) last = op;
  return last;
}
