/** Sentences about the first operation that departs from a float64 run. */
import { expect, it } from 'vitest';
import type { Departure } from '../../../compiler/inspect/departure';
import { agreementText, departureText } from './departureText';

const AT: Departure = {
  why: 'value',
  op: 'arith.addf',
  dtype: 'f16',
  location: { file: 'k.py', line: 9, column: 1, endLine: 9, endColumn: 9 },
  count: 12,
  actual: 2048,
  exact: 2056,
  relative: 8 / 2056,
  index: [2],
  largest: 2048,
  loops: [{ line: 7, iteration: 2056 }],
};

it('names the iteration, both values and the difference', () => {
  expect(departureText(AT)).toBe(
    'arith.addf of element [2], in iteration 2056 of the loop at line 7: 2048 in float16, 2056 in ' +
      'float64 (off by 0.389 %). Earlier operations are within rounding.',
  );
});
it('says what overflows, cancels, does not fit or goes another way', () => {
  const exp: Departure = {
    ...AT,
    op: 'math.exp',
    dtype: 'f32',
    actual: Infinity,
    exact: 1e43,
    loops: [],
  };
  expect(departureText({ ...exp, relative: Infinity })).toContain('inf in float32');
  expect(departureText({ ...exp, relative: Infinity })).toContain('float32 overflows');
  const cancels = departureText({ ...AT, dtype: 'f32', actual: 8, exact: 0.083, largest: 1e8 });
  expect(cancels).toContain('cancel, and their rounding is left');
  expect(departureText({ ...AT, why: 'range', dtype: 'i8', actual: -56, exact: 200 })).toContain(
    'int8 cannot hold 200, which becomes -56',
  );
  expect(departureText({ ...AT, why: 'branch' })).toContain('goes another way');
});
it('distinguishes a wrong formula from a value that the interpreter does not get', () => {
  const report = { departure: null, stored: { actual: 3, exact: 3.0000001 } };
  expect(agreementText(report, { actual: 3, expected: 8 })).toContain('Precision is not');
  expect(agreementText(report, { actual: 7, expected: 8 })).toContain('the run has 7');
});
