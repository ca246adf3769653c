/** Distribution: the passes in order. Tile elements get registers, lanes, subgroups and memory. */
import type { Target } from '../target';
import { assign_layouts } from './assign_layouts';
import type { Choices } from './choices';
import { choose_threads } from './choose_threads';
import type { DistributeContext, DistributePass } from './context';
import { set_vector_width } from './set_vector_width';

export type { Choices } from './choices';
export type { DistributeContext } from './context';

export function distributeContext(
  target: Target,
  numWarps: number,
  wanted: Partial<Choices> = {},
): DistributeContext {
  return { target, numWarps, wanted };
}

export const DISTRIBUTE_PASSES: readonly { readonly name: string; readonly run: DistributePass }[] =
  [
    { name: 'choose_threads', run: choose_threads },
    { name: 'assign_layouts', run: assign_layouts },
    { name: 'set_vector_width', run: set_vector_width },
  ];
