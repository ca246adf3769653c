/** Profiles of adapters by the names that browsers and Dawn report. */
import { expect, it } from 'vitest';
import { machineFor, profileFor, type AdapterNames } from './profileFor';

const info = (
  vendor: string,
  architecture: string,
  device = '',
  description = '',
): AdapterNames => ({ vendor, architecture, device, description });

it.each([
  [info('google', 'swiftshader'), 'swiftshader', 'cpu'],
  [info('google', 'swiftshader', 'x', 'SwiftShader driver-5.0.0'), 'swiftshader', 'cpu'],
  [info('mesa', 'software', '', 'llvmpipe: Mesa 25.0.7 (LLVM 15.0.6)'), 'lavapipe', 'cpu'],
  [info('microsoft', 'warp', '', 'Microsoft Basic Render Driver'), 'warp', 'cpu'],
  [info('nvidia', 'hopper', '', 'NVIDIA H200'), 'h200', 'gpu'],
  [info('nvidia', 'hopper'), 'h100', 'gpu'],
  [info('nvidia', 'lovelace', '0x2786', 'NVIDIA GeForce RTX 4070'), 'geforce-vulkan', 'gpu'],
  [info('apple', 'metal-3'), 'apple-m1', 'gpu'],
  [info('amd', 'rdna-3'), 'amd-rdna3', 'gpu'],
  [info('intel', 'gen-12lp'), 'intel-xe-lp', 'gpu'],
  [info('intel', 'xe-2lpg'), 'intel-xe2', 'gpu'],
  [info('qualcomm', 'adreno-8xx'), 'adreno', 'gpu'],
  [info('arm', 'valhall'), 'mali', 'gpu'],
  [info('', ''), undefined, 'gpu'],
] as const)('finds that of %o', (adapter, id, computesOn) => {
  expect(profileFor(adapter)?.id).toBe(id);
  expect(machineFor(adapter).computesOn).toBe(computesOn);
});
