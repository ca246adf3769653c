import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ProgramEvent } from '../events';
import { eventFrom, inputsFrom } from './events';
import { emptyRecord } from '../state/record';
import { receive } from '../state/receive';
import { EVENTS, INPUTS } from './testing';

it('takes every kind of event as it is', () => {
  for (const event of EVENTS) {
    expect(eventFrom(event), event.type).toBe(event);
    // Extra fields are no harm, and undefined ones are absent.
    expect(eventFrom({ ...event, other: undefined })).not.toBeNull();
    expect(eventFrom(JSON.parse(JSON.stringify(event))), event.type).toEqual(event);
  }
  expect(inputsFrom(INPUTS)).toBe(INPUTS);
  expect(inputsFrom({ ...INPUTS, request: { ...INPUTS.request, target: {} } })).toBeNull();
});

it('leaves out what no view could draw', () => {
  const of = (type: string): object => EVENTS.find((event) => event.type === type)!;
  const wrong: unknown[] = [
    null,
    'print',
    [],
    { type: 'toString' },
    { type: '__proto__' },
    { ...of('progress'), text: {} },
    { ...of('diagnostic'), diagnostic: { ...EVENTS_DIAGNOSTIC, location: null } },
    { ...of('launch'), grid: [1, 2] },
    { ...of('comparison'), heatmap: { rows: 1e9, columns: 1e9, values: [] } },
    { ...of('print'), text: 7 },
  ];
  for (const value of wrong) expect(eventFrom(value), JSON.stringify(value)).toBeNull();
  let nested: unknown = null;
  for (let i = 0; i < 1e5; i++) nested = { file: 'a', line: 1, inlinedAt: nested };
  expect(eventFrom({ ...of('diagnostic'), diagnostic: nested })).toBeNull();
});
const EVENTS_DIAGNOSTIC = { code: 'HC', severity: 'error', message: 'm', notes: [] };

it('says once in the output that something was left out, and ends a run whose end is broken', () => {
  const record = emptyRecord(1, 1, '');
  for (let i = 0; i < 3; i++) expect(receive(record, { type: 'progress', text: {} })).toBeNull();
  expect(record.unread).toBe(3);
  expect(record.output).toHaveLength(1);
  expect(record.output[0]).toMatchObject({ kind: 'print', stream: 'stderr' });
  expect(receive(record, { type: 'finished', outcome: {} })).toMatchObject({ outcome: 'error' });
  expect(record.outcome).toBe('error');
});

/** Every path to a value inside of an event. */
function paths(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, one]) => paths(one, [...path, key]))];
}
function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string,
    unknown
  >;
  copy[key] = replaced(copy[key], rest, by);
  return copy;
}

it('folds whatever comes without a throw, and keeps only what has its shape', () => {
  const garbage = fc.oneof(
    fc.anything({ withBigInt: true, withNullPrototype: true }),
    fc.constantFrom<unknown>(Number.NaN, -1, '', [], {}, undefined, 1e308, 'x'.repeat(9)),
  );
  const broken = fc
    .constantFrom(...EVENTS)
    .chain((event) =>
      fc
        .constantFrom(...paths(event))
        .chain((path) => garbage.map((by) => replaced(event, path, by))),
    );
  fc.assert(
    fc.property(fc.array(fc.oneof(broken, garbage, fc.constantFrom(...EVENTS))), (values) => {
      const record = emptyRecord(1, 1, '');
      for (const value of values) receive(record, value);
      for (const { location, notes } of record.diagnostics) {
        expect(typeof location.file).toBe('string');
        expect(Array.isArray(notes)).toBe(true);
      }
      for (const item of record.output)
        if (item.kind === 'print') expect(typeof item.text).toBe('string');
      if (record.progress) expect(typeof record.progress.text).toBe('string');
      for (const { heatmap } of record.comparisons)
        if (heatmap) expect(heatmap.values).toHaveLength(heatmap.rows * heatmap.columns);
    }),
    { numRuns: 300 },
  );
});

it('reads a benchmark’s launches in little time', () => {
  const launch = EVENTS.find(
    (event): event is Extract<ProgramEvent, { type: 'launch' }> => event.type === 'launch',
  )!;
  const start = performance.now();
  for (let i = 0; i < 50_000; i++) eventFrom(launch);
  expect((performance.now() - start) / 50_000).toBeLessThan(0.1);
});
