/**
 * State of a launch of workgroups while it runs: where its programs are, its memories, and what it
 * reports, prints and finds.
 */
import type { ThreadBlock, ThreadOp } from '../../ir/thread/ir';
import type { ThreadKernel } from '../../ir/thread/kernel';
import { Findings } from './findings';
import type { Memory } from './memory';

/** How lanes of 32 met in the 32 banks of shared memory, by operation. */
export interface BankCount {
  /** Accesses of a warp. */
  accesses: number;
  /** Transactions that they took beyond the least. */
  conflicts: number;
}
export interface PrintedWord {
  readonly program: number;
  readonly iteration: number;
  readonly site: number;
  readonly index: number;
  readonly low: number;
  readonly high: number;
}
export interface FailedAssertion {
  readonly program: number;
  readonly site: number;
  readonly index: number;
}

/** Whether an operation of the block, or of a region in it, is one of those. */
export function some({ ops }: ThreadBlock, is: (op: ThreadOp) => boolean): boolean {
  return ops.some((op) => is(op) || op.regions.some((region) => some(region, is)));
}
const isAtomic = ({ name }: ThreadOp): boolean => name.startsWith('thread.atomic_');

export class WorkgroupState {
  readonly lanes: number;
  /** Lanes of a subgroup; those of the workgroup where the kernel does not say. */
  readonly subgroup: number;
  /**
   * Whether subgroups run one after the other up to a barrier, as the target's do. Atomics are left
   * in step: any order of theirs is right, and results may tell which it was.
   */
  readonly inTurn: boolean;
  /** The grid's coordinates of each lane's program. */
  readonly programId: readonly [Uint32Array, Uint32Array, Uint32Array];
  /** The linear index of each lane's program. */
  readonly programs: Uint32Array;
  readonly findings: Findings;
  readonly banks = new Map<ThreadOp, BankCount>();
  readonly printed: PrintedWord[] = [];
  readonly failed: FailedAssertion[] = [];
  readonly memories: Memory[] = [];
  /** How often a thread has printed. */
  readonly iterations: Uint32Array;
  readonly report: Uint32Array;

  constructor(
    readonly kernel: ThreadKernel,
    reportWords: number,
    readonly countBanks: boolean,
    readonly watchTensors: boolean,
    stopAtFirst: boolean,
    /** Called with the number of steps before they run, one a lane. */
    readonly tick: (steps: number) => void,
    inStep = true,
  ) {
    this.findings = new Findings(stopAtFirst);
    this.lanes = kernel.threads * kernel.programs;
    const size = kernel.subgroupSize || Number(kernel.func.attributes['subgroupSize'] ?? 0);
    this.subgroup = size || this.lanes;
    const { attributes, body } = kernel.func;
    this.inTurn = !inStep && attributes['subgroupsInTurn'] === true && !some(body, isAtomic);
    const plane = (): Uint32Array => new Uint32Array(this.lanes);
    this.programId = [plane(), plane(), plane()];
    this.programs = plane();
    this.iterations = plane();
    this.report = new Uint32Array(reportWords);
  }

  /** A barrier of these memories. */
  barrier(workgroup: boolean, storage: boolean): void {
    for (const { type, shadow } of this.memories)
      if (type.space === 'workgroup' ? workgroup : storage) shadow?.barrier();
  }
  /** The workgroup begins whose first program has this linear index (x fastest). */
  enter(program: number, [x, y]: readonly [number, number, number]): void {
    const { programs, threads } = this.kernel;
    for (let lane = 0; lane < this.lanes; lane++) {
      const linear = programs > 1 ? program + Math.floor(lane / threads) : program;
      this.programs[lane] = linear;
      this.programId[0][lane] = linear % x;
      this.programId[1][lane] = Math.floor(linear / x) % y;
      this.programId[2][lane] = Math.floor(linear / (x * y));
    }
    this.restart();
  }
  /** Another workgroup begins: its memory is zeros. */
  restart(): void {
    this.iterations.fill(0);
    for (const { type, bytes, shadow } of this.memories) {
      if (type.space === 'workgroup') bytes.fill(0);
      shadow?.restart();
    }
  }
}
