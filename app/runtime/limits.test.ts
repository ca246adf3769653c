/** Values from the adapter, and values from the options. */
import { describe, expect, it } from 'vitest';
import type { AdapterInfo, RunOptions } from '../events';
import { computesOnCpu, defaultMaxBytes, maxTotalBytes, resolveOptions } from './limits';

function adapter(onCpu: boolean, kind: AdapterInfo['kind'] = 'webgpu'): AdapterInfo {
  return { kind, name: 'x', vendor: '', architecture: '', reason: null, onCpu };
}
const [CPU, GPU] = [adapter(true), adapter(false)];
const OPTIONS: RunOptions = { adapter: 'webgpu', maxBytes: null, check: false, seed: 0 };

describe('limits', () => {
  it('counts the interpreter, and no adapter at all, as the CPU', () => {
    expect(computesOnCpu(CPU)).toBe(true);
    expect(computesOnCpu(GPU)).toBe(false);
    expect(computesOnCpu(adapter(false, 'interpreter'))).toBe(true);
    expect(computesOnCpu(null)).toBe(true);
  });
  it('bounds all tensors together where their memory is the computer’s', () => {
    expect(maxTotalBytes(1000, CPU)).toBe(8000);
    expect(maxTotalBytes(1000, GPU)).toBe(Infinity);
  });
  it('fills in what is left open', () => {
    const software = resolveOptions(OPTIONS, CPU);
    const hardware = resolveOptions(OPTIONS, GPU);
    expect(software.maxBytes).toBe(defaultMaxBytes(CPU));
    expect(hardware.maxBytes).toBeGreaterThan(software.maxBytes);
    expect(hardware.chartSeconds).toBeGreaterThan(software.chartSeconds);
    expect(hardware.tuneSeconds).toBe(Infinity);
    expect(software.tuneSeconds).toBeLessThan(60);
  });
  it('keeps what is said; 0 seconds are no limit', () => {
    const options = { ...OPTIONS, maxBytes: 7, chartSeconds: 3, tuneSeconds: 4 };
    expect(resolveOptions(options, CPU)).toEqual(options);
    const endless = resolveOptions({ ...options, chartSeconds: 0 }, CPU);
    expect(endless.chartSeconds).toBe(Infinity);
  });
});
