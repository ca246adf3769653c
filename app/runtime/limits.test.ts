/** Values from the adapter, and values from the options. */
import { describe, expect, it } from 'vitest';
import type { AdapterInfo, RunOptions } from '../events';
import { defaultMaxBytes, isSoftware, resolveOptions } from './limits';

function adapter(name: string, kind: AdapterInfo['kind'] = 'webgpu'): AdapterInfo {
  return { kind, name, vendor: '', architecture: '', reason: null };
}
const OPTIONS: RunOptions = { adapter: 'webgpu', maxBytes: null, check: false, seed: 0 };

describe('limits', () => {
  it.each([
    ['SwiftShader driver 5.0.0', true],
    ['llvmpipe: Mesa 25.0.7', true],
    ['Microsoft Basic Render Driver', true],
    ['NVIDIA H200', false],
    ['apple metal-3', false],
  ])('finds whether %s computes on the CPU', (name, software) => {
    expect(isSoftware(adapter(name))).toBe(software);
  });
  it('counts the interpreter, and no adapter at all, as the CPU', () => {
    expect(isSoftware(adapter('x', 'interpreter'))).toBe(true);
    expect(isSoftware(null)).toBe(true);
  });
  it('fills in what is left open', () => {
    const software = resolveOptions(OPTIONS, adapter('SwiftShader'));
    const hardware = resolveOptions(OPTIONS, adapter('NVIDIA H200'));
    expect(software.maxBytes).toBe(defaultMaxBytes(adapter('SwiftShader')));
    expect(hardware.maxBytes).toBeGreaterThan(software.maxBytes);
    expect(hardware.chartSeconds).toBeGreaterThan(software.chartSeconds);
    expect(hardware.tuneSeconds).toBe(Infinity);
    expect(software.tuneSeconds).toBeLessThan(60);
  });
  it('keeps what is said; 0 seconds are no limit', () => {
    const options = { ...OPTIONS, maxBytes: 7, chartSeconds: 3, tuneSeconds: 4 };
    expect(resolveOptions(options, adapter('SwiftShader'))).toEqual(options);
    const endless = resolveOptions({ ...options, chartSeconds: 0 }, adapter('SwiftShader'));
    expect(endless.chartSeconds).toBe(Infinity);
  });
});
