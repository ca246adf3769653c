/**
 * Barriers of kernels that need most of them, by workgroups: nothing is found with all of them, and
 * without any one of them a hazard is.
 */
import { CPU_FACTS } from '../../machine';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../../1-parse/parser';
import { testParser } from '../../1-parse/testing/testParser';
import type { Choices } from '../../4-distribute/index';
import {
  attention,
  matmul,
  MORE_CASES,
  shapesAndScans,
  softmax,
  transpose,
} from '../../4-distribute/testing/kernels';
import { HEADS, memory, pagedKernel, SEQUENCES } from '../../5-threads/testing/pagedKernel';
import { distribute, lowerThreads, requestFor } from '../../5-threads/testing/run';
import type { LaunchOptions } from '../../5-threads/testing/run';
import type { Func } from '../../ir/ir';
import type { MemoryStorage } from '../memory';
import { BASELINE_TARGET, type Target } from '../../target';
import type { LoweredKernel } from '../../testing/gallery';
import { galleryLaunch } from '../../testing/galleryLaunch';
import { MATRIX_TARGET } from '../../testing/targets';
import { barriersOf, redundantBarriers } from './testing/barriers';

/** A function through the passes on tiles and on threads. */
function lowered(tiles: Func, target: Target, launch: LaunchOptions = {}): LoweredKernel {
  distribute(tiles, target, launch);
  const request = requestFor(tiles, target, launch);
  return { tiles, request, threads: lowerThreads(tiles, request) };
}

const GPU: Target = { ...BASELINE_TARGET, subgroupSize: 32, maxWorkgroupBytes: 32_768 };
const STORED: Target = {
  ...GPU,
  name: 'SwiftShader',
  machine: CPU_FACTS,
  subgroupSize: 4,
  sharedMemoryInStorage: true,
};
const TARGETS = { baseline: BASELINE_TARGET, gpu: GPU, storage: STORED };

const ACROSS = 'scans across';
const KERNELS: readonly (readonly [string, () => Func])[] = [
  ['softmax', () => softmax(1, 1024)],
  ['matmul', () => matmul({ M: 64, N: 64, K: 32 })],
  ['attention', () => attention(32, 32, 32)],
  ['transpose', () => transpose(64, 64)],
  ['scans', () => shapesAndScans(32, 64, 1)],
  [ACROSS, () => shapesAndScans(32, 64, 0)],
  ...MORE_CASES.map(({ name, make }) => [name, make] as const),
];

/**
 * Barriers without which nothing is found on any of the launches. In the kernel of control flow two
 * are of storage, which a barrier orders beside workgroup memory, as in CUDA: no thread reads what
 * another one wrote there.
 */
const REDUNDANT: Readonly<Record<string, number>> = {
  'scans across, gpu': 1,
  'control flow, baseline': 2,
  'control flow, gpu': 3,
  'control flow, storage': 3,
};

/** For branches on what the tensors hold. */
const zeros = ({ address, bytes }: MemoryStorage): MemoryStorage => ({
  address,
  bytes: new Uint8Array(bytes.length),
});

describe.each(Object.entries(TARGETS))(
  'without any one of its barriers, for %s',
  (place, target) => {
    it.each(KERNELS)('%s has a hazard', (name, make) => {
      const kernel = lowered(make(), target);
      const launches = [73, 1, 0].flatMap((size) => {
        const launch = galleryLaunch(kernel.tiles, [1, 1, 1], size);
        return [launch, { ...launch, memory: launch.memory.map(zeros) }];
      });
      expect(redundantBarriers(kernel, launches).length).toBe(REDUNDANT[`${name}, ${place}`] ?? 0);
    });
  },
);

describe('paged decoding on subgroup matrices', () => {
  let parser: Parser;
  beforeAll(async () => {
    parser = await testParser();
  });
  const some: [BN: number, choices: Partial<Choices>][] = [
    [32, {}],
    [64, {}],
    [128, {}],
    [64, { loopUnroll: 1 }],
    [64, { delayReductions: false, indirectPrefetch: false }],
    [64, { clusterLoads: false }],
  ];
  // Small-M dots share memory with all that comes between them; a loop of two copies of its body.
  it.each(some)('has a hazard without any one of its barriers: keys by %i, %j', (BN, choices) => {
    const kernel = lowered(pagedKernel(parser, BN), MATRIX_TARGET, { choices });
    const tensors = memory();
    // Over the tables of all sequences: four iterations and more.
    new Int32Array(tensors[4]!.bytes.buffer)[0] = 512;
    const launch = {
      args: tensors.map(({ address }) => address),
      memory: tensors,
      grid: [SEQUENCES, HEADS, 1] as const,
      range: { first: 0, end: 1 },
    };
    expect(barriersOf(kernel).length).toBeGreaterThan(8);
    expect(redundantBarriers(kernel, [launch])).toEqual([]);
  });
});
