/** A device that is lost while it is opened. */
import { expect, it } from 'vitest';
import { openGpu } from './gpuDevice';

/** Adapters of which each device is lost at its first call. */
function losing() {
  let asked = 0;
  const requestAdapter = (): Promise<GPUAdapter> => {
    asked++;
    const lost = Promise.resolve({ reason: 'unknown', message: 'a reset' });
    const device = new Proxy({} as Record<string, unknown>, {
      get: (_, name) => {
        if (name === 'then') return undefined;
        if (name === 'lost') return lost;
        if (name === 'features') return new Set();
        if (name === 'limits') return {};
        return () => {
          throw new DOMException('the device is lost', 'OperationError');
        };
      },
    });
    const info = { vendor: 'v', architecture: 'a', device: '', description: '' };
    return Promise.resolve({
      info,
      features: new Set(),
      limits: {},
      requestDevice: () => Promise.resolve(device),
    } as unknown as GPUAdapter);
  };
  return { gpu: { requestAdapter } as unknown as GPU, asked: () => asked };
}

it('tries another adapter where a device is lost while it is tried, but not for ever', async () => {
  const { gpu, asked } = losing();
  expect(await openGpu(gpu)).toEqual({
    ok: false,
    reason: 'WebGPU lost 3 devices in a row',
  });
  expect(asked()).toBe(3);
});
