/**
 * Values that stand for probes that were not run, or could not be (`Probed` of
 * `app/runtime/gpu/probes.ts`): the code is right whatever the adapter does.
 */
import type { Target } from '../target';

export const UNTRIED = {
  f16RoundsToNearest: false,
  f16PacksToNearest: false,
  f16CastsElided: true,
  functionsDropNan: true,
  extremaDropNan: false,
  flushesDenormals: true,
  readsZeroOutside: false,
  immediateBytes: 0,
} as const satisfies Partial<Target>;
