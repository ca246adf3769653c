/**
 * The profile of an adapter, by its name: the only place where code reads one. Of the profile the
 * facts of the machine count. Limits and features come from the device (`target.ts`), what it
 * computes from probes (`probes.ts`), and both stand before the profile.
 */
import { GPU_FACTS, type MachineFacts } from '../../../compiler/machine';
import { findProfile, type Profile } from '../../../compiler/targets/index';

export type AdapterNames = Pick<
  GPUAdapterInfo,
  'vendor' | 'architecture' | 'device' | 'description'
>;

/** The first that fits `description device vendor architecture`. */
const PROFILES: readonly (readonly [names: RegExp, id: string])[] = [
  [/swiftshader/i, 'swiftshader'],
  [/llvmpipe|lavapipe/i, 'lavapipe'],
  [/basic render/i, 'warp'],
  [/\bH200\b/, 'h200'],
  [/\bH100\b|nvidia hopper/i, 'h100'],
  [/nvidia/i, 'geforce-vulkan'],
  [/amd rdna-2/i, 'amd-rdna2'],
  [/amd rdna-3/i, 'amd-rdna3'],
  [/intel gen-12lp/i, 'intel-xe-lp'],
  [/intel xe-2/i, 'intel-xe2'],
  [/apple/i, 'apple-m1'],
  [/qualcomm|adreno/i, 'adreno'],
  [/\barm\b|mali\b/i, 'mali'],
];

export function profileFor(info: AdapterNames): Profile | undefined {
  const { vendor, architecture, device, description } = info;
  const text = `${description} ${device} ${vendor} ${architecture}`;
  const id = PROFILES.find(([names]) => names.test(text))?.[1];
  return id === undefined ? undefined : findProfile(id);
}

export function machineFor(info: AdapterNames): MachineFacts {
  return profileFor(info)?.target.machine ?? GPU_FACTS;
}
