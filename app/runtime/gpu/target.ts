/**
 * The machine as the compiler sees it, read off a WebGPU device: the features that were requested
 * and the limits that were granted, not what the adapter could do. No Node and no DOM API.
 */
import { adapterName } from './adapterName';
import type { SubgroupMatrix, Target } from '../../../compiler/target';
import { machineFor } from './profileFor';

/** Features the compiler and the runtime can use; each is requested where the adapter has it. */
const WANTED_FEATURES = [
  'timestamp-query',
  'shader-f16',
  'subgroups',
  'subgroup-size-control',
  'subgroup-matrix',
  'chromium-experimental-subgroup-matrix',
] as const;

/** The feature of subgroup matrices that a device has: WebGPU's own, else Chromium's experiment. */
export function matrixFeature(
  features: Pick<GPUSupportedFeatures, 'has'>,
): 'subgroup-matrix' | 'chromium-experimental-subgroup-matrix' | undefined {
  return (['subgroup-matrix', 'chromium-experimental-subgroup-matrix'] as const).find((name) =>
    features.has(name as GPUFeatureName),
  );
}

/** Fields of `adapter.info` beyond the standard type. */
export type ExtendedAdapterInfo = GPUAdapterInfo & {
  readonly subgroupMatrixConfigs?: readonly {
    readonly componentType: string;
    readonly resultComponentType: string;
    readonly M: number;
    readonly N: number;
    readonly K: number;
  }[];
};

/** The descriptor that requests all of its limits and the features of use to us. */
export function deviceDescriptor(adapter: GPUAdapter): GPUDeviceDescriptor {
  const requiredLimits: Record<string, number> = {};
  const limits = adapter.limits as unknown as Record<string, unknown>;
  for (const name in limits) {
    const limit = limits[name];
    if (typeof limit === 'number') requiredLimits[name] = limit;
  }
  const requiredFeatures = WANTED_FEATURES.filter((name) =>
    adapter.features.has(name),
  ) as GPUFeatureName[];
  return { requiredFeatures, requiredLimits };
}

/** The target to compile for. */
export function targetOf(info: ExtendedAdapterInfo, device: GPUDevice): Target {
  const limits = device.limits;
  const sizeControl = device.features.has('subgroup-size-control' as GPUFeatureName);
  const least = info.subgroupMinSize ?? 0;
  const fixed = least > 0 && (least === info.subgroupMaxSize || sizeControl);
  const size = device.features.has('subgroups') && fixed ? Math.max(least, 4) : 0;
  const machine = machineFor(info);
  const feature = matrixFeature(device.features);
  return {
    name: adapterName(info),
    subgroupSize: isSubgroupSize(size) ? size : 'none',
    subgroupSizeControl: sizeControl && least !== info.subgroupMaxSize,
    f16: device.features.has('shader-f16'),
    maxWorkgroupBytes: limits.maxComputeWorkgroupStorageSize,
    maxInvocations: Math.min(
      limits.maxComputeInvocationsPerWorkgroup,
      limits.maxComputeWorkgroupSizeX,
    ),
    sharedMemoryInStorage: machine.zeroInitializesSlowly,
    slicedLaunches: machine.computesOn === 'cpu',
    maxStorageBuffers: limits.maxStorageBuffersPerShaderStage,
    maxStorageBindingBytes: limits.maxStorageBufferBindingSize,
    maxWorkgroupsPerDimension: limits.maxComputeWorkgroupsPerDimension,
    subgroupMatrices: feature ? matrices(info) : [],
    ...(feature === 'subgroup-matrix' ? { subgroupMatrixFeature: feature } : {}),
    machine,
  };
}

function isSubgroupSize(size: number): size is Exclude<Target['subgroupSize'], 'none'> {
  return [4, 8, 16, 32, 64, 128].includes(size);
}

function matrices(info: ExtendedAdapterInfo): SubgroupMatrix[] {
  return [...(info.subgroupMatrixConfigs ?? [])].map((config) => ({
    component: config.componentType as SubgroupMatrix['component'],
    result: config.resultComponentType as SubgroupMatrix['result'],
    M: config.M,
    N: config.N,
    K: config.K,
  }));
}
