/** Drivers that compute on the CPU. */
import { CPU_FACTS } from '../machine';
import { given, profile, type Given, type Profile } from './profile';

const MACHINE: Given = given(
  'measured: SwiftShader 5.0.0, 2026-11-20 to 24 (docs/measurements.md, docs/tried.md)',
  { sharedMemoryInStorage: true, slicedLaunches: true },
  CPU_FACTS,
);
const SAME: Given = given('as measured on SwiftShader', MACHINE.fields, MACHINE.machine);

const SWIFTSHADER: Given = given(
  'measured: SwiftShader 5.0.0 of Chromium 156, Dawn (webgpu 0.6.2), 2026-11-24',
  {
    f16: false,
    subgroupSize: 4,
    maxWorkgroupBytes: 32_768,
    maxInvocations: 256,
    maxStorageBuffers: 12,
    maxStorageBindingBytes: 1_073_741_824,
    maxWorkgroupsPerDimension: 65_535,
    subgroupMatrices: [],
    f16CastsElided: false,
    functionsDropNan: true,
    extremaDropNan: false,
    flushesDenormals: true,
    readsZeroOutside: false,
    immediateBytes: 64,
  },
);
const LAVAPIPE: Given = given(
  'measured: lavapipe of Mesa 25.0.7 (LLVM 15, 256 bits), Dawn (webgpu 0.6.2), 2026-11-24',
  {
    f16: true,
    subgroupSize: 8,
    maxWorkgroupBytes: 32_768,
    maxInvocations: 1024,
    maxStorageBuffers: 16,
    maxStorageBindingBytes: 134_217_728,
    maxWorkgroupsPerDimension: 65_535,
    subgroupMatrices: [],
    f16RoundsToNearest: true,
    f16CastsElided: true,
    functionsDropNan: false,
    extremaDropNan: true,
    flushesDenormals: false,
    readsZeroOutside: true,
    immediateBytes: 64,
  },
);

export const SOFTWARE: readonly Profile[] = [
  profile('swiftshader', 'SwiftShader', MACHINE, SWIFTSHADER),
  profile('lavapipe', 'lavapipe', SAME, LAVAPIPE),
  profile('warp', 'Microsoft WARP', SAME),
];
