/**
 * Random kernels by workgroups and by tiles, on targets that differ: memory is the same, nothing is
 * found.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { testParser } from '../../1-parse/testing/testParser';
import { checkCase } from '../../5-threads/testing/checkCase';
import { fuzzInputs } from '../../5-threads/testing/fuzzCase';

const OPTIONS = { elements: 128, statements: 5 };

it('runs 24 random kernels as tiles run', async () => {
  const parser = await testParser();
  let runs = 0;
  const property = fc.asyncProperty(fuzzInputs(OPTIONS), (input) => {
    runs++;
    return checkCase(input, undefined, parser, OPTIONS);
  });
  await fc.assert(property, { seed: 11, numRuns: 24 });
  expect(runs).toBe(24);
});
