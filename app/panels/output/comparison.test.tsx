/** A verdict says beside its sign what nobody has checked. */
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { emptyRecord, type ComparisonEvent } from '../../state/record';
import { Comparison } from './Comparison';

const HELD: ComparisonEvent = {
  ...{ type: 'comparison', id: 1, kind: 'allclose', passed: true, shape: [8], dtype: 'float32' },
  ...{ site: { file: 'a.py', line: 3 }, rtol: 0, atol: 0, count: 8, mismatches: 0 },
  ...{ maxAbsolute: 0, maxRelative: 0, nanMismatches: 0, toleranceUsed: 0, roundingShare: 0 },
  ...{ first: null, heatmap: null, equalNan: false, call: null, actual: null, expected: null },
  message: null,
};

/** The line of a comparison of what a launch wrote, or of what none did. */
function line(comparison: ComparisonEvent, launched: boolean): string {
  const record = emptyRecord(1, 1, '');
  record.producers.set(1, { actual: launched ? [{} as never] : [], expected: [] });
  const page = renderToStaticMarkup(<Comparison record={record} comparison={comparison} />);
  return page.replaceAll(/<[^>]*>/g, '');
}

it('says that races were not checked where a launch wrote what holds', () => {
  expect(line(HELD, true)).toContain('holds on 8 elements, largest error 0, races not checked');
  expect(line(HELD, false)).not.toContain('races');
  expect(line({ ...HELD, passed: false, mismatches: 1 }, true)).not.toContain('races');
});
