/** Dawn opens on a software adapter and computes; where there is none, the suite says so aloud. */
import { describe, expect, it } from 'vitest';
import { dawnInstance, findSoftwareAdapter, openDawn } from './dawn';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

describe.skipIf(software.kind === 'missing')('dawn', () => {
  it('opens a software adapter and makes a target of it', async () => {
    const { target, device } = await openDawn();
    expect(target.name).toMatch(/swiftshader|llvmpipe/i);
    expect(target.maxInvocations).toBeGreaterThanOrEqual(256);
    expect(target.subgroupSize).not.toBe('none');
    expect(device.features.has('timestamp-query')).toBe(true);
  });
  it('makes one instance, also for two that ask at once', async () => {
    const options = { disable: ['timestamp_quantization'] };
    const [one, other] = await Promise.all([dawnInstance(options), dawnInstance(options)]);
    expect(one).toBe(other);
  });
});
