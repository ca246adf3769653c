/** Distribution (TTIR to TTGIR): the passes in order. */
import type { Target } from '../target';
import { allocate_shared_memory } from './allocate_shared_memory';
import { banded_epilogue } from './banded_epilogue';
import type { Choices } from './choices';
import { choose_threads } from './choose_threads';
import type { DistributeContext, DistributePass } from './context';
import { delay_reductions } from './delay_reductions';
import { insert_barriers } from './insert_barriers';
import { keep_accumulators_in_fragments } from './keep_accumulators_in_fragments';
import { merge_reductions } from './merge_reductions';
import { order_stores } from './order_stores';
import { overlap_stores_with_mma } from './overlap_stores_with_mma';
import { pipeline_loads } from './pipeline_loads';
import { propagate_layouts } from './propagate_layouts';
import { scalarize_carried_offsets } from './scalarize_carried_offsets';
import { select_dot_path } from './select_dot_path';
import { set_vector_width } from './set_vector_width';
import { sink_past_loops } from './sink_past_loops';
import { split_loads } from './split_loads';
import { stage_operands } from './stage_operands';

export type { Choices } from './choices';
export type { DistributeContext } from './context';

export function distributeContext(
  target: Target,
  numWarps: number,
  wanted: Partial<Choices> = {},
  manyPrograms = false,
  takes: Pick<DistributeContext, 'report' | 'schedule' | 'statedWarps'> = {},
): DistributeContext {
  return { target, numWarps, wanted, manyPrograms, ...takes };
}

/** A pass's name is its function's, its file's, and its page's in `docs/passes`. */
export const DISTRIBUTE_PASSES: readonly { readonly name: string; readonly run: DistributePass }[] =
  [
    { name: 'scalarize_carried_offsets', run: scalarize_carried_offsets },
    { name: 'choose_threads', run: choose_threads },
    { name: 'select_dot_path', run: select_dot_path },
    { name: 'propagate_layouts', run: propagate_layouts },
    { name: 'set_vector_width', run: set_vector_width },
    { name: 'stage_operands', run: stage_operands },
    { name: 'split_loads', run: split_loads },
    { name: 'keep_accumulators_in_fragments', run: keep_accumulators_in_fragments },
    { name: 'banded_epilogue', run: banded_epilogue },
    { name: 'merge_reductions', run: merge_reductions },
    { name: 'overlap_stores_with_mma', run: overlap_stores_with_mma },
    { name: 'pipeline_loads', run: pipeline_loads },
    { name: 'delay_reductions', run: delay_reductions },
    { name: 'sink_past_loops', run: sink_past_loops },
    { name: 'allocate_shared_memory', run: allocate_shared_memory },
    { name: 'insert_barriers', run: insert_barriers },
    { name: 'order_stores', run: order_stores },
  ];
