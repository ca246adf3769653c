/**
 * Records the stages of a loop: by how many iterations its loads are prefetched. It reads what
 * `pipeline_loads` and `overlap_stores_with_mma` decided, and decides nothing.
 */
import type { Operation } from '../ir/ir';
import type { Schedule } from '../schedule';
import type { DistributeContext } from './context';
import { NO_REGISTERS, type Prefetch, registerWords } from './prefetchCandidates';

/** @param stages 2: the next iteration's tiles are prefetched; 3: those of the one after it. */
export function recordStages(
  loop: Operation,
  prefetches: readonly Prefetch[],
  stages: 2 | 3,
  { reasons, target }: DistributeContext,
  schedule: Schedule,
): void {
  const words = prefetches.reduce((sum, { load }) => sum + (registerWords(load.result) ?? 0), 0);
  const own = loop.attributes['tt.num_stages'];
  const asked = typeof own === 'number' ? `num_stages=${own} of the loop` : null;
  const because = asked ?? reasons?.prefetchRegisters?.why ?? `the default for ${target.name}`;
  const loads = prefetches.length === 1 ? 'one load' : `${prefetches.length} loads`;
  schedule.decide('stages', loop, String(stages), {
    why: `${because}; ${loads} prefetched by ${stages === 2 ? 'one iteration' : 'two'}, in ${words} registers a thread`,
    next:
      stages === 3
        ? '2: tiles are stored in front of the dot, which waits for them'
        : `1: ${words} registers fewer, and each iteration waits for its loads`,
  });
}

/** A loop with loads of which none is prefetched; `why` as `whyNone` says it. */
export function recordUnstaged(
  loop: Operation,
  why: string,
  { reasons }: DistributeContext,
  schedule: Schedule,
): void {
  const own = loop.attributes['tt.num_stages'];
  const stated = own === 1 ? 'num_stages is 1' : why;
  const isChoice = stated === NO_REGISTERS;
  const free =
    reasons?.prefetchRegisters?.why ??
    'with many workgroups beside each other it costs more registers than it hides latency';
  schedule.decide('stages', loop, '1: no load is prefetched', {
    why: isChoice ? free : stated,
    next:
      own === 1 || isChoice
        ? '2, where num_stages of the loop is 2: what fits into 64 registers'
        : null,
  });
}
