/**
 * Sinks values that are used only after a loop into the epilogue: addresses of a result, for one,
 * which the source names before the loop, would take registers through all of it. Only pure
 * operations move, down to the first that uses them. A tuner enables it; each store then
 * reports by itself, too.
 */
import { type Block, type Func, isLoop, type Operation, walk } from '../ir/ir';
import { hasTrait } from '../ir/ops';
import { choicesOf, type DistributeContext } from './context';
import { recordEpilogue } from './recordEpilogue';

export function sink_past_loops(func: Func, context: DistributeContext): boolean {
  const sinks = choicesOf(func, context).sinkIntoEpilogue;
  if (context.schedule) recordEpilogue(func, sinks, context.schedule);
  if (!sinks) return false;
  const blocks = new Set<Block>();
  walk(func.body, (op) => {
    if (isLoop(op)) blocks.add(op.parent!);
  });
  for (const block of blocks) sinkIn(block);
  func.attributes = { ...func.attributes, sinkIntoEpilogue: true };
  return true;
}

function sinkIn(block: Block): void {
  const { ops } = block;
  const loops = ops.flatMap((op, i) => (isLoop(op) ? [i] : []));
  // For an operation that moves: the place of the one that it will stand before, which does not.
  const places = new Map<Operation, number>(ops.map((op, i) => [op, i]));
  const moved: Operation[] = [];
  for (const [from, op] of [...ops.entries()].reverse()) {
    if (!hasTrait(op.name, 'pure') || op.regions.length > 0 || readsSharedMemory(op)) continue;
    const to = firstUse(op, block, places);
    if (to === undefined || !loops.some((loop) => from < loop && loop < to)) continue;
    places.set(op, to);
    moved.push(op);
  }
  for (const op of moved.reverse()) {
    block.remove(op);
    block.insertBefore(ops[places.get(op)!]!, op);
  }
}

/**
 * The next slice, or tile, overwrites workgroup memory: a dot on it stays where
 * it is.
 */
function readsSharedMemory(op: Operation): boolean {
  return op.operands.some(({ type }) => type.kind === 'memdesc');
}

/** The place in the block of the first operation that uses a result, itself or in its regions. */
function firstUse(
  op: Operation,
  block: Block,
  places: ReadonlyMap<Operation, number>,
): number | undefined {
  let first: number | undefined;
  for (const result of op.results)
    for (const user of result.uses) {
      let at: Operation | undefined = user;
      while (at && at.parent !== block) at = at.parent?.parent;
      if (!at) return undefined;
      first = Math.min(first ?? Infinity, places.get(at)!);
    }
  return first;
}
