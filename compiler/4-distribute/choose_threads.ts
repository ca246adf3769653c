/**
 * Chooses the workgroup's size from the tiles, `num_warps` and the target's limits, and writes it
 * and the subgroup size to the function's attributes. It never changes a result.
 */
import { MESSAGES } from '../codes';
import { WARP_LANES } from '../ir/authoredLayout';
import type { Func } from '../ir/ir';
import { choicesOf, type DistributeContext } from './context';
import { hasAuthoredLayouts } from './layoutRules';
import { isIndependent } from './loopForm';

export function choose_threads(func: Func, context: DistributeContext): boolean {
  const choices = choicesOf(func, context);
  const { threads, programs } = choices;
  const size = context.target.subgroupSize;
  const counted = context.numWarps * WARP_LANES;
  if (threads < counted && context.report && hasAuthoredLayouts(func)) {
    const most = threads;
    const times = counted / most;
    const message = MESSAGES.HC0222.fewerThreads({ threads: counted, most, times });
    const { location } = func;
    context.report({ code: 'HC0222', severity: 'info', message, location, notes: [] });
  } else if (threads !== counted && context.statedWarps && context.wanted?.threads === undefined) {
    const why = context.reasons?.threads?.why ?? '';
    const message = MESSAGES.HC0906.otherThreads({ kernel: func.name, threads, why });
    const { location } = func;
    context.report?.({ code: 'HC0906', severity: 'info', message, location, notes: [] });
  }
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
  record(func, context);
  return true;
}

function record(func: Func, { schedule, reasons }: DistributeContext): void {
  const { threads, subgroupSize, programs } = func.attributes;
  const size = Number(subgroupSize);
  const parts =
    programs !== undefined
      ? `${String(programs)} programs, a thread each`
      : size > 0
        ? `${String(threads)} (${Number(threads) / size} × ${size} lanes)`
        : `${String(threads)} (no subgroups)`;
  schedule?.decide('threads', null, parts, reasons?.threads ?? { why: 'the default', next: null });
}
