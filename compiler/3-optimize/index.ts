/**
 * Target-independent passes, in order. Each leaves what the kernel does to memory unchanged, but
 * for `fp_sanitizer`, which changes what floats mean where a launch requests it.
 */
import type { Func } from '../ir/ir';
import { address_words } from './address_words';
import { canonicalize } from './canonicalize';
import { eliminate_common_subexpressions } from './eliminate_common_subexpressions';
import { eliminate_dead_code } from './eliminate_dead_code';
import { fp_sanitizer } from './fp_sanitizer';
import { fold_dot_accumulator } from './fold_dot_accumulator';
import { hoist_loop_invariants } from './hoist_loop_invariants';
import { loop_aware_cse } from './loop_aware_cse';
import { narrow_int64 } from './narrow_int64';
import { simplify_masks } from './simplify_masks';
import { split_pointers } from './split_pointers';
import { unroll_loops } from './unroll_loops';

/** Changes the function in place; says whether it changed anything. */
export type OptimizePass = (func: Func) => boolean;

export const OPTIMIZE_PASSES: readonly { readonly name: string; readonly run: OptimizePass }[] = [
  { name: 'fp_sanitizer', run: fp_sanitizer },
  { name: 'address_words', run: address_words },
  { name: 'canonicalize', run: canonicalize },
  { name: 'loop_aware_cse', run: loop_aware_cse },
  { name: 'eliminate_common_subexpressions', run: eliminate_common_subexpressions },
  { name: 'fold_dot_accumulator', run: fold_dot_accumulator },
  { name: 'split_pointers', run: split_pointers },
  { name: 'narrow_int64', run: narrow_int64 },
  { name: 'unroll_loops', run: unroll_loops },
  { name: 'simplify_masks', run: simplify_masks },
  { name: 'canonicalize', run: canonicalize },
  { name: 'hoist_loop_invariants', run: hoist_loop_invariants },
  { name: 'eliminate_common_subexpressions', run: eliminate_common_subexpressions },
  { name: 'eliminate_dead_code', run: eliminate_dead_code },
];
