import { expect, it } from 'vitest';
import type { ExchangeReport } from '../../../compiler/inspect/layouts';
import { efficiency, wordsOf } from './Accesses';
import { rowsOf } from './Exchanges';

it('colours each word of a segment by the first lane that wants it', () => {
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

it('is efficient where every byte of every segment was asked for', () => {
  const counted = { bytes: 512, segments: 4 } as Parameters<typeof efficiency>[0];
  expect(efficiency(counted)).toBe(1);
  expect(efficiency({ ...counted, segments: 32 })).toBe(0.125);
});

it('puts equal exchanges of a line into one row', () => {
  const at = { file: 'k.py', line: 3, column: 1, endLine: 3, endColumn: 2 };
  const counted = { trips: 2, ideal: 1, threads: 32, first: [] };
  const one: ExchangeReport = { kind: 'read', line: 9, words: 1, counted, location: at };
  const rows = rowsOf([one, { ...one, line: 10 }, { ...one, kind: 'write' }]);
  expect(rows.map(({ first, count }) => [first.kind, count])).toEqual([
    ['read', 2],
    ['write', 1],
  ]);
});
