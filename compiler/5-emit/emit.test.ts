/** Whole kernels through distribution and emission, run on a software GPU. */
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn } from '../../app/cli/dawn';
import type { OpenedDevice } from '../../app/cli/dawn';
import { vectorAdd } from '../4-distribute/testKernels';
import { compileFunc, launchKernel } from './testing/run';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

const f32 = (n: number, f: (i: number) => number) =>
  Float32Array.from({ length: n }, (_, i) => f(i));
const bytes = (x: Float32Array | Int32Array) => new Uint8Array(x.slice().buffer as ArrayBuffer);

describe.skipIf(software.kind === 'missing')('emit', () => {
  let gpu: OpenedDevice;
  beforeAll(async () => {
    gpu = await openDawn();
  });

  it.each([64, 1000, 4096])('adds vectors of %i elements', async (n) => {
    const func = vectorAdd(256);
    const kernel = compileFunc(func, gpu.target);
    const x = f32(n, (i) => i * 0.5);
    const y = f32(n, (i) => 1 / (i + 1));
    const poison = f32(n, () => NaN);
    const result = await launchKernel(
      gpu.device,
      func,
      kernel,
      [bytes(x), bytes(y), bytes(poison), [n]],
      [Math.ceil(n / 256) + 1, 1, 1],
    );
    const out = new Float32Array(result.buffers[2]!.buffer);
    expect(out).toEqual(x.map((v, i) => Math.fround(v + y[i]!)));
    expect(result.report[0]).toBe(0);
  });
});
