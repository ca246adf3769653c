/** Threads: TTGIR becomes thread IR, and passes on it, in order. */
import type { Func } from '../ir/ir';
import type { ThreadFunc } from '../ir/thread/ir';
import type { ThreadKernel } from '../ir/thread/kernel';
import type { CompileRequest } from '../program';
import { bound_loops } from './bound_loops';
import { defer_reports } from './defer_reports';
import { eliminate_dead_registers } from './eliminate_dead_registers';
import { insert_optimization_barriers } from './insert_optimization_barriers';
import { lower_guards } from './lower_guards';
import { merge_guards } from './merge_guards';
import { pack_halves } from './pack_halves';
import { predicate_loads } from './predicate_loads';
import { rotate_loops } from './rotate_loops';
import { select_register_forms } from './select_register_forms';
import { sequentialize_copies } from './sequentialize_copies';
import { unroll_register_loops } from './unroll_register_loops';
import { version_dots } from './version_dots';
import { version_loops } from './version_loops';

export { lower_tiles } from './lower_tiles';
export { RegroupNeeded } from './memory/groups';

/** @returns whether it changed anything. @throws RegroupNeeded */
export type TilePass = (func: Func, request: CompileRequest) => boolean;

/** Passes on tiles, whose decisions `lower_tiles` reads from attributes. */
export const TILE_PASSES: readonly { readonly name: string; readonly run: TilePass }[] = [
  { name: 'select_register_forms', run: select_register_forms },
  { name: 'version_loops', run: version_loops },
  { name: 'version_dots', run: version_dots },
  { name: 'unroll_register_loops', run: unroll_register_loops },
];

/** @returns whether it changed anything. */
export type ThreadPass = (func: ThreadFunc, kernel: ThreadKernel) => boolean;

export const THREAD_PASSES: readonly { readonly name: string; readonly run: ThreadPass }[] = [
  { name: 'merge_guards', run: merge_guards },
  { name: 'predicate_loads', run: predicate_loads },
  { name: 'defer_reports', run: defer_reports },
  { name: 'lower_guards', run: lower_guards },
  { name: 'pack_halves', run: pack_halves },
  { name: 'eliminate_dead_registers', run: eliminate_dead_registers },
  { name: 'rotate_loops', run: rotate_loops },
  { name: 'bound_loops', run: bound_loops },
  { name: 'insert_optimization_barriers', run: insert_optimization_barriers },
  { name: 'sequentialize_copies', run: sequentialize_copies },
];
