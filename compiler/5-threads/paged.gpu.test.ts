/**
 * Decode attention over pages on a software adapter, with what only adapters with matrices get by
 * default: prefetched tiles and tables, loops unrolled by two. Sequences of one, two and four
 * iterations, full and not.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn, type OpenedDevice } from '../../app/cli/dawn';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import type { Choices } from '../4-distribute/index';
import { REPORT_WRITES } from '../boundsReport';
import { HEADS, memory, pagedKernel, run, SEQUENCES } from './testing/pagedKernel';
import { compileFunc, launchKernel } from './testing/run';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

describe.skipIf(software.kind === 'missing')('paged decoding', () => {
  let gpu: OpenedDevice;
  let parser: Parser;
  beforeAll(async () => {
    gpu = await openDawn();
    parser = await testParser();
  });
  const prefetch = { prefetchRegisters: 1024, direct: false };
  const some: Partial<Choices>[] = [
    { ...prefetch, loopUnroll: 2 },
    {
      ...prefetch,
      loopUnroll: 2,
      indirectPrefetch: true,
      clusterLoads: true,
      mergeBoundsGuards: true,
    },
    { ...prefetch, indirectPrefetch: true, delayReductions: true },
  ];
  it.each(some)('is what the interpreter computes: %j', async (choices) => {
    const func = pagedKernel(parser, 32);
    const expected = run(func);
    const kernel = compileFunc(func, gpu.target, { choices });
    expect(/k_\d+\+\+;$/m.test(kernel.wgsl)).toBe(choices.loopUnroll === 2);
    const args = memory().map(({ bytes }) => bytes);
    const grid = [SEQUENCES, HEADS, 1] as const;
    const { buffers, report } = await launchKernel(gpu.device, func, kernel, args, grid);
    expect([report[0], report[REPORT_WRITES]]).toEqual([0, 0]);
    const out = new Float32Array(buffers.at(-1)!.buffer);
    const worst = expected.reduce((most, x, i) => Math.max(most, Math.abs(x - out[i]!)), 0);
    expect(worst).toBeLessThan(2e-3);
  });
});
