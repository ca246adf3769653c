/**
 * What only what comes after a loop needs is computed after it: addresses of a result, for one, which the
 * source names before the loop, would take registers through all of it. Only pure operations move, down
 * to the first that uses them. Where a tuner asks for it; each store then reports by itself, too.
 */
import { type Block, type Func, type Operation, walk } from '../ir/ir';
import { hasTrait } from '../ir/ops';
import { choicesOf, type DistributeContext } from './context';

export function sink_past_loops(func: Func, context: DistributeContext): boolean {
  if (!choicesOf(func, context).leanEnd) return false;
  const blocks = new Set<Block>();
  walk(func.body, (op) => {
    if (op.name === 'scf.for' || op.name === 'scf.while') blocks.add(op.parent!);
  });
  for (const block of blocks) sinkIn(block);
  func.attributes = { ...func.attributes, leanEnd: true };
  return true;
}

function sinkIn(block: Block): void {
  const order = new Map<Operation, number>(block.ops.map((op, i) => [op, i]));
  const loops = block.ops.flatMap((op, i) =>
    op.name === 'scf.for' || op.name === 'scf.while' ? [i] : [],
  );
  // What was moved stands before its anchor, which was not, in the order that it had.
  const anchors = new Map<Operation, Operation>();
  const heads = new Map<Operation, Operation>();
  for (const op of [...block.ops].reverse()) {
    if (!hasTrait(op.name, 'pure') || op.regions.length > 0) continue;
    const first = firstUser(op, block, order);
    if (!first) continue;
    const anchor = anchors.get(first) ?? first;
    const [from, to] = [order.get(op)!, order.get(anchor)!];
    if (!loops.some((loop) => from < loop && loop < to)) continue;
    block.remove(op);
    block.insertBefore(heads.get(anchor) ?? anchor, op);
    heads.set(anchor, op);
    anchors.set(op, anchor);
    order.set(op, to - anchors.size / (order.size + 1));
  }
}

/** The first operation of the block that uses a result, itself or in its regions. */
function firstUser(
  op: Operation,
  block: Block,
  order: ReadonlyMap<Operation, number>,
): Operation | undefined {
  let first: Operation | undefined;
  for (const result of op.results)
    for (const user of result.uses) {
      let at: Operation | undefined = user;
      while (at && at.parent !== block) at = at.parent?.parent;
      if (!at) return undefined;
      if (!first || order.get(at)! < order.get(first)!) first = at;
    }
  return first;
}
