/** The sentence about a comparison whose tolerance and whose rounding disagree. */
import type { DerivedVerdict } from '../events';

/** Errors of so many times what rounding explains pass without a doubt. */
const NEAR = 2;

/** Null where both agree, and where rounding decides nothing. */
export function derivedText(comparison: {
  readonly passed: boolean;
  readonly derived?: DerivedVerdict | null;
}): string | null {
  const { passed, derived } = comparison;
  if (!derived || derived.verdict === 'unknown') return null;
  if (derived.verdict === 'rounding')
    return passed ? null : `Fails, but rounding explains it: the tolerance is too narrow.`;
  if (!passed || (derived.times !== null && derived.times <= NEAR)) return null;
  return `Passes, but ${derived.reason.slice(0, 1).toLowerCase()}${derived.reason.slice(1)}`;
}
