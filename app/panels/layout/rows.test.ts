import { expect, it } from 'vitest';
import type { SharedAccess } from '../../../compiler/inspect/bankConflicts';
import { rowsOf } from './SharedAccesses';
import { wordsOf } from './Segments';

it('colours each word of a segment by the first lane that touches it', () => {
  const instruction = {
    subgroup: 0,
    register: 0,
    addresses: [128, 144, null, 144],
    segments: [128],
  };
  const words = wordsOf({ elementBytes: 4, vector: 4 }, instruction, 128);
  expect(words.slice(0, 10)).toEqual([0, 0, 0, 0, 1, 1, 1, 1, null, null]);
  // Halves share a word.
  const halves = { ...instruction, addresses: [128, 130, 132] };
  expect(wordsOf({ elementBytes: 2, vector: 1 }, halves, 128).slice(0, 3)).toEqual([0, 2, null]);
});

it('puts equal accesses of a line into one row', () => {
  const at = { file: 'k.py', line: 3, column: 1, endLine: 3, endColumn: 2 };
  const counted = { trips: 2, ideal: 1, threads: 32, first: [] };
  const one: SharedAccess = { kind: 'read', bytes: 4, counted, location: at };
  const rows = rowsOf([one, { ...one }, { ...one, kind: 'write' }]);
  expect(rows.map(({ first, count }) => [first.kind, count])).toEqual([
    ['read', 2],
    ['write', 1],
  ]);
});
