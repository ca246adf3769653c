/** A comparison says that its races are unchecked until somebody has looked, in each run anew. */
import { expect, it } from 'vitest';
import { mayRace, racesWereChecked, useRacesChecked } from './racesChecked';
import { emptyRecord, type ComparisonEvent, type RunRecord } from './record';

const LAUNCH = { id: 1 } as never;

function record(run: number): RunRecord {
  const made = emptyRecord(run, 1, '');
  made.producers.set(1, { actual: [LAUNCH], expected: [] });
  made.producers.set(2, { actual: [], expected: [LAUNCH] });
  made.producers.set(3, { actual: [], expected: [] });
  return made;
}
const compared = (id: number, count = 8): ComparisonEvent => ({ id, count }) as ComparisonEvent;
const ask = (run: number, id: number, count = 8): boolean =>
  mayRace(useRacesChecked.getState(), record(run), compared(id, count));

it('speaks only of what a launch may have written', () => {
  expect([1, 2, 3, 4].map((id) => ask(1, id))).toEqual([true, true, false, false]);
  expect(ask(1, 1, 0)).toBe(false);
});

it('holds what was checked for one run only', () => {
  racesWereChecked(record(1), compared(1));
  racesWereChecked(record(1), compared(2));
  expect([ask(1, 1), ask(1, 2), ask(2, 1)]).toEqual([false, false, true]);
  racesWereChecked(record(2), compared(2));
  expect([ask(2, 1), ask(2, 2)]).toEqual([true, false]);
});
