/** Whole kernels through distribution and emission, run on a software GPU. */
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn } from '../../app/cli/dawn';
import type { OpenedDevice } from '../../app/cli/dawn';
import { matmul, softmax, transpose, vectorAdd } from '../4-distribute/testing/kernels';
import { readReport } from '../boundsReport';
import { compileFunc, launchKernel } from './testing/run';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

const f32 = (n: number, f: (i: number) => number) =>
  Float32Array.from({ length: n }, (_, i) => f(i));
const bytes = (x: Float32Array | Int32Array) => new Uint8Array(x.slice().buffer as ArrayBuffer);

/** The largest absolute difference; NaN where one is NaN. */
function worst(a: Float32Array, b: Float32Array): number {
  return a.reduce((most, v, i) => {
    const d = Math.abs(v - b[i]!);
    return Number.isNaN(most) || d <= most ? most : d;
  }, 0);
}

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

  it.each([
    { immediateBytes: 0, words: 'uniform' },
    { immediateBytes: 64, words: 'immediate' },
    // The words and the place of the report are more than eight.
    { immediateBytes: 32, words: 'uniform' },
  ])('takes $immediateBytes bytes of immediates where they suffice', async (place) => {
    const { immediateBytes, words } = place;
    expect(gpu.target.immediateBytes).toBe(64);
    const func = vectorAdd(256);
    const kernel = compileFunc(func, { ...gpu.target, immediateBytes });
    expect(kernel.wgsl).toContain(`var<${words}> args: Args;`);
    expect(kernel.immediates ?? false).toBe(words === 'immediate');
    const x = f32(300, (i) => i * 0.5);
    // Four elements too few: the store of the last is left out, and reported.
    const short = f32(296, () => NaN);
    const args = [bytes(x), bytes(x), bytes(short), [300]];
    const { buffers, report } = await launchKernel(gpu.device, func, kernel, args, [2, 1, 1]);
    expect(new Float32Array(buffers[2]!.buffer)).toEqual(f32(296, (i) => i));
    const [found] = readReport(report, kernel.boundsReport!.accesses);
    // Program 1 stores elements 256 to 299 of 296.
    expect(found).toMatchObject({ count: 4, counted: true, program: 1, distance: 296 });
  });

  it.each([
    [1, 64],
    [1, 1000],
    [4, 300],
  ])('softmax of %i rows of %i', async (rows, n) => {
    const columns = 2 ** Math.ceil(Math.log2(n));
    const func = softmax(rows, columns);
    const kernel = compileFunc(func, gpu.target);
    const count = 3 * rows;
    const stride = Math.ceil(n / 16) * 16;
    const x = f32(count * stride, (i) => Math.sin(i) * 5);
    const out = f32(count * stride, () => 7);
    const args = [bytes(x), bytes(out), [stride], [n]];
    const result = await launchKernel(gpu.device, func, kernel, args, [3, 1, 1]);
    const got = new Float32Array(result.buffers[1]!.buffer);
    const expected = f32(count * stride, () => 7);
    for (let r = 0; r < count; r++) {
      const row = x.subarray(r * stride, r * stride + n);
      const most = row.reduce((a, b) => Math.max(a, b));
      const sum = row.reduce((s, v) => s + Math.exp(v - most), 0);
      row.forEach((v, i) => (expected[r * stride + i] = Math.exp(v - most) / sum));
    }
    expect(worst(got, expected)).toBeLessThan(2e-6);
    expect(result.report[0]).toBe(0);
  });

  it.each([
    [32, 32, 16, 64, 64, 64],
    [16, 32, 32, 40, 48, 80],
    [64, 32, 8, 64, 32, 24],
  ])('multiplies matrices by tiles of %i×%i×%i', async (M, N, K, m, n, k) => {
    const func = matmul({ M, N, K });
    const kernel = compileFunc(func, gpu.target);
    const a = f32(m * k, (i) => Math.fround(Math.sin(i)));
    const b = f32(k * n, (i) => Math.fround(Math.cos(i * 3)));
    const c = f32(m * n, () => NaN);
    const args = [bytes(a), bytes(b), bytes(c), [m], [n], [k]];
    const grid = [Math.ceil(m / M), Math.ceil(n / N), 1] as const;
    const result = await launchKernel(gpu.device, func, kernel, args, grid);
    const got = new Float32Array(result.buffers[2]!.buffer);
    const expected = f32(m * n, (i) => {
      let sum = 0;
      for (let x = 0; x < k; x++) sum += a[Math.floor(i / n) * k + x]! * b[x * n + (i % n)]!;
      return sum;
    });
    expect(worst(got, expected)).toBeLessThan(1e-5);
    expect(result.report[0]).toBe(0);
  });

  it('transposes a tile through workgroup memory', async () => {
    const func = transpose(32, 64);
    const kernel = compileFunc(func, gpu.target);
    const x = f32(32 * 64, (i) => i);
    const args = [bytes(x), bytes(f32(32 * 64, () => NaN))];
    const result = await launchKernel(gpu.device, func, kernel, args);
    const got = new Float32Array(result.buffers[1]!.buffer);
    expect(got).toEqual(f32(32 * 64, (i) => (i % 32) * 64 + Math.floor(i / 32)));
  });

  it('reports what is out of range, touches nothing, and counts from the storage', async () => {
    const func = vectorAdd(256);
    const kernel = compileFunc(func, gpu.target);
    const args = [
      bytes(f32(256, (i) => i)),
      bytes(f32(128, () => 1)),
      bytes(f32(256, () => 7)),
      [256],
    ];
    const { buffers, report } = await launchKernel(gpu.device, func, kernel, args);
    expect(new Float32Array(buffers[2]!.buffer)).toEqual(f32(256, (i) => (i < 128 ? i + 1 : i)));
    const found = readReport(report, kernel.boundsReport!.accesses);
    const access = { kind: 'load', argument: [1] };
    expect(found).toMatchObject([{ access, count: 128, counted: true, program: 0, distance: 128 }]);
  });
});
