/** Features relied on where a device's compiler refuses a probe. */
import { expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn } from '../../cli/dawn';
import { probeDevice } from './probes';

const software = findSoftwareAdapter();

/** The device, with these of its properties in place of its own. */
function posing(device: GPUDevice, instead: Partial<Record<keyof GPUDevice, unknown>>): GPUDevice {
  return new Proxy(device, {
    get(target, name: keyof GPUDevice) {
      if (name in instead) return instead[name];
      const own = target[name] as unknown;
      return typeof own === 'function' ? (own.bind(target) as unknown) : own;
    },
  });
}

it.skipIf(software.kind === 'missing')(
  'does without halves that a browser offers and cannot compile as kernels use them',
  async () => {
    const { device } = await openDawn();
    const createShaderModule = (descriptor: GPUShaderModuleDescriptor): GPUShaderModule =>
      device.createShaderModule(
        descriptor.code.startsWith('enable f16') ? { code: 'refused' } : descriptor,
      );
    const features = new Set([...device.features, 'shader-f16']);
    const probed = await probeDevice(posing(device, { createShaderModule, features }));
    expect(probed).toMatchObject({ f16: false, subgroupMatrices: [], f16RoundsToNearest: false });
    expect(await probeDevice(device)).not.toHaveProperty('f16');
    device.destroy();
  },
);

it.skipIf(software.kind === 'missing')('finds whether arithmetic flushes denormals', async () => {
  const { device, adapter } = await openDawn();
  const { flushesDenormals } = await probeDevice(device);
  // SwiftShader flushes denormals, lavapipe does not.
  expect(flushesDenormals).toBe(adapter.info.architecture === 'swiftshader');
  device.destroy();
});
