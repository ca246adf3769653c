/** Distribution: the passes in order. Tile elements get registers, lanes, subgroups and memory. */
import type { Target } from '../target';
import { allocate_workgroup_memory } from './allocate_workgroup_memory';
import { assign_layouts } from './assign_layouts';
import type { Choices } from './choices';
import { carry_fragments } from './carry_fragments';
import { choose_threads } from './choose_threads';
import type { DistributeContext, DistributePass } from './context';
import { merge_reductions } from './merge_reductions';
import { place_barriers } from './place_barriers';
import { prefetch_loads } from './prefetch_loads';
import { reduce_late } from './reduce_late';
import { remove_conversions } from './remove_conversions';
import { scalarize_carried_offsets } from './scalarize_carried_offsets';
import { set_vector_width } from './set_vector_width';
import { sink_past_loops } from './sink_past_loops';
import { split_loads } from './split_loads';
import { split_results } from './split_results';
import { stage_dots } from './stage_dots';

export type { Choices } from './choices';
export type { DistributeContext } from './context';

export function distributeContext(
  target: Target,
  numWarps: number,
  wanted: Partial<Choices> = {},
  manyPrograms = false,
): DistributeContext {
  return { target, numWarps, wanted, manyPrograms };
}

export const DISTRIBUTE_PASSES: readonly { readonly name: string; readonly run: DistributePass }[] =
  [
    { name: 'scalarize_carried_offsets', run: scalarize_carried_offsets },
    { name: 'choose_threads', run: choose_threads },
    { name: 'assign_layouts', run: assign_layouts },
    { name: 'set_vector_width', run: set_vector_width },
    { name: 'stage_dots', run: stage_dots },
    { name: 'split_loads', run: split_loads },
    { name: 'carry_fragments', run: carry_fragments },
    { name: 'split_results', run: split_results },
    { name: 'remove_conversions', run: remove_conversions },
    { name: 'merge_reductions', run: merge_reductions },
    { name: 'prefetch_loads', run: prefetch_loads },
    { name: 'reduce_late', run: reduce_late },
    { name: 'sink_past_loops', run: sink_past_loops },
    { name: 'allocate_workgroup_memory', run: allocate_workgroup_memory },
    { name: 'place_barriers', run: place_barriers },
  ];
