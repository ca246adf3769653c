/** One answer for each kernel: the weakest of its findings. */
import { expect, it } from 'vitest';
import type { Finding, ProofReport, Scope } from './report';
import { byKernel } from './summary';

const found = (kernel: string, verdict: Finding['verdict'], scope?: Scope): Finding => ({
  verdict,
  subject: { kind: 'operation', kernel, operation: 'load of x_ptr' },
  message: '',
  location: null,
  ...(scope ? { scope } : {}),
});
const report = (bounds: readonly Finding[], races: readonly Finding[]): ProofReport => ({
  version: 1,
  file: 'a.py',
  adapter: null,
  unexercised: [],
  errors: [],
  sections: [
    { check: 'bounds', title: '', findings: bounds, milliseconds: 0 },
    { check: 'races', title: '', findings: races, milliseconds: 0 },
  ],
});
const answers = (...findings: readonly Finding[]) =>
  byKernel(report(findings, [])).map(({ verdict, text }) => [verdict, text]);
const EVERY: Scope = { kind: 'always' };
const sample = (checked: number): Scope => ({ kind: 'sample', checked, programs: 20 });

it('is proved for every n where all of it is', () => {
  expect(answers(found('k', 'holds', EVERY), found('k', 'holds', EVERY))).toEqual([
    ['holds', 'proved for every program and every n'],
  ]);
});

it('is the weakest scope, and of samples the smallest share', () => {
  const launch = found('k', 'holds', { kind: 'launch' });
  expect(answers(found('k', 'holds', EVERY), launch)[0]![1]).toBe('proved for this launch');
  expect(
    answers(found('k', 'holds', sample(20)), found('k', 'holds', sample(3)), launch)[0]![1],
  ).toBe('checked for 3 of 20 programs');
});

it('fails with one that fails, and is undecided with one that is', () => {
  const open = found('k', 'inapplicable');
  expect(answers(found('k', 'holds', EVERY), open)).toEqual([['inapplicable', '1 of 2 undecided']]);
  expect(answers(open, found('k', 'fails'))[0]).toEqual(['fails', 'counterexample']);
});

it('keeps kernels, and their checks, apart', () => {
  const [a, b] = byKernel(report([found('a', 'holds', EVERY)], [found('b', 'fails')]));
  expect(a).toMatchObject({ kernel: 'a', verdict: 'holds', races: [] });
  expect(b).toMatchObject({ kernel: 'b', verdict: 'fails', bounds: [] });
});
