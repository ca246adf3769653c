import { expect, it } from 'vitest';
import type { DerivedVerdict, ProgramEvent } from '../events';
import { roundingSections } from './rounding';

function comparison(
  passed: boolean,
  verdict: DerivedVerdict['verdict'] | null,
  narrow = true,
): ProgramEvent {
  return {
    ...{ type: 'comparison', id: 1, kind: 'allclose', passed, shape: [8], dtype: 'float32' },
    ...{ site: { file: 'a.py', line: 3 }, rtol: 0, atol: 1, count: 8, mismatches: 0 },
    ...{ maxAbsolute: 0, maxRelative: 0, nanMismatches: 0, toleranceUsed: 0, roundingShare: 0 },
    ...{ first: null, heatmap: null, equalNan: false, actual: null, expected: null },
    ...{ message: null, call: { function: 'torch.allclose', actual: 'out', expected: 'ref' } },
    derived: verdict && {
      ...{ verdict, reason: 'The error is far above rounding: 9 ULP.', ulp: 9, allowed: 2 },
      ...{ index: [1], times: 4.5, narrow },
    },
  };
}
const findings = (...events: ProgramEvent[]) =>
  roundingSections({ engine: '', events }).flatMap((section) => section.findings);

it('fails a comparison that passes with the errors of float16, at its line and element', () => {
  expect(findings(comparison(true, 'above'))).toMatchObject([
    {
      verdict: 'fails',
      subject: { kind: 'comparison', id: 1, call: 'torch.allclose(out, ref)' },
      message: 'the error is far above rounding: 9 ULP',
      location: { line: 3 },
      witnesses: [{ name: 'element', value: '[1]' }],
    },
  ]);
});

it('holds within rounding, and decides nothing of what fails by itself or has no reference', () => {
  const verdicts = findings(
    comparison(true, 'rounding'),
    comparison(false, 'rounding'),
    comparison(false, 'above'),
    comparison(true, 'unknown'),
    comparison(true, 'above', false),
  ).map(({ verdict }) => verdict);
  expect(verdicts).toEqual([...['holds', 'holds', 'inapplicable', 'inapplicable', 'inapplicable']]);
});

it('is absent where no comparison has a verdict', () => {
  expect(roundingSections({ engine: '', events: [comparison(true, null)] })).toEqual([]);
});
