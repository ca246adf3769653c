/** How loose a tolerance is beside what it had to allow. */

/** The shares that a comparison reports. */
export interface ToleranceShares {
  readonly toleranceUsed: number | null;
  readonly roundingShare: number | null;
}

export interface Slack {
  /** The tolerance as a multiple of the largest error. */
  readonly times: number;
  /**
   * `rounding` where no error exceeds one step of the dtype: the tolerance is a multiple of that.
   */
  readonly of: 'error' | 'rounding';
}

/** Null without a tolerance, and where every expected value is 0. */
export function slackOf({ toleranceUsed, roundingShare }: ToleranceShares): Slack | null {
  if (toleranceUsed === null || roundingShare === null) return null;
  const share = Math.max(toleranceUsed, roundingShare);
  if (!(share > 0)) return null;
  return { times: 1 / share, of: toleranceUsed >= roundingShare ? 'error' : 'rounding' };
}

/** Times the error or the rounding from which on a comparison that passes is worth a doubt. */
const SUSPICIOUS = 1000;

/** The sentence about a comparison that passes with a tolerance that hides mistakes, or null. */
export function looseText(
  comparison: ToleranceShares & { readonly passed: boolean; readonly dtype: string },
): string | null {
  const slack = slackOf(comparison);
  if (!comparison.passed || slack === null || slack.times <= SUSPICIOUS) return null;
  const times = Number(slack.times.toPrecision(2)).toLocaleString('en-US', {
    maximumSignificantDigits: 2,
  });
  const what = slack.of === 'error' ? 'the largest error' : `a rounding of ${comparison.dtype}`;
  return `Passes, but the tolerance is ${times} × ${what}.`;
}
