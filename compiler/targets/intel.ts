/**
 * Intel's GPUs. Through D3D12 their subgroups have 8, 16 or 32 lanes as the driver likes, and one
 * that WebGPU reports may not be one that a compute shader can have (gpuweb/gpuweb#6241).
 */
import type { SubgroupMatrix } from '../target';
import { THROUGH_D3D12 } from './dawn';
import { given, profile, type Given, type Profile } from './profile';

const D3D12: Given = given('gpuweb/gpuweb#6241: several sizes', { subgroupSize: 'none' });

const matrix = (result: 'f16' | 'f32'): SubgroupMatrix => ({
  ...{ component: 'f16', result },
  ...{ M: 8, N: 16, K: 16 },
});
const ONNX =
  'onnxruntime, subgroup_matrix_matmul_nbits.cc: xe-2lpg through Vulkan, subgroups of 16 to 32; ' +
  'ggml-org/llama.cpp#21669: the same of an Arc B580 with Mesa 25.2.8';
const VULKAN: Given = given(ONNX, {
  f16: true,
  subgroupSize: 16,
  subgroupMatrices: [matrix('f16'), matrix('f32')],
});
const CONTROL: Given = given('gpuweb/gpuweb#5578, in Chrome since 152', {
  subgroupSizeControl: true,
});

export const INTEL: readonly Profile[] = [
  profile('intel-xe-lp', 'Intel Xe-LP', THROUGH_D3D12, D3D12),
  profile('intel-xe2', 'Intel Xe2', THROUGH_D3D12, D3D12),
  profile('intel-xe2-matrices', 'Intel Xe2 with subgroup matrices, Vulkan', VULKAN, CONTROL),
];
