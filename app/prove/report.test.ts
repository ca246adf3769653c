import { expect, it } from 'vitest';
import { countVerdicts, exitCode, reportText, type Finding, type ProofReport } from './report';

const location = { file: 'a.py', line: 3, column: 1, endLine: 3, endColumn: 1 };
const finding = (verdict: Finding['verdict'], extra: Partial<Finding> = {}): Finding => ({
  verdict,
  subject: { kind: 'launch', id: 0, kernel: 'add' },
  message: 'loads stay within their tensors',
  location,
  ...extra,
});
const report = (findings: readonly Finding[]): ProofReport => ({
  version: 1,
  file: 'a.py',
  adapter: null,
  sections: [{ check: 'bounds', title: 'Bounds', findings, milliseconds: 1234 }],
  unexercised: [],
  errors: [],
});

it('exits with 0 where something holds and nothing fails', () => {
  expect(exitCode(report([finding('holds'), finding('inapplicable')]))).toBe(0);
});

it('exits with 1 where one finding fails, or the program does', () => {
  expect(exitCode(report([finding('holds'), finding('fails')]))).toBe(1);
  const errors = [
    { code: 'HC8009', severity: 'error', message: 'no', location, notes: [] } as const,
  ];
  expect(exitCode({ ...report([finding('holds')]), errors })).toBe(1);
});

it('exits with 2 where nothing was decided', () => {
  expect(exitCode(report([finding('inapplicable')]))).toBe(2);
  expect(exitCode(report([]))).toBe(2);
});

it('counts verdicts over all sections', () => {
  const { sections } = report([finding('holds'), finding('fails'), finding('fails')]);
  expect(countVerdicts([...sections, ...sections])).toEqual({
    holds: 2,
    fails: 4,
    inapplicable: 0,
  });
});

it('prints a line for each finding, with its extent, its witnesses and its notes', () => {
  const text = reportText(
    report([
      finding('holds', { scope: { kind: 'sample', checked: 3, programs: 8 } }),
      finding('fails', { witnesses: [{ name: 'pid_0', value: '7' }], notes: ['a note'] }),
    ]),
  );
  expect(text).toBe(
    [
      'Bounds (1.2 s)',
      '  holds: a.py:3: add, launch 0: loads stay within their tensors [checked for 3 of 8 programs]',
      '  FAILS: a.py:3: add, launch 0: loads stay within their tensors',
      '      pid_0 = 7',
      '      a note',
      '1 hold, 1 fail, 0 undecided',
      '',
    ].join('\n'),
  );
});

it('names what no launch exercised after the findings, as notes that fail nothing', () => {
  const place = { kernel: 'add', operation: 'load of x_ptr', location };
  const untested: ProofReport = {
    ...report([finding('holds')]),
    unexercised: [{ kind: 'mask', ...place, message: 'not tested' }],
  };
  expect(reportText(untested).split('\n').slice(2)).toEqual([
    'Not exercised by any launch of this run',
    '  note: a.py:3: load of x_ptr of add: not tested',
    expect.stringContaining('hippocamp_testing.sweep'),
    '1 hold, 0 fail, 0 undecided',
    '',
  ]);
  expect(exitCode(untested)).toBe(0);
});
