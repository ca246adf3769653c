/**
 * How the machine behind a target behaves, where WebGPU reports nothing of it. Each fact has a
 * meaning of its own, and code reads the fact that it depends on, never an adapter's name.
 * Values come from the profiles (`targets/`), which state their sources.
 *
 * Guarantee: a fact that is stated and does not hold costs time, never a result. Of one that holds
 * and is not stated the same is true, except `subgroupsInTurn`: such a machine then lacks the
 * barriers of `order_stores`.
 */
export interface MachineFacts {
  /**
   * The processor that runs the kernels. A CPU is a thousand times slower, and the page and the
   * operating system need its cores: runs have smaller limits (`app/runtime/limits.ts`), launches
   * are cut into slices, loops without a bound get fewer operations (`bound_loops`), and rates are
   * measured with less data (`app/runtime/gpu/calibration.ts`).
   */
  readonly computesOn: 'gpu' | 'cpu';
  /**
   * The subgroups of a workgroup run one after the other up to a barrier. What one of them stores
   * is there when the next one loads: `order_stores` puts barriers between, and `bound_loops`
   * looks before each loop whether a thread before has run out.
   */
  readonly subgroupsInTurn: boolean;
  /**
   * A barrier switches between the stacks of subgroups, at the price of hundreds of operations:
   * kernels without dots take one subgroup where their tiles can be walked in loops
   * (`4-distribute/choices.ts`).
   */
  readonly costlyBarriers: boolean;
  /**
   * Workgroup memory is as far away as cached global memory: dots read their operands where they
   * are (`4-distribute/dots/direct.ts`), and none is prefetched into registers.
   */
  readonly flatMemory: boolean;
  /** Banks of workgroup memory that one subgroup can reach at once; 0: it has none. */
  readonly banks: number;
  /**
   * A branch is run with the lanes masked, whichever way they take, and merges all that it changes.
   * Loads out of range are selected, not branched over; reports are straight code, deferred from
   * loops; loops have versions without tests (`version_loops`) and their test at the bottom
   * (`rotate_loops`).
   */
  readonly masksBranches: boolean;
  /**
   * The driver takes a millisecond for each operation of a kernel: less is unrolled, tiles are
   * loops instead of named registers, and kernels above 20 000 lines are refused (HC0510).
   */
  readonly compilesSlowly: boolean;
  /**
   * A core keeps little decoded code. Where a launch has many programs, several run in the lanes of
   * one thread's code (`gridOptions`), and loops over stores are unrolled less than over reductions
   * (`unroll_register_loops`).
   */
  readonly smallCodeCache: boolean;
  /**
   * The vector instructions lack unsigned comparisons and integer division, which are done lane by
   * lane: signed comparisons and shifts stand for them.
   */
  readonly signedVectorsOnly: boolean;
  /**
   * Zeros that WebGPU puts into workgroup memory cost compile time, a millisecond a word: shared
   * memory lies in a storage buffer (`Target.sharedMemoryInStorage`).
   */
  readonly zeroInitializesSlowly: boolean;
}

/** Registers of a thread above which fewer threads fit a core. */
export const MANY_REGISTERS = 64;

/** The default: what holds of the GPUs that were measured, and is assumed of others. */
export const GPU_FACTS: MachineFacts = {
  computesOn: 'gpu',
  subgroupsInTurn: false,
  costlyBarriers: false,
  flatMemory: false,
  banks: 32,
  masksBranches: false,
  compilesSlowly: false,
  smallCodeCache: false,
  signedVectorsOnly: false,
  zeroInitializesSlowly: false,
};

/** Drivers that compute on the CPU. */
export const CPU_FACTS: MachineFacts = {
  computesOn: 'cpu',
  subgroupsInTurn: true,
  costlyBarriers: true,
  flatMemory: true,
  banks: 0,
  masksBranches: true,
  compilesSlowly: true,
  smallCodeCache: true,
  signedVectorsOnly: true,
  zeroInitializesSlowly: true,
};
