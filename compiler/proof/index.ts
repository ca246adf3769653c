/**
 * Proofs about a launch: whether accesses stay in bounds and programs race, for all programs of
 * the grid and, where that follows, for every launch of its kind.
 */
import { funcAfter } from '../inspect/funcAfter';
import type { LaunchInputs } from '../inspect/launch';
import type { Compiler } from '../pipeline';
import type { CompilerServices } from '../program';
import { proofOf, type LaunchProof } from './report';

export type * from './report';

/**
 * The pass whose tiles are analysed: folded and without duplicates, and before integers are
 * narrowed to what their low bits need.
 */
export const PROOF_PASS = 'eliminate_common_subexpressions';

/** Undefined where the kernel does not compile. */
export function proveLaunch(
  compiler: Compiler,
  inputs: LaunchInputs,
  services: CompilerServices = {},
): LaunchProof | undefined {
  const found = funcAfter(compiler, inputs.request, ({ name }) => name === PROOF_PASS, services);
  return found.ok ? proofOf(found.func, inputs) : undefined;
}
