/**
 * Random kernels through the whole compiler, on a software GPU and on the interpreter: what they leave in
 * memory must be the same, whatever the target, the number of warps, the binding groups and the grid.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn } from '../../app/cli/dawn';
import type { OpenedDevice } from '../../app/cli/dawn';
import { differences, EXACT } from './testing/differential';
import { fuzzCase } from './testing/fuzzCase';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

/** Longer runs: FUZZ_FROM, FUZZ_COUNT. */
const FROM = Number(process.env['FUZZ_FROM'] ?? 0);
const COUNT = Number(process.env['FUZZ_COUNT'] ?? 40);

describe.skipIf(software.kind === 'missing')('random kernels', () => {
  let gpu: OpenedDevice;
  beforeAll(async () => {
    gpu = await openDawn();
  });
  it.each(Array.from({ length: COUNT }, (_, i) => FROM + i))('number %i', async (seed) => {
    const { tiles, target, launch } = fuzzCase(seed, gpu.target, { elements: 64, statements: 5 });
    const where = { device: gpu.device, target };
    const found = await differences(where, tiles.make, tiles.args, tiles.grid, EXACT, launch);
    expect(found.slice(0, 5)).toEqual([]);
  });
});
