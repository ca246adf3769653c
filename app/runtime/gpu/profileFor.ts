/**
 * What is known of an adapter by its name: the only place where code reads one. Limits and features
 * come from the device, and what it computes from probes (`probes.ts`).
 */
import { CPU_FACTS, GPU_FACTS, type MachineFacts } from '../../../compiler/machine';

/** SwiftShader, Mesa's llvmpipe (lavapipe in Vulkan) and Microsoft's WARP. */
const ON_THE_CPU = /swiftshader|llvmpipe|lavapipe|basic render/i;

export function machineFor(
  info: Pick<GPUAdapterInfo, 'vendor' | 'architecture' | 'device' | 'description'>,
): MachineFacts {
  const { vendor, architecture, device, description } = info;
  return ON_THE_CPU.test(`${description} ${device} ${vendor} ${architecture}`)
    ? CPU_FACTS
    : GPU_FACTS;
}
