/** On a software adapter: the roofs are there, plausible, and held against a launch's time. */
import { describe, expect, it } from 'vitest';
import { dawnInstance, findSoftwareAdapter } from '../cli/dawn';
import type { LaunchCost, Timing } from '../events';
import { calibrate } from './calibration';
import { achieved } from './cost';
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
    expect(found.f16PerSecond === null).toBe(!opened.gpu.target.f16);
    opened.gpu.device.destroy();
  });
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
    });
    const dense = { ...cost, operations: { ...cost.operations, f32: 2.4e8 } };
    expect(achieved(dense, timing, roofs)).toMatchObject({ roofline: 1, bound: 'arithmetic' });
    expect(achieved(cost, timing, null)?.roofline).toBeNull();
  });
  it('says nothing of a time below the clock’s step', () => {
    expect(achieved(cost, { ...timing, median: 10, quantum: 65 }, roofs)).toBeUndefined();
  });
});
