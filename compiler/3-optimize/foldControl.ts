/** Rules of `canonicalize` for branches, loops, stores and assertions. */
import { Builder, constantOf } from '../ir/builder';
import type { Operation, Value } from '../ir/ir';
import { inlineBefore, isDefinedOutside, replaceOp } from './rewrite';

/** Did anything change? The operation may be gone. */
export function simplifyControl(op: Operation): boolean {
  switch (op.name) {
    case 'scf.if':
      return simplifyIf(op);
    case 'scf.for':
      return simplifyFor(op);
    case 'tt.store':
    case 'tt.assert':
      return simplifyEffect(op);
    default:
      return false;
  }
}

function simplifyIf(op: Operation): boolean {
  const condition = constantOf(op.operand(0));
  if (condition !== undefined) {
    const region = op.region(condition ? 0 : 1);
    const values = [...region.terminator.operands];
    inlineBefore(region, op);
    replaceOp(op, values);
    return true;
  }
  // A result that is one outer value either way.
  const [then, otherwise] = [op.region(0).terminator, op.region(1).terminator];
  let changed = false;
  op.results.forEach((result, i) => {
    const value = then.operand(i);
    if (value !== otherwise.operand(i) || result.uses.size === 0) return;
    if (!isDefinedOutside(value, op)) return;
    result.replaceAllUsesWith(value);
    changed = true;
  });
  return changed;
}

function simplifyFor(op: Operation): boolean {
  const [lower, upper, step] = [0, 1, 2].map((i) => constantOf(op.operand(i)));
  const body = op.region(0);
  if (lower !== undefined && upper !== undefined) {
    const [low, high] = [BigInt(lower), BigInt(upper)];
    if (low >= high) {
      replaceOp(op, op.operands.slice(3));
      return true;
    }
    if (step !== undefined && BigInt(step) > 0n && low + BigInt(step) >= high) {
      // Once.
      const values: Value[] = [op.operand(0), ...op.operands.slice(3)];
      body.args.forEach((arg, i) => arg.replaceAllUsesWith(values[i]!));
      const results = [...body.terminator.operands];
      inlineBefore(body, op);
      replaceOp(op, results);
      return true;
    }
  }
  // A carried value that never changes.
  let changed = false;
  op.results.forEach((result, i) => {
    const arg = body.args[i + 1]!;
    const next = body.terminator.operand(i);
    const init = op.operand(i + 3);
    if (next !== arg && next !== init) return;
    if (result.uses.size > 0) {
      result.replaceAllUsesWith(init);
      changed = true;
    }
    const used = [...arg.uses].some((user) => user !== body.terminator);
    if (used) {
      arg.replaceAllUsesWith(init);
      changed = true;
    }
  });
  return changed;
}

function simplifyEffect(op: Operation): boolean {
  if (op.name === 'tt.assert') {
    if (constantOf(op.operand(0)) !== true) return false;
    op.erase();
    return true;
  }
  const mask = op.operands[2] && constantOf(op.operands[2]);
  if (mask === undefined) return false;
  if (mask) Builder.before(op).store(op.operand(0), op.operand(1), undefined, op.attributes);
  op.erase();
  return true;
}
