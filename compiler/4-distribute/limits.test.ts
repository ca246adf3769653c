/** Tiles larger than everything, and smaller: always well formed, within every limit. */
import { describe, expect, test } from 'vitest';
import type { Func } from '../ir/ir';
import { F16, I8 } from '../ir/types';
import { assertValid } from '../ir/verifier';
import { BASELINE_TARGET, type Target } from '../target';
import { checkContract } from './testing/checkContract';
import { DISTRIBUTE_PASSES, distributeContext } from './index';
import * as kernels from './testing/kernels';

const TARGETS: readonly Target[] = [
  BASELINE_TARGET,
  { ...BASELINE_TARGET, name: 'subgroups of 4', subgroupSize: 4, maxWorkgroupBytes: 32_768 },
  {
    ...BASELINE_TARGET,
    name: 'large',
    subgroupSize: 32,
    maxWorkgroupBytes: 49_152,
    maxInvocations: 1024,
  },
  { ...BASELINE_TARGET, name: 'subgroups of 64', subgroupSize: 64, maxInvocations: 1024 },
  { ...BASELINE_TARGET, name: 'subgroups of 128', subgroupSize: 128 },
  ...[16_384, 49_152].map((maxWorkgroupBytes) => ({
    ...BASELINE_TARGET,
    name: `matrices, ${maxWorkgroupBytes} bytes`,
    subgroupSize: 32 as const,
    f16: true,
    maxWorkgroupBytes,
    maxInvocations: 1024,
    subgroupMatrices: [
      { component: 'f16', result: 'f32', M: 16, N: 16, K: 16 },
      { component: 'i8', result: 'i32', M: 16, N: 16, K: 32 },
    ] as const,
  })),
];
const KERNELS: Readonly<Record<string, () => Func>> = {
  'a million elements': () => kernels.vectorAdd(2 ** 20),
  'a row of 65536': () => kernels.softmax(1, 65_536),
  'many rows': () => kernels.softmax(4096, 16),
  'a transposed tile of a million': () => kernels.transpose(1024, 1024),
  'scans of a million': () => kernels.columns(1024, 1024),
  'scans of one row': () => kernels.columns(1, 1024),
  'everything with rules of its own, large': () => kernels.shapesAndScans(256, 512, 0),
  'the same along rows': () => kernels.shapesAndScans(512, 256, 1),
  'control flow over a large tile': () => kernels.controlFlow(65_536),
  '128×256×64 in f16': () => kernels.matmul({ M: 128, N: 256, K: 64, dtype: F16 }),
  '256×256×32 in f16': () => kernels.matmul({ M: 256, N: 256, K: 32, dtype: F16, residual: true }),
  '16×1024×16 in f16': () => kernels.matmul({ M: 16, N: 1024, K: 16, dtype: F16 }),
  '256×256×128': () => kernels.matmul({ M: 256, N: 256, K: 128, residual: true }),
  '16×16×1024': () => kernels.matmul({ M: 16, N: 16, K: 1024 }),
  '1024×16×16': () => kernels.matmul({ M: 1024, N: 16, K: 16 }),
  'attention, heads of 256': () => kernels.attention(128, 64, 256, F16),
  'attention, heads of 16': () => kernels.attention(128, 128, 16),
  'dots of 1×1': () => kernels.batchedDot(1, 1, 1, 16),
  'a thousand batches': () => kernels.batchedDot(1024, 4, 4, 4),
  'dots of 8192 rows': () => kernels.batchedDot(1, 8192, 16, 16),
  'one dot of i8': () => kernels.batchedDot(1, 64, 64, 128, I8),
  'i8 dots': () => kernels.batchedDot(2, 64, 64, 128, I8),
};

describe.each(TARGETS)('on $name', (target) => {
  test.each(Object.keys(KERNELS))('%s', (name) => {
    for (const [numWarps, statedWarps] of [
      [1, false],
      [32, false],
      ...[1, 8, 32].map((warps) => [warps, true] as const),
    ] as const) {
      const func = KERNELS[name]!();
      const context = distributeContext(target, numWarps, {}, false, { statedWarps });
      for (const pass of DISTRIBUTE_PASSES) {
        pass.run(func, context);
        assertValid(func, pass.name);
      }
      expect(checkContract(func, target)).toEqual([]);
    }
  });
});
