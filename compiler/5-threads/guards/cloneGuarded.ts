/** A copy of guarded code where its guards are known to hold. */
import { isTrue } from '../../ir/thread/folding';
import type { ThreadBuilder } from '../../ir/thread/builder';
import { newBlock, newOperation } from '../../ir/thread/ir';
import type { ThreadBlock, ThreadOp, ThreadValue } from '../../ir/thread/ir';

/** Copies the operations to the insertion point. @returns the copies of `outs`. */
export function cloneGuarded(
  b: ThreadBuilder,
  ops: readonly ThreadOp[],
  outs: readonly ThreadValue[],
): ThreadValue[] {
  const copies = new Map<ThreadValue, ThreadValue>();
  const copyOf = (value: ThreadValue): ThreadValue => copies.get(value) ?? value;
  const copyAll = (list: readonly ThreadOp[]): void => list.forEach(copy);
  const region = (block: ThreadBlock): ThreadBlock => {
    const made = newBlock();
    for (const arg of block.args) copies.set(arg, made.addArg(arg.type, arg.name));
    b.inside(made, () => copyAll(block.ops));
    return made;
  };
  const copy = (op: ThreadOp): void => {
    const { name, results } = op;
    if (name === 'thread.guard') {
      copies.set(op.result, b.bool(true));
      return;
    }
    const operands = op.operands.map(copyOf);
    if (name === 'thread.if' && isTrue(operands[0]!)) {
      const { ops: inner } = op.region(0);
      copyAll(inner.slice(0, -1));
      const yields = inner.at(-1)!.operands.map(copyOf);
      results.forEach((result, i) => copies.set(result, yields[i]!));
      return;
    }
    if (name === 'thread.select' && isTrue(operands[0]!)) {
      copies.set(op.result, operands[1]!);
      return;
    }
    const types = results.map(({ type }) => type);
    const regions = op.regions.map(region);
    const made = newOperation(name, operands, types, { ...op.attributes }, regions, op.location);
    b.append(made);
    results.forEach((result, i) => {
      made.results[i]!.name = result.name;
      copies.set(result, made.results[i]!);
    });
  };
  copyAll(ops);
  return outs.map(copyOf);
}
