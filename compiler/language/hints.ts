/**
 * Hints to the compiler, and what becomes of each here. Hovers, signature help and docs/hints.md
 * are this table's; a test compiles a kernel with and without each hint and compares.
 */

/** `approximated`: it is followed for some kernels, or in part. */
export type Word = 'honoured' | 'approximated' | 'ignored';

export interface Hint {
  readonly name: string;
  readonly word: Word;
  /** The effect here. */
  readonly note: string;
}

const hint = (name: string, word: Word, note: string): Hint => ({ name, word, note });

/** Options of a launch, and of `triton.Config`. */
export const LAUNCH_HINTS: readonly Hint[] = [
  hint(
    'num_warps',
    'approximated',
    '32 × `num_warps` threads a program, within the limits of the adapter and of the registers that operands and sums of a dot take (256 a thread); ' +
      'without a dot, 4 to 16 elements of a tile a thread; where barriers are costly (software adapters), ' +
      'the tiles decide. A launch or a configuration that gives a number gets a message where it has other threads (HC0906); ' +
      'one that gives none leaves the threads of a dot to the compiler. Above 32 the launch raises `OutOfResources`, as on CUDA.',
  ),
  hint(
    'num_stages',
    'approximated',
    '`1` prefetches no loads in loops without `num_stages` of their own. More stages are the default: the compiler prefetches by one iteration, where it expects a gain.',
  ),
  hint('num_ctas', 'ignored', 'WebGPU has no clusters.'),
  hint('maxnreg', 'ignored', 'The driver allocates registers.'),
  hint('debug', 'honoured', '`tl.device_assert` and checks for overflow are compiled.'),
  hint('sanitize_overflow', 'honoured', 'False leaves checks for overflow out of `debug`.'),
  hint('enable_fp_fusion', 'ignored', 'The driver decides whether it fuses a product and a sum.'),
  hint('enable_reflect_ftz', 'ignored', 'The driver decides what becomes of subnormal numbers.'),
  hint('launch_cooperative_grid', 'ignored', 'Programs that wait for each other are found.'),
  hint('launch_pdl', 'ignored', 'Launches follow each other.'),
  hint('default_dot_input_precision', 'ignored', 'Dots of f32 are computed in f32.'),
  hint('max_num_imprecise_acc_default', 'ignored', 'Sums are kept in f32.'),
];

/** Keywords of `tl.range`. */
export const LOOP_HINTS: readonly Hint[] = [
  hint(
    'num_stages',
    'approximated',
    '`1` prefetches no loads of the loop. More prefetch them by one iteration, where the loop writes no memory and the tiles fit into 64 registers a thread. Of more stages, 2 are made, or 3 where the loop’s dots are on subgroup matrices; a message says how many, or why none is prefetched (HC0906).',
  ),
  hint(
    'loop_unroll_factor',
    'honoured',
    'A loop over groups of so many iterations, then one over the rest. At most 2,048 operations are made of a body, and a loop of int64 stays where its bounds may leave the type.',
  ),
  hint('disallow_acc_multi_buffer', 'ignored', 'Accumulators have one copy.'),
  hint('flatten', 'ignored', 'Loops stay nested.'),
  hint('warp_specialize', 'ignored', 'All threads of a program run the same code.'),
  hint('disable_licm', 'ignored', 'What does not change is computed before the loop.'),
];

/** Functions of `triton.language` that promise or advise. */
export const CALL_HINTS: readonly Hint[] = [
  hint(
    'tl.assume',
    'approximated',
    'Ranges (`n > 0`) and divisors (`n % 16 == 0`) of scalars, also several with `&`, where the value is made in the same block. With `debug` the condition is asserted.',
  ),
  hint('eviction_policy, cache_modifier', 'ignored', 'WGSL has no control of caches.'),
];

/**
 * `` `a` and `b` have no effect here. `` of those of the table that are ignored; '' where none is.
 */
export function ignoredText(hints: readonly Hint[]): string {
  const names = hints.filter(({ word }) => word === 'ignored').map(({ name }) => `\`${name}\``);
  const last = names.pop();
  if (last === undefined) return '';
  if (names.length === 0) return `${last} has no effect here.`;
  return `${names.join(', ')} and ${last} have no effect here.`;
}
