/** Which runs passed. */
import { describe, expect, it } from 'vitest';
import type { ProgramEvent } from './events';
import { diagnostic, siteLocation } from './runtime/errors';
import { ADD_REQUEST } from './runtime/testing';
import { emptyRecord, fold } from './state/record';
import { judged, passed, type Judged } from './passed';

const GOOD: Judged = {
  outcome: 'ok',
  comparisons: [{ passed: true }],
  errors: 0,
  verifications: [{ verdict: 'rounding' }, { verdict: 'undecided' }],
  checks: [{ passes: [{ verdict: 'same' }, { verdict: 'failed' }] }],
};

describe('passed', () => {
  it('takes warnings, rounding and what was not decided', () => {
    expect(passed(GOOD)).toBe(true);
  });

  it.each<[string, Partial<Judged>]>([
    ['an exception', { outcome: 'error' }],
    ['a Stop', { outcome: 'stopped' }],
    ['a run without an end', { outcome: null }],
    ['an error after which the program went on', { errors: 1 }],
    ['a comparison that fails', { comparisons: [{ passed: true }, { passed: false }] }],
    ['a launch that differs', { verifications: [{ verdict: 'different' }] }],
    ['a pass that differs', { checks: [{ passes: [{ verdict: 'different' }] }] }],
  ])('does not take %s', (_, found) => {
    expect(passed({ ...GOOD, ...found })).toBe(false);
  });
});

it('counts an error that was reported, and no kernel that failed to compile, in both its forms', () => {
  const error = diagnostic('HC1', 'error', 'wrong', siteLocation({ file: 'a.py', line: 1 }));
  const rest = { key: 'k', request: ADD_REQUEST, milliseconds: 1 };
  const compiled: ProgramEvent = { type: 'compile', ...rest, diagnostics: [error] };
  const ended: ProgramEvent = { type: 'finished', outcome: 'ok', milliseconds: 1 };
  const both = (...events: ProgramEvent[]): readonly boolean[] => {
    const record = emptyRecord(1, 1, '');
    for (const event of events) fold(record, event);
    return [passed(judged(events)), passed(record)];
  };
  // An autotuner tries configurations that do not fit.
  expect(both(compiled, ended)).toEqual([true, true]);
  expect(both({ type: 'diagnostic', diagnostic: error }, ended)).toEqual([false, false]);
});
