/** A kernel in thread IR with what the module around it has to declare. */
import type { MachineFacts } from '../../machine';
import type { BoundsAccess, DebugSite } from '../../program';
import type { ThreadFunc } from './ir';

export interface ThreadKernel {
  readonly func: ThreadFunc;
  /** Threads of a program. */
  readonly threads: number;
  /** Programs of a workgroup: one, or one a thread. */
  readonly programs: number;
  /** Lanes of a subgroup where the kernel uses them; else 0. */
  readonly subgroupSize: number;
  /** Programs run one at a time, in order. */
  readonly oneByOne: boolean;
  /** Shared memory lies in a storage buffer. */
  readonly sharedInStorage: boolean;
  /** Bytes of workgroup memory that the kernel declares, or of its place in storage. */
  readonly workgroupBytes: number;
  /** Things that the launch's report names by index; `bound_loops` adds the loops. */
  readonly accesses: BoundsAccess[];
  /** How the machine that it is lowered for behaves. */
  readonly machine: MachineFacts;
  /** The launch reports to the host (`CompileOptions.checkBounds`). */
  readonly reports: boolean;
  readonly debugSites: readonly DebugSite[];
}

/**
 * The accesses as they are reported: those that the function names in `uncounted` at least so
 * often.
 */
export function reportedAccesses({ func, accesses }: ThreadKernel): readonly BoundsAccess[] {
  const uncounted = (func.attributes['uncounted'] ?? []) as readonly number[];
  return accesses.map((access, i) =>
    uncounted.includes(i) ? { ...access, counted: false } : access,
  );
}
