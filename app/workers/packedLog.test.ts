import { expect, it } from 'vitest';
import type { Location } from '../../compiler/ir/location';
import type { PassRecord } from '../../compiler/program';
import { packLog, unpackLog } from './packedLog';

const at = (line: number): Location => ({
  file: 'a.py',
  line,
  column: 1,
  endLine: line,
  endColumn: 9,
});
const [one, two] = [at(1), at(2)];
const pass = (index: number, ir: string, locations: PassRecord['locations']): PassRecord => ({
  index,
  name: `pass_${index}`,
  phase: 'optimize',
  changed: true,
  milliseconds: 1.5,
  ir,
  locations,
});
const lines = [one, null, two];
const LOG = [
  pass(0, '%0 = tt.µ\n\n}', lines),
  // Left as it was.
  pass(1, '%0 = tt.µ\n\n}', lines),
  pass(2, '%0 = tt.other', [two]),
  pass(3, '', []),
];

it('brings every pass back as it was, across a structured clone', () => {
  const { log, transfer } = packLog(LOG);
  const arrived = unpackLog(structuredClone(log, { transfer }));
  expect(arrived.map((each) => ({ ...each }))).toEqual(LOG);
  // Read again, it is the same text and the same list.
  expect(arrived[0]!.locations).toBe(arrived[0]!.locations);
  expect(arrived[1]!.locations).toBe(arrived[0]!.locations);
});

it('sends once what a pass left as it was, and copies no text', () => {
  const { log, transfer } = packLog(LOG);
  expect(log.passes.map(({ ir }) => ir?.length ?? null)).toEqual([13, null, 13, 0]);
  expect(log.passes.map(({ lines: each }) => each?.length ?? null)).toEqual([3, null, 1, 0]);
  expect(log.locations).toEqual([one, two]);
  expect(transfer).toHaveLength(6);
  // The lines' places travel as numbers only: as objects they cost the page's thread a tenth of a
  // second.
  expect(log.passes.some((each) => 'locations' in each)).toBe(false);
});
