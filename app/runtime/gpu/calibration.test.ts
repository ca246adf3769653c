/** On a software adapter: the roofs are there, plausible, and held against a launch's time. */
import { describe, expect, it } from 'vitest';
import { dawnInstance, findSoftwareAdapter, openDawn } from '../../cli/dawn';
import type { LaunchCost, Timing } from '../../events';
import { calibrate, products } from './calibration';
import { achieved } from '../cost';
import { openGpu } from './gpuDevice';

const software = findSoftwareAdapter();

describe.skipIf(software.kind === 'missing')('a calibration', () => {
  it('measures a copy and multiply-adds', async () => {
    const opened = await openGpu(await dawnInstance({ disable: ['timestamp_quantization'] }));
    if (!opened.ok) throw new Error(opened.reason);
    const found = await calibrate(opened.gpu);
    if (!found) throw new Error('no calibration');
    // A CPU copies more than 10 MB and less than 10 TB a second.
    expect(found.bytesPerSecond).toBeGreaterThan(1e7);
    expect(found.bytesPerSecond).toBeLessThan(1e13);
    expect(found.f32PerSecond).toBeGreaterThan(1e7);
    expect(found.f32PerSecond).toBeLessThan(1e13);
    // A launch that does nothing takes less than a second; some threads reach half of the rate.
    expect(found.emptyLaunch).toBeGreaterThan(0);
    expect(found.emptyLaunch).toBeLessThan(1e6);
    expect(found.halfRateThreads! % 128).toBe(0);
    expect(found.halfRateThreads).toBeLessThanOrEqual(256 * 128);
    console.log(
      `empty launch ${found.emptyLaunch} µs, half rate at ${found.halfRateThreads} threads`,
    );
    expect(found.f16PerSecond === null).toBe(!opened.gpu.target.f16);
    opened.gpu.device.destroy();
  });
});

it('measures matrices that Dawn takes, and none where there are none', async () => {
  const enable = ['allow_unsafe_apis', 'vulkan_enable_f16_on_nvidia'];
  const { device } = await openDawn({ backend: 'null', enable });
  const config = { component: 'f16', result: 'f32', M: 16, N: 16, K: 16 } as const;
  const made = products({ subgroupMatrices: [config], subgroupSize: 32 })!;
  // Four subgroups, four sums each, 512 products of 16³.
  expect(made.operations).toBe(4 * 4 * 512 * 2 * 16 ** 3);
  const module = device.createShaderModule({ code: made.wgsl });
  await device.createComputePipelineAsync({
    layout: 'auto',
    compute: { module, entryPoint: 'main' },
  });
  const whole = { ...config, component: 'i8', result: 'i32' } as const;
  expect(products({ subgroupMatrices: [whole], subgroupSize: 32 })).toBeNull();
  expect(products({ subgroupMatrices: [config], subgroupSize: 'none' })).toBeNull();
  device.destroy();
});

describe('the roofline', () => {
  const cost: LaunchCost = {
    readBytes: 8e6,
    writtenBytes: 4e6,
    requestedBytes: 12e6,
    operations: { f64: 0, f32: 1e6, f16: 0, integer: 0 },
    uncertain: null,
  };
  const timing: Timing = { clock: 'gpu', median: 24, low: 24, high: 24, samples: 1, quantum: 1 };
  const roofs = {
    adapter: 'x',
    bytesPerSecond: 1e12,
    f32PerSecond: 1e13,
    f16PerSecond: null,
    fromCache: false,
  };
  it('says which roof is near, and how near', () => {
    // 12 MB at 1 TB/s are 12 µs; a million operations at 10 TFLOP/s are 0.1 µs.
    expect(achieved(cost, timing, roofs)).toEqual({
      bytesPerSecond: 5e11,
      operationsPerSecond: 1e6 / 24e-6,
      roofline: 0.5,
      bound: 'memory',
      limit: 'latency',
    });
    const dense = { ...cost, operations: { ...cost.operations, f32: 2.4e8 } };
    expect(achieved(dense, timing, roofs)).toMatchObject({ roofline: 1, bound: 'arithmetic' });
    expect(achieved(cost, timing, null)?.roofline).toBeNull();
  });
  it('says nothing of a time below the clock’s step', () => {
    expect(achieved(cost, { ...timing, median: 10, quantum: 65 }, roofs)).toBeUndefined();
  });
});
