import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isFileName } from '../state/fileNames';
import { programFrom, snapshotFrom, type KeptProgram } from './records';

const PROGRAM: KeptProgram = {
  id: 'a',
  name: 'Add',
  entry: 'main.py',
  files: { 'main.py': 'print(1)\n', 'lib/two.py': 'TWO = 2\n' },
  origin: { kind: 'link', files: { 'main.py': '' } },
  updated: 1,
};
const MOMENT = { program: 'a', time: 1, reason: 'run', entry: 'main.py', files: PROGRAM.files };

it('leaves whole records as they are', () => {
  expect(programFrom(PROGRAM)).toEqual(PROGRAM);
  expect(programFrom(structuredClone(PROGRAM))).toEqual(PROGRAM);
  expect(snapshotFrom(MOMENT)).toEqual(MOMENT);
});

it('keeps the text of a record whose other fields are broken', () => {
  expect(programFrom({ ...PROGRAM, origin: { kind: 'link' } })?.origin).toEqual({ kind: 'own' });
  expect(programFrom({ ...PROGRAM, origin: { kind: 'link', files: { a: 1 } } })?.origin).toEqual({
    kind: 'own',
  });
  expect(programFrom({ ...PROGRAM, origin: { kind: 'example' } })?.origin).toEqual({ kind: 'own' });
  expect(programFrom({ ...PROGRAM, entry: 'constructor' })?.entry).toBe('main.py');
  expect(programFrom({ ...PROGRAM, name: null })?.name).toBe('main.py');
  expect(programFrom({ ...PROGRAM, updated: Number.NaN })?.updated).toBe(0);
  expect(snapshotFrom({ ...MOMENT, time: Infinity, reason: 'toString' })).toMatchObject({
    time: 0,
    reason: 'pause',
  });
  const odd = { ...PROGRAM, entry: 'a\\b.py', files: { 'a\\b.py': '1', '../../c.py': '2' } };
  expect(programFrom(odd)).toMatchObject({
    entry: 'a/b.py',
    files: { 'a/b.py': '1', 'c.py': '2' },
  });
});

it('loses no text of files whose names look the same', () => {
  const files = { 'ma\u200Bin.py': '1', 'main.py': '2', 'ma\u2060in.py': '3' };
  expect(programFrom({ ...PROGRAM, entry: 'main.py', files })).toMatchObject({
    entry: 'main.py',
    files: { 'main_2.py': '1', 'main.py': '2', 'main_3.py': '3' },
  });
  expect(programFrom({ ...PROGRAM, name: 'n\u202E'.repeat(10_000) })?.name).toHaveLength(200);
});

it('reads nothing from what holds no program', () => {
  for (const value of [null, 1, 'x', [], {}, { ...PROGRAM, files: {} }, { ...PROGRAM, id: 1 }])
    expect(programFrom(value)).toBeNull();
  expect(programFrom({ ...PROGRAM, files: { 'a.py': 1 } })).toBeNull();
  expect(snapshotFrom({ ...MOMENT, files: null })).toBeNull();
});

it('gives the page only what it relies on, whatever a record holds', () => {
  const field = fc.oneof(fc.anything(), fc.constantFrom<unknown>(...Object.values(PROGRAM)));
  const names = fc.oneof(fc.string(), fc.constantFrom('a.py', '../a.py', '__proto__', 'a\\b.py'));
  const files = fc.oneof(field, fc.dictionary(names, fc.oneof(fc.string(), field)));
  const record = fc.record(
    { id: field, name: field, entry: names, files, origin: field, updated: field, time: field },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(record, field, (value, program) => {
      const read = programFrom(value);
      const moment = snapshotFrom({ ...value, program });
      for (const one of [read, moment]) {
        if (!one) continue;
        expect(Object.hasOwn(one.files, one.entry)).toBe(true);
        expect(Object.keys(one.files).every(isFileName)).toBe(true);
      }
      if (read) expect(() => new Date(read.updated).toISOString()).not.toThrow();
      if (moment) expect(() => new Date(moment.time).toISOString()).not.toThrow();
      expect(read && programFrom(read)).toEqual(read);
    }),
    { numRuns: 500 },
  );
});
