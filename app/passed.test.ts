/** Which runs passed. */
import { describe, expect, it } from 'vitest';
import { errorCount, passed, type Judged } from './passed';

const GOOD: Judged = {
  outcome: 'ok',
  comparisons: [{ passed: true }],
  diagnostics: [{ severity: 'warning' }],
  verifications: [{ verdict: 'rounding' }, { verdict: 'undecided' }],
  checks: [{ passes: [{ verdict: 'same' }, { verdict: 'failed' }] }],
};

describe('passed', () => {
  it('takes warnings, rounding and what was not decided', () => {
    expect(passed(GOOD)).toBe(true);
    expect(errorCount(GOOD)).toBe(0);
  });

  it.each<[string, Partial<Judged>]>([
    ['an exception', { outcome: 'error' }],
    ['a Stop', { outcome: 'stopped' }],
    ['a run without an end', { outcome: null }],
    ['an error after which the program went on', { diagnostics: [{ severity: 'error' }] }],
    ['a comparison that fails', { comparisons: [{ passed: true }, { passed: false }] }],
    ['a launch that differs', { verifications: [{ verdict: 'different' }] }],
    ['a pass that differs', { checks: [{ passes: [{ verdict: 'different' }] }] }],
  ])('does not take %s', (_, found) => {
    expect(passed({ ...GOOD, ...found })).toBe(false);
  });
});
