/**
 * GPUs of phones, through Vulkan. Arm states that local memory of Mali GPUs lies in main memory
 * (OpenCL Developer Guide 100614, 7.3.2); `flatMemory` waits for a measurement.
 */
import { given, profile, type Given, type Profile } from './profile';

const HALVES: Given = given(
  'gpuweb/gpuweb#5006: the requirements of shader-f16 exclude all Qualcomm devices',
  { f16: false, subgroupMatrices: [] },
);

export const MOBILE: readonly Profile[] = [
  profile('adreno', 'Qualcomm Adreno', HALVES),
  profile('mali', 'Arm Mali'),
];
