/**
 * Kernels of our own through all checks of a proof on the interpreter: each wrong one fails by the
 * check, at the line and with the words that the table has for it, and no right one is accused.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Judge } from './testing/judge';
import { accusations, misses } from './testing/kernelCases';
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
  expect(accusations(await judge.report(text))).toEqual([]);
});

it.each(WRONG)('finds $name', { timeout: 120_000 }, async (kernel) => {
  expect(misses(kernel, await judge.report(kernel.text))).toEqual([]);
});
