/**
 * NVIDIA's GPUs: GeForce in browsers, H100 and H200 as this project measures them (Dawn in Node,
 * with the toggles that let halves and subgroup matrices through).
 */
import type { SubgroupMatrix } from '../target';
import { THROUGH_D3D12 } from './dawn';
import { given, profile, type Given, type Profile } from './profile';

const WARPS: Given = given(
  'NVIDIA, CUDA C++ Programming Guide: warps of 32 threads, 32 banks of shared memory',
  { subgroupSize: 32 },
  { banks: 32 },
);
const D3D12: Given = given(
  'public report: RTX 4070, Windows, Chrome 150, 2026-07-14 ("Mobile Matrix")',
  { f16: true, maxInvocations: 1024, maxStorageBindingBytes: 2_147_483_644 },
);
const VULKAN: Given = given('webgpu/webgpureport.org#3: Chrome 116 on Linux, 2023-06-25', {
  maxWorkgroupBytes: 49_152,
  maxInvocations: 1024,
  maxStorageBuffers: 8,
  maxStorageBindingBytes: 2_147_483_644,
  maxWorkgroupsPerDimension: 65_535,
});
const HIDDEN: Given = given('Dawn, toggle vulkan_enable_f16_on_nvidia: off by default', {
  f16: false,
  subgroupMatrices: [],
});

type Shape = readonly [M: number, N: number, K: number];
const matrices = (
  component: SubgroupMatrix['component'],
  result: SubgroupMatrix['result'],
  shapes: readonly Shape[],
): SubgroupMatrix[] => shapes.map(([M, N, K]) => ({ component, result, M, N, K }));
const OF_HALVES: readonly Shape[] = [
  [16, 16, 16],
  [16, 8, 16],
  [16, 8, 8],
];
const OF_BYTES: readonly Shape[] = [
  [16, 16, 32],
  [16, 8, 32],
];
const HOPPER: Given = given(
  'measured: one H200, Vulkan, driver 580.159, Dawn (webgpu 0.6.2) with allow_unsafe_apis and ' +
    'vulkan_enable_f16_on_nvidia, 2026-11-21 (docs/measurements.md)',
  {
    f16: true,
    subgroupSize: 32,
    maxWorkgroupBytes: 49_152,
    maxInvocations: 1024,
    maxStorageBuffers: 16,
    maxStorageBindingBytes: 2_147_483_644,
    // Predicated prefetch was measured with it (`4-distribute/dots/fma.ts`).
    readsZeroOutside: true,
    subgroupMatrices: [
      ...matrices('f16', 'f16', OF_HALVES),
      ...matrices('f16', 'f32', OF_HALVES),
      ...matrices('i8', 'i32', OF_BYTES),
      ...matrices('u8', 'u32', OF_BYTES),
    ],
  },
);
const SAME: Given = given('as measured on an H200: the same architecture and driver', {
  ...HOPPER.fields,
});

export const NVIDIA: readonly Profile[] = [
  profile('geforce-d3d12', 'NVIDIA GeForce, D3D12', THROUGH_D3D12, WARPS, D3D12),
  profile('geforce-vulkan', 'NVIDIA GeForce, Vulkan', VULKAN, WARPS, HIDDEN),
  profile('h100', 'NVIDIA H100', WARPS, SAME),
  profile('h200', 'NVIDIA H200', WARPS, HOPPER),
];
