/**
 * Random kernels through the whole compiler, on a software GPU and on the interpreter: what they
 * leave in memory must be the same, whatever the target, the number of warps, the binding groups
 * and the grid. `npm run fuzz` runs many more, and larger ones.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn } from '../../app/cli/dawn';
import type { OpenedDevice } from '../../app/cli/dawn';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { checkCase } from './testing/checkCase';
import { fuzzInputs, type FuzzOptions } from './testing/fuzzCase';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

const SEED = Number(process.env['FUZZ_SEED'] ?? 3);
const COUNT = Number(process.env['FUZZ_COUNT'] ?? 200);
const OPTIONS = { elements: 64, statements: 5 };
/** In the ring of `prove`: bit for bit. */
const RING = { ...OPTIONS, ring: true };
/** Several tests, so that one that fails does not hide the others. */
const PARTS = 8;
/** The part of the count that runs in the ring. */
const SHARE = 0.25;

describe.skipIf(software.kind === 'missing')('random kernels', () => {
  let gpu: OpenedDevice;
  let parser: Parser;
  beforeAll(async () => {
    gpu = await openDawn();
    parser = await testParser();
  });
  const seeds = Array.from({ length: PARTS }, (_, part) => SEED * 1000 + part);
  const check = async (options: FuzzOptions, seed: number, count: number): Promise<number> => {
    let compared = 0;
    const property = fc.asyncProperty(fuzzInputs(options), async (input) => {
      if (await checkCase(input, gpu, parser, options)) compared++;
    });
    await fc.assert(property, {
      seed,
      numRuns: Math.ceil(count / PARTS),
      interruptAfterTimeLimit: 100_000,
    });
    return compared;
  };
  it.each(seeds)(`${COUNT / PARTS} of seed %i`, async (seed) => {
    await check(OPTIONS, seed, COUNT);
  });
  it.each(seeds)(`${(COUNT * SHARE) / PARTS} of seed %i in the ring`, async (seed) => {
    expect(await check(RING, seed, COUNT * SHARE)).toBeGreaterThan(0);
  });
});
