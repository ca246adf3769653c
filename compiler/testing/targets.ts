/** Targets that tests of several parts share. */
import { BASELINE_TARGET, type Target } from '../target';

/** Subgroup matrices as NVIDIA's under Vulkan, of halves and of bytes. */
export const MATRIX_TARGET: Target = {
  ...BASELINE_TARGET,
  name: 'subgroup matrices',
  subgroupSize: 32,
  f16: true,
  maxWorkgroupBytes: 49_152,
  maxInvocations: 1024,
  subgroupMatrices: [
    { component: 'f16', result: 'f32', M: 16, N: 16, K: 16 },
    { component: 'i8', result: 'i32', M: 16, N: 16, K: 32 },
  ],
};
