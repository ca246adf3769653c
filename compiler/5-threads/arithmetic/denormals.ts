/**
 * Denormals where the adapter flushes them (`Target.flushesDenormals`): an f32 product with a
 * factor that is made of an integer's bits is computed in integers. Other operations on such floats
 * are the adapter's, and the launch says so (`app/runtime/denormals.ts`).
 */
import { isMadeOfBits } from '../../ir/floatBits';
import type { Value } from '../../ir/ir';
import type { Target } from '../../target';

/** Whether a product of these must be computed in integers. */
export function keepsDenormals(target: Target, factors: readonly Value[]): boolean {
  return target.flushesDenormals === true && factors.some((factor) => isMadeOfBits(factor));
}
