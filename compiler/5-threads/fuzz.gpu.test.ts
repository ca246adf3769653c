/**
 * Random kernels through the whole compiler, on a software GPU and on the interpreter: what they
 * leave in memory must be the same, whatever the target, the number of warps, the binding groups
 * and the grid. `npm run fuzz` runs many more, and larger ones.
 */
import fc from 'fast-check';
import { beforeAll, describe, it } from 'vitest';
import { findSoftwareAdapter, openDawn } from '../../app/cli/dawn';
import type { OpenedDevice } from '../../app/cli/dawn';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { checkCase } from './testing/checkCase';
import { fuzzInputs } from './testing/fuzzCase';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

const SEED = Number(process.env['FUZZ_SEED'] ?? 3);
const COUNT = Number(process.env['FUZZ_COUNT'] ?? 200);
const OPTIONS = { elements: 64, statements: 5 };
/** Several tests, so that one that fails does not hide the others. */
const PARTS = 8;

describe.skipIf(software.kind === 'missing')('random kernels', () => {
  let gpu: OpenedDevice;
  let parser: Parser;
  beforeAll(async () => {
    gpu = await openDawn();
    parser = await testParser();
  });
  const seeds = Array.from({ length: PARTS }, (_, part) => SEED * 1000 + part);
  it.each(seeds)(`${COUNT / PARTS} of seed %i`, async (seed) => {
    const property = fc.asyncProperty(fuzzInputs(OPTIONS), (input) =>
      checkCase(input, gpu, parser, OPTIONS),
    );
    await fc.assert(property, {
      seed,
      numRuns: Math.ceil(COUNT / PARTS),
      interruptAfterTimeLimit: 100_000,
    });
  });
});
