/** Apple's GPUs through Metal. WebGPU names all of them `metal-3`. */
import type { SubgroupMatrix } from '../target';
import { given, profile, type Given, type Profile } from './profile';

const REPORT =
  'public report: Mac with 10 cores and 32 GiB, Chrome 151.0.7922.138, apple metal-3, 2026-08-15 ' +
  '("M0 capability probe results")';

const METAL: Given = given(REPORT, {
  f16: true,
  subgroupSize: 32,
  maxWorkgroupBytes: 32_768,
  maxInvocations: 1024,
  maxStorageBuffers: 10,
  maxStorageBindingBytes: 4_294_967_292,
  maxWorkgroupsPerDimension: 65_535,
  subgroupMatrices: [],
});

const square = (type: 'f16' | 'f32'): SubgroupMatrix => ({
  ...{ component: type, result: type },
  ...{ M: 8, N: 8, K: 8 },
});
/** With Chrome's `--enable-unsafe-webgpu`. */
const MATRICES: Given = given('Dawn’s Metal backend, read in August 2026', {
  subgroupMatrices: [square('f16'), square('f32')],
});

export const APPLE: readonly Profile[] = [
  profile('apple-m1', 'Apple M1', METAL),
  profile('apple-m4', 'Apple M4', METAL),
  profile('apple-m4-matrices', 'Apple M4 with subgroup matrices', METAL, MATRICES),
];
