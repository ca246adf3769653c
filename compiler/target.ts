/**
 * The machine that is compiled for, as a value. The compiler never queries a GPU; the runtime makes
 * a target from its adapter, `targets/` has those of known GPUs, tests make any they like.
 */
import { GPU_FACTS, type MachineFacts } from './machine';

export interface Target {
  /** For messages only: "NVIDIA H200", "SwiftShader". */
  readonly name: string;
  /**
   * Lanes of a subgroup; `none` without the `subgroups` feature, or where the size is not fixed.
   */
  readonly subgroupSize: 'none' | 4 | 8 | 16 | 32 | 64 | 128;
  /** `subgroup-size-control`: the kernel must ask for `subgroupSize`, the adapter has several. */
  readonly subgroupSizeControl?: boolean;
  /** `shader-f16`. */
  readonly f16: boolean;
  /**
   * `f16(x)` of an f32 rounds to the nearest, ties to even, as Triton does. WGSL leaves it open;
   * the runtime tries it out. Elsewhere it is done in integers, at a dozen instructions.
   */
  readonly f16RoundsToNearest?: boolean;
  /** So does `pack2x16float`, which rounds two in one instruction, beyond the largest half too. */
  readonly f16PacksToNearest?: boolean;
  /**
   * Without `shader-f16`: `pack2x16float` and `unpack2x16float` give every half's bits and value;
   * where it says `round`, they also round any number to the nearest half, one after the other too.
   * Elsewhere each is a dozen operations on integers.
   */
  readonly f16ByPacking?: 'move' | 'round';
  /**
   * `f32(f16(x))` is `x` unrounded, as Mesa's drivers have it: what is rounded and widened again is
   * rounded in integers, which they cannot see through.
   */
  readonly f16CastsElided?: boolean;
  /** `exp(NaN)` is a number there, or `log(-1)` (`app/runtime/gpu/probes.ts`). */
  readonly functionsDropNan?: boolean;
  /** WGSL's `max` and `min` of a NaN and a number are the number, as Triton's are by default. */
  readonly extremaDropNan?: boolean;
  /**
   * Arithmetic takes denormals for 0, and gives 0 for them. Where a factor is made of an integer's
   * bits, as dequantization makes it, the product is computed in integers then.
   */
  readonly flushesDenormals?: boolean;
  /**
   * Reading a storage buffer beyond the end of its binding gives 0, however far: WebGPU promises
   * only that nothing else is harmed. The runtime tries it out. Prefetched loads then need
   * no branch.
   */
  readonly readsZeroOutside?: boolean;
  /** Bytes of workgroup memory. */
  readonly maxWorkgroupBytes: number;
  /** Threads of a workgroup. */
  readonly maxInvocations: number;
  /**
   * Communication of threads goes through a storage buffer, a stretch for each program, and not
   * through workgroup memory: where `zeroInitializesSlowly`, or where that memory is too small.
   */
  readonly sharedMemoryInStorage?: boolean;
  /**
   * A launch may be cut into dispatches of some of its programs each, where nobody could stop one
   * that takes minutes: kernels add the word `program` to the index of a workgroup.
   */
  readonly slicedLaunches?: boolean;
  /**
   * Bytes of WGSL's `immediate` variables: a launch's words travel with its commands where they
   * fit, else in a uniform buffer. None where it is missing; the runtime tries it out
   * (`app/runtime/gpu/probes.ts`).
   */
  readonly immediateBytes?: number;
  readonly maxStorageBuffers: number;
  readonly maxStorageBindingBytes: number;
  readonly maxWorkgroupsPerDimension: number;
  /** Subgroup matrix configurations: component and result types and M, N, K. */
  readonly subgroupMatrices: readonly SubgroupMatrix[];
  /** The feature that they come with, where it is WebGPU's own; absent: Chromium's experiment. */
  readonly subgroupMatrixFeature?: 'subgroup-matrix';
  /** Absent: `GPU_FACTS`. */
  readonly machine?: MachineFacts;
}
export interface SubgroupMatrix {
  readonly component: 'f16' | 'f32' | 'i8' | 'u8';
  readonly result: 'f16' | 'f32' | 'i32' | 'u32';
  readonly M: number;
  readonly N: number;
  readonly K: number;
}

/**
 * An index that no binding holds, of an array of vectors of so many words; its bytes fit in 32
 * bits.
 */
export function indexPastEnd(words: 1 | 2 | 4): number {
  return Math.floor(0xffffffff / (4 * words));
}

/** The feature that subgroup matrices come with, and the name that WGSL enables. */
export function matrixFeatureOf({ subgroupMatrixFeature }: Pick<Target, 'subgroupMatrixFeature'>): {
  readonly feature: string;
  readonly name: string;
} {
  const feature = subgroupMatrixFeature ?? 'chromium-experimental-subgroup-matrix';
  return { feature, name: feature.replaceAll('-', '_') };
}

/** How the machine behaves. */
export function machineOf({ machine }: Pick<Target, 'machine'>): MachineFacts {
  return machine ?? GPU_FACTS;
}

/** The least that WebGPU promises: every adapter can run what is compiled for it. */
export const BASELINE_TARGET: Target = {
  name: 'WebGPU baseline',
  subgroupSize: 'none',
  f16: false,
  maxWorkgroupBytes: 16_384,
  maxInvocations: 256,
  maxStorageBuffers: 8,
  maxStorageBindingBytes: 134_217_728,
  maxWorkgroupsPerDimension: 65_535,
  subgroupMatrices: [],
};
