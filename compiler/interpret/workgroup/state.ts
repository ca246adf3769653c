/** State of a launch of workgroups while it runs, and its findings. */
import type { Location } from '../../ir/location';
import type { ThreadOp } from '../../ir/thread/ir';
import type { ThreadKernel } from '../../ir/thread/kernel';
import type { Memory } from './memory';
import type { Hazard } from './shadow';

export type FindingKind =
  | Hazard
  /** A word of shared memory is read that nobody wrote. */
  | 'uninitialized'
  /** Some threads of a workgroup arrive at a barrier, and others do not. */
  | 'divergence'
  /** A subgroup operation needs a lane that does not take part. */
  | 'inactive'
  /** An index beyond the end of an array in shared or private memory. */
  | 'outside';
export interface Finding {
  readonly kind: FindingKind;
  readonly op: ThreadOp;
  /** For a race: the access before it. */
  readonly before: ThreadOp | undefined;
  readonly location: Location;
  readonly message: string;
  /** The memory's name, where one is concerned. */
  readonly memory: string | undefined;
}
/** How lanes of 32 met in the 32 banks of shared memory, by operation. */
export interface BankCount {
  /** Accesses of a warp. */
  accesses: number;
  /** Rounds that they took beyond the least. */
  conflicts: number;
}
export interface PrintedWord {
  readonly program: number;
  readonly turn: number;
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

/** Ends a run that looks for one finding. */
export class FoundOne extends Error {}

export class WorkgroupState {
  readonly lanes: number;
  /** Lanes of a subgroup; those of the workgroup where the kernel does not say. */
  readonly subgroup: number;
  /** The grid's coordinates of each lane's program. */
  readonly programId: readonly [Uint32Array, Uint32Array, Uint32Array];
  /** The linear index of each lane's program. */
  readonly programs: Uint32Array;
  readonly findings: Finding[] = [];
  readonly banks = new Map<ThreadOp, BankCount>();
  readonly printed: PrintedWord[] = [];
  readonly failed: FailedAssertion[] = [];
  readonly memories: Memory[] = [];
  /** How often a thread has printed. */
  readonly turns: Uint32Array;
  readonly report: Uint32Array;
  readonly #seen = new Set<string>();
  readonly #numbers = new Map<ThreadOp, number>();

  constructor(
    readonly kernel: ThreadKernel,
    reportWords: number,
    readonly countBanks: boolean,
    readonly watchTensors: boolean,
    private readonly stopAtFirst: boolean,
    /** Called with the number of steps before they run, one a lane. */
    readonly tick: (steps: number) => void,
  ) {
    this.lanes = kernel.threads * kernel.programs;
    const size = kernel.subgroupSize || Number(kernel.func.attributes['subgroupSize'] ?? 0);
    this.subgroup = size || this.lanes;
    const plane = (): Uint32Array => new Uint32Array(this.lanes);
    this.programId = [plane(), plane(), plane()];
    this.programs = plane();
    this.turns = plane();
    this.report = new Uint32Array(reportWords);
  }

  /** Every kind of finding once for an operation, and for the one before it. */
  find(kind: FindingKind, op: ThreadOp, message: string, memory?: Memory, before?: ThreadOp): void {
    const key = `${kind} ${this.#number(op)} ${before ? this.#number(before) : ''}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const { location } = op;
    this.findings.push({ kind, op, before, location, message, memory: memory?.name });
    if (this.stopAtFirst) throw new FoundOne();
  }
  #number(op: ThreadOp): number {
    const number = this.#numbers.get(op) ?? this.#numbers.size;
    this.#numbers.set(op, number);
    return number;
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
    this.turns.fill(0);
    for (const { type, bytes, shadow } of this.memories) {
      if (type.space === 'workgroup') bytes.fill(0);
      shadow?.restart();
    }
  }
}
