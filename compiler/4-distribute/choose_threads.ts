/**
 * Chooses the workgroup's size from the tiles, `num_warps` and the target's limits, and writes it
 * and the subgroup size to the function's attributes. It never changes a result.
 */
import type { Func } from '../ir/ir';
import { choicesOf, type DistributeContext } from './context';
import { isIndependent } from './loopForm';

export function choose_threads(func: Func, context: DistributeContext): boolean {
  const choices = choicesOf(func, context);
  const { threads, programs } = choices;
  const size = context.target.subgroupSize;
  func.attributes = {
    ...func.attributes,
    threads,
    ...(threads === 1 && programs > 1 && isIndependent(func) ? { programs } : {}),
    // A workgroup smaller than a subgroup cannot rely on it.
    subgroupSize: size === 'none' || size > threads ? 0 : size,
    ...(choices.scalarizedRegisters === undefined
      ? {}
      : { scalarizedRegisters: choices.scalarizedRegisters }),
  };
  return true;
}
