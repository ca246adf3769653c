/**
 * Which values may stand where they are used, in the text of another: pure ones and loads, with one
 * use in their own block. How long and how deep a text gets, the printer decides (`6-emit/places`).
 */
import type { ThreadOp, ThreadValue } from './ir';
import { hasThreadTrait } from './ops';

export const isLoad = ({ name }: ThreadOp): boolean =>
  name === 'thread.load' || name === 'thread.load_component';
export const isMovable = (op: ThreadOp): boolean =>
  isLoad(op) || (hasThreadTrait(op.name, 'pure') && !hasThreadTrait(op.name, 'convergent'));

/** Operations that put a value into a variable or a name: it needs no name of its own. */
const NAMES_ITS_OPERAND: ReadonlySet<string> = new Set(['thread.yield', 'thread.copy']);

/**
 * The only use of a value, in its own block, if it may stand there. A value with a name keeps it,
 * except where it goes straight into a variable or a copy, which has one.
 */
export function placeOf({ result, parent }: ThreadOp): ThreadOp | undefined {
  const user = result.hasOneUse ? result.uses.only : undefined;
  if (!user || user.parent !== parent || isReadAgain(user, result)) return undefined;
  return result.name === undefined || NAMES_ITS_OPERAND.has(user.name) ? user : undefined;
}
/**
 * Whether a loop evaluates the text of an operand in each iteration, or a value of its body takes
 * it over.
 */
export function isReadAgain({ name, operands }: ThreadOp, value: ThreadValue): boolean {
  if (name === 'thread.for') return operands[0] === value;
  return name === 'thread.condition' && operands.indexOf(value, 1) > 0;
}
