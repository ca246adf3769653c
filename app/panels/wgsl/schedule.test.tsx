/** The table of decisions: every one with its reason, its next best and its line. */
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { ScheduleDecision } from '../../../compiler/schedule';
import { useDocument } from '../../state/document';
import Schedule from './Schedule';

const location = { file: 'a.py', line: 12, column: 1, endLine: 1, endColumn: 2 };
const decisions: readonly ScheduleDecision[] = [
  { field: 'threads', chosen: '64', why: '64 sums a thread', next: '32', location: null },
  { field: 'dot path', chosen: 'fma', why: 'no matrices', next: null, location },
];

it('lists decisions with reason, next best and line', () => {
  // A server renders the first state of a store.
  Object.assign(useDocument.getInitialState().files, { 'a.py': '' });
  const page = renderToStaticMarkup(<Schedule decisions={decisions} />);
  const rows = page.split('<tr').slice(2);
  const texts = rows.map((row) => row.replaceAll(/^[^>]*>|<[^>]*>/g, '|').replaceAll(/\|+/g, '|'));
  expect(texts).toEqual(['|threads|64|64 sums a thread|32|', '|dot path|fma|no matrices|–|12|']);
  expect(page).toContain('line 12 of a.py');
});
