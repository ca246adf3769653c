import { expect, it } from 'vitest';
import type { DerivedVerdict } from '../events';
import { derivedText } from './derived';

const found = (verdict: DerivedVerdict['verdict'], times: number | null): DerivedVerdict => ({
  ...{ verdict, reason: 'The error is far above rounding: 9 ULP.', ulp: 9, allowed: 2 },
  ...{ index: [1], times, narrow: false },
});

it('doubts a comparison that passes with errors above rounding', () => {
  const text = 'Passes, but the error is far above rounding: 9 ULP.';
  expect(derivedText({ passed: true, derived: found('above', 4.5) })).toBe(text);
  expect(derivedText({ passed: true, derived: found('above', null) })).toBe(text);
  expect(derivedText({ passed: true, derived: found('above', 1.5) })).toBeNull();
  expect(derivedText({ passed: false, derived: found('above', 4.5) })).toBeNull();
});

it('says that a tolerance is too narrow where rounding explains a failure', () => {
  expect(derivedText({ passed: false, derived: found('rounding', 0.5) })).toBe(
    'Fails, but rounding explains it: the tolerance is too narrow.',
  );
  expect(derivedText({ passed: true, derived: found('rounding', 0.5) })).toBeNull();
});

it('says nothing without a verdict', () => {
  expect(derivedText({ passed: true, derived: found('unknown', null) })).toBeNull();
  expect(derivedText({ passed: false, derived: null })).toBeNull();
  expect(derivedText({ passed: true })).toBeNull();
});
