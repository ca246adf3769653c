/** Facts of adapters by the names that browsers and Dawn report. */
import { expect, it } from 'vitest';
import { machineFor } from './profileFor';

const info = (
  vendor: string,
  architecture: string,
  device = '',
  description = '',
): Parameters<typeof machineFor>[0] => ({ vendor, architecture, device, description });

it.each([
  [info('google', 'swiftshader'), 'cpu'],
  [info('google', 'swiftshader', '', 'SwiftShader driver-5.0.0'), 'cpu'],
  [info('mesa', 'software', '', 'llvmpipe: Mesa 25.0.7 (LLVM 15.0.6)'), 'cpu'],
  [info('microsoft', 'warp', '', 'Microsoft Basic Render Driver'), 'cpu'],
  [info('nvidia', 'hopper', '', 'NVIDIA H200'), 'gpu'],
  [info('apple', 'metal-3'), 'gpu'],
  [info('', ''), 'gpu'],
] as const)('finds what computes on %o', (adapter, computesOn) => {
  expect(machineFor(adapter).computesOn).toBe(computesOn);
});
