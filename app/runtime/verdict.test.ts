/** The limit of a launch, by its numbers against a device's. */
import { describe, expect, it } from 'vitest';
import type { Calibration, LaunchCost } from '../events';
import { verdictOf } from './verdict';

/** 1 TB/s, 10 TFLOP/s, 5 µs a launch, 20,000 threads for half of the arithmetic. */
const device: Calibration = {
  adapter: 'x',
  bytesPerSecond: 1e12,
  f32PerSecond: 1e13,
  f16PerSecond: null,
  emptyLaunch: 5,
  halfRateThreads: 20_000,
  fromCache: false,
};
const cost = (bytes: number, f32: number, requested = bytes): LaunchCost => ({
  readBytes: bytes,
  writtenBytes: 0,
  requestedBytes: requested,
  operations: { f64: 0, f32, f16: 0, integer: 0 },
  uncertain: null,
  resources: { threads: 128, registers: 20, workgroupBytes: 0 },
});
const limit = (of: LaunchCost, median: number, programs = 1000, roofs = device) =>
  verdictOf(of, { median, quantum: 1 }, roofs, programs)?.limit;

describe('the verdict of a launch', () => {
  it('is launch overhead below the time of two empty launches', () => {
    expect(limit(cost(1e6, 0), 9.9)).toBe('launch overhead');
    expect(limit(cost(1e6, 0), 10.1)).toBe('latency');
  });
  it('is the roof that it reaches', () => {
    // 60 MB are 60 µs, a billion operations 100 µs.
    expect(limit(cost(60e6, 1e6), 100)).toBe('bandwidth');
    expect(limit(cost(60e6, 1e9), 110)).toBe('arithmetic');
  });
  it('is occupancy where the threads cannot fill the device', () => {
    expect(limit(cost(1e6, 1e6), 100, 156)).toBe('occupancy');
    expect(limit(cost(1e6, 1e6), 100, 157)).toBe('latency');
  });
  it('is bandwidth where the programs ask for the same bytes again and again', () => {
    expect(limit(cost(6e6, 1e6, 60e6), 100)).toBe('bandwidth');
    expect(limit(cost(6e6, 1e6, 59e6), 100)).toBe('latency');
  });
  it('has numbers by which it can be followed', () => {
    expect(verdictOf(cost(60e6, 1e8, 90e6), { median: 100, quantum: 1 }, device, 10)).toEqual({
      limit: 'bandwidth',
      time: 100,
      memory: 60,
      arithmetic: 10,
      requested: 90,
      empty: 5,
      threads: 1280,
      halfRateThreads: 20_000,
    });
  });
  it('is missing without a calibration and below the step of the clock', () => {
    expect(verdictOf(cost(1e6, 0), { median: 5, quantum: 1 }, null, 1)).toBeNull();
    expect(verdictOf(cost(1e6, 0), { median: 5, quantum: 6 }, device, 1)).toBeNull();
  });
  it('leaves out what was not measured of the device', () => {
    const { emptyLaunch: _, halfRateThreads: __, ...roofs } = device;
    expect(limit(cost(1e6, 0), 9.9, 1, roofs)).toBe('latency');
    const coarse = { ...device, emptyLaunch: 0 };
    const verdict = verdictOf(cost(1e6, 0), { median: 9.9, quantum: 1 }, coarse, 1);
    expect(verdict?.empty).toBeNull();
  });
});
