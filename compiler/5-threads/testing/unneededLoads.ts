/**
 * For tests: the loads that a program may leave out, since what they give is not needed on every
 * way through the kernel. Thread IR drops a load that nothing needs, and sinks one into the branch
 * that needs it, as a compiler for CUDA does; the interpreter executes each.
 */
import { hasTrait } from '../../ir/ops';
import type { Func, Operation, Value } from '../../ir/ir';
import { walk } from '../../ir/ir';
import { locationKey } from '../../ir/location';

/** The places of these loads, by `locationKey`. */
export function unneededLoads(func: Func): Set<string> {
  const found = new Set<string>();
  walk(func.body, (op) => {
    if (op.name === 'tt.load' && !isNeeded(op, op.result)) found.add(locationKey(op.location));
  });
  return found;
}

/** Whether something in the block of `at` needs the value whenever the block runs. */
function isNeeded(at: Operation, value: Value): boolean {
  return [...value.uses].some((user) => {
    if (user.parent !== at.parent || hasTrait(user.name, 'terminator')) return false;
    if (user.name.startsWith('scf.')) return user.name === 'scf.if' && user.operands[0] === value;
    if (!hasTrait(user.name, 'pure') && user.results.length === 0) return true;
    return user.results.some((result) => isNeeded(at, result));
  });
}
