/**
 * Rounds neighbouring f32s to halves together, as one word. Tiles that are stored by words, as the
 * operands of subgroup matrices are, take one instruction for two elements instead of a cast for
 * each and an insertion.
 *
 * Requires a target whose `pack2x16float` rounds as a cast does (`packsHalves` of the function).
 * Guarantees: every word has the bits it had.
 */
import { walk } from '../ir/ir';
import { newOperation } from '../ir/thread/ir';
import type { ThreadFunc, ThreadOp, ThreadValue } from '../ir/thread/ir';
import type { ThreadOpName } from '../ir/thread/ops';
import { F16, F32, number, U32 } from '../ir/thread/types';
import type { NumberType, ThreadType } from '../ir/thread/types';

const WORDS: ReadonlySet<ThreadType> = new Set([U32, number('u32', 2)]);

/** @returns whether it packed any. */
export function pack_halves(func: ThreadFunc): boolean {
  if (func.attributes['packsHalves'] !== true) return false;
  const bitcasts: ThreadOp[] = [];
  /** The casts by their place in the program. */
  const places = new Map<ThreadOp, number>();
  walk(func.body, (op) => {
    if (op.name === 'thread.bitcast' && WORDS.has(op.result.type)) bitcasts.push(op);
    if (op.name === 'thread.convert') places.set(op, places.size);
  });
  let changed = false;
  for (const op of bitcasts) {
    const casts = castsOf(op);
    if (!casts) continue;
    const words: ThreadValue[] = [];
    for (let i = 0; i < casts.length; i += 2) words.push(pack(casts[i]!, casts[i + 1]!, places));
    replaceByWords(op, words);
    for (const cast of new Set(casts)) cast.erase();
    changed = true;
  }
  return changed;
}

/** The casts from f32 whose vector an operation takes, where they have no other use. */
function castsOf(op: ThreadOp): ThreadOp[] | undefined {
  const vector = op.operand(0).definition;
  const isSplat = vector?.name === 'thread.splat';
  if (!vector || !(isSplat || vector.name === 'thread.construct')) return undefined;
  if (vector.result.uses.only !== op) return undefined;
  const { size } = vector.result.type as NumberType;
  const parts = isSplat ? Array.from({ length: size }, () => vector.operand(0)) : vector.operands;
  const casts = parts.flatMap((value) => {
    const cast = value.definition;
    const rounds = cast?.name === 'thread.convert' && value.type === F16;
    return rounds && cast.operand(0).type === F32 && value.uses.only === vector ? [cast] : [];
  });
  return casts.length === size ? casts : undefined;
}

/** The word of two values, where the later one of them was cast: the values may die there. */
function pack(low: ThreadOp, high: ThreadOp, places: ReadonlyMap<ThreadOp, number>): ThreadValue {
  const at = places.get(low)! > places.get(high)! ? low : high;
  const [x, y] = [low.operand(0), high.operand(0)];
  const pair = number('f32', 2);
  const values =
    x === y
      ? insertBefore(at, 'thread.splat', [x], pair)
      : insertBefore(at, 'thread.construct', [x, y], pair);
  const word = insertBefore(at, 'thread.pack2x16float', [values], U32);
  word.name = 'packed';
  return word;
}

/** Replaces a bitcast and its vector; a vector of its words gets each of them. */
function replaceByWords(op: ThreadOp, words: readonly ThreadValue[]): void {
  const { result } = op;
  const [first] = words;
  if (words.length === 1) result.replaceAllUsesWith(first!);
  else
    for (const user of result.uses)
      if (user.name === 'thread.construct')
        user.operands = user.operands.flatMap((value) => (value === result ? words : [value]));
  if (result.uses.size > 0)
    result.replaceAllUsesWith(insertBefore(op, 'thread.construct', words, result.type));
  const vector = op.operand(0).definition!;
  op.erase();
  vector.erase();
}

function insertBefore(
  at: ThreadOp,
  name: ThreadOpName,
  operands: readonly ThreadValue[],
  type: ThreadType,
): ThreadValue {
  const op = newOperation(name, operands, [type], {}, [], at.location);
  at.parent!.insertBefore(at, op);
  return op.result;
}
