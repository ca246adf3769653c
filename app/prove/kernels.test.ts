/**
 * Kernels of our own through all checks of a proof on the interpreter: each wrong one fails by the
 * check, at the line and with the words that the table has for it, and no right one is accused.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Judge } from './testing/judge';
import { RIGHT, WRONG } from './testing/kernelTable';

let judge: Judge;
beforeAll(async () => {
  judge = await Judge.create(join(import.meta.dirname, '..', '..'));
}, 120_000);
afterAll(() => judge?.dispose());

it('has forty of each, with names that differ', () => {
  expect(RIGHT.length).toBeGreaterThanOrEqual(40);
  expect(WRONG.length).toBeGreaterThanOrEqual(40);
  const names = [...RIGHT, ...WRONG].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

it.each(RIGHT)('accuses nothing of $name', { timeout: 120_000 }, async ({ text }) => {
  const { sections, errors } = await judge.report(text);
  expect(errors).toEqual([]);
  const findings = sections.flatMap(({ check, findings: each }) =>
    each.map(({ verdict, message }) => ({ check, verdict, message })),
  );
  expect(findings.filter(({ verdict }) => verdict === 'fails')).toEqual([]);
  const sweeps = findings.filter(({ check }) => check === 'sweep');
  expect(sweeps).toEqual([
    { check: 'sweep', verdict: 'holds', message: 'agrees with its reference in 25 cases' },
  ]);
});

it.each(WRONG)('finds $name', { timeout: 120_000 }, async (kernel) => {
  const { sections } = await judge.report(kernel.text);
  const findings = sections.flatMap(({ check, findings: each }) =>
    each.flatMap(({ verdict, message, location }) =>
      verdict === 'fails' ? [{ check, line: location?.line, message }] : [],
    ),
  );
  expect(findings).toContainEqual({
    check: kernel.check,
    line: kernel.line,
    message: expect.stringContaining(kernel.message) as string,
  });
});
