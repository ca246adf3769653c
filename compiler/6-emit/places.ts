/**
 * Values that stand where they are used, and need no `let`: those with one use, if nothing between
 * the two changes what they read, so that the order of effects stays that of the IR. They enter no
 * loop and no branch, and cross no loop and no barrier; floats cross no load either. The driver so
 * gets sums and loads in the order of the IR, and registers live as long as there.
 */
import type { ThreadBlock, ThreadOp, ThreadValue } from '../ir/thread/ir';
import { isLoad, isMovable, isReadAgain, placeOf } from '../ir/thread/places';
import type { Text } from './expressions';
import type { Variables } from '../ir/thread/variables';

/** Expressions nest no deeper than a reader follows. */
const MOST_NESTED = 8;
/** Columns of an expression that stands in another one, so that a line stays within 100. */
const MOST_COLUMNS = 60;
/** Columns of one that is a statement's right side. */
const MOST_ASSIGNED = 80;
/** Columns of a chain of one operator: it wraps well. */
const MOST_CHAINED = 160;
/** Operations between a value and its use. */
const MOST_LOOKED_AT = 64;

/** Whether an expression, or a load, stands where it is used. */
export function standsAtUse(op: ThreadOp, text: Text, variables: Variables): boolean {
  if (!isMovable(op)) return false;
  // A copy is of variables that change, not of a name.
  if (op.name === 'thread.copy') return text.reads.length === 0;
  // A component of a name is as good as a name.
  if (op.name === 'thread.extract' && text.depth === 0 && !text.loads) return true;
  if (op.operands.length === 0) return true;
  const user = placeOf(op);
  if (!user || (text.loads && BRANCHES.has(user.name))) return false;
  if (text.depth > MOST_NESTED || text.text.length > mostColumns(text, user)) return false;
  return reaches(op, text, user, variables);
}

function mostColumns({ chain }: Text, { name }: ThreadOp): number {
  if (chain !== undefined) return MOST_CHAINED;
  return name === 'thread.yield' || name === 'thread.copy' ? MOST_ASSIGNED : MOST_COLUMNS;
}
/** Statements that use an operand only in a branch of their own. */
const BRANCHES: ReadonlySet<string> = new Set(['thread.workgroup_uniform', 'thread.assert_record']);
/** Operations that keep what stands before them from standing behind them. */
const WALLS: ReadonlySet<string> = new Set(['thread.for', 'thread.while', 'thread.barrier']);

/** Whether nothing on the way to a value's use keeps it from standing there. */
function reaches(
  op: ThreadOp,
  { reads, loads }: Text,
  user: ThreadOp,
  variables: Variables,
): boolean {
  const computes = isFloat(op.result);
  let steps = 0;
  for (let at = op.next; at && at !== user; at = at.next) {
    if (++steps > MOST_LOOKED_AT || WALLS.has(at.name)) return false;
    if (loads && !isSilent(at)) return false;
    if (computes && (isLoad(at) || at.regions.length > 0) && !leadsTo(at, user)) return false;
    if (reads.length === 0) continue;
    for (const each of at.results) if (variables.has(each)) return false;
  }
  return true;
}
/** Whether a value may stand in `user`, by itself or in what stands there. */
function leadsTo(op: ThreadOp, user: ThreadOp): boolean {
  for (let at: ThreadOp | undefined = op; at?.results.length === 1; at = placeOf(at))
    if (placeOf(at) === user) return true;
  return false;
}
const isFloat = ({ type }: ThreadValue): boolean =>
  type.kind === 'number' && (type.scalar === 'f32' || type.scalar === 'f16');
/** Whether an operation makes no statement, or a `let` that any load may stand behind. */
const isSilent = (op: ThreadOp): boolean =>
  op.name === 'thread.extract' || (isMovable(op) && placeOf(op) !== undefined);

/**
 * Whether a load of a variable of this thread needs no copy: nothing is stored there until its last
 * use.
 */
export function isUnchanged(load: ThreadOp): boolean {
  const memory = load.operands[0]!;
  const { type } = memory;
  if (load.result.name !== undefined || load.name !== 'thread.load') return false;
  if (type.kind !== 'memory' || type.space !== 'private' || type.shape.length > 0) return false;
  const users = [...load.result.uses];
  if (users.some((user) => isReadAgain(user, load.result))) return false;
  const left = new Set(users.map((user) => ancestorIn(load.parent!, user)));
  let steps = 0;
  for (let at = load.next; at && left.size > 0; at = at.next) {
    if (++steps > MOST_LOOKED_AT) return false;
    const inside = at.regions.length > 0 && users.some((user) => user !== at && isIn(at, user));
    left.delete(at);
    if (left.size === 0 && !inside) return true;
    if (storesTo(at, memory)) return false;
  }
  return left.size === 0;
}
/** The operation of a block that is `op` or around it. */
function ancestorIn(block: ThreadBlock, op: ThreadOp): ThreadOp {
  let at = op;
  while (at.parent !== block) at = at.parent!.parent!;
  return at;
}
function isIn(outer: ThreadOp, op: ThreadOp): boolean {
  for (let at: ThreadOp | undefined = op; at; at = at.parent?.parent) if (at === outer) return true;
  return false;
}
function storesTo(op: ThreadOp, memory: ThreadValue): boolean {
  if (op.operands[0] === memory && op.name !== 'thread.load') return true;
  for (const region of op.regions)
    for (let at = region.first; at; at = at.next) if (storesTo(at, memory)) return true;
  return false;
}
