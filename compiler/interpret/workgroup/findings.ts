/**
 * The faults of thread IR that a run of workgroups finds: races, reads of words that nobody wrote,
 * divergent barriers. Each kind is kept once for an operation and the one before it.
 */
import type { Location } from '../../ir/location';
import type { ThreadOp } from '../../ir/thread/ir';
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
/** Ends a run that looks for one finding. */
export class FoundOne extends Error {}

export class Findings {
  readonly #list: Finding[] = [];
  readonly #seen = new Set<string>();
  readonly #numbers = new Map<ThreadOp, number>();

  constructor(private readonly stopAtFirst: boolean) {}

  /** In the order in which they were found. */
  get list(): readonly Finding[] {
    return this.#list;
  }
  /** @throws FoundOne where the run ends at its first finding. */
  add(kind: FindingKind, op: ThreadOp, message: string, memory?: Memory, before?: ThreadOp): void {
    const key = `${kind} ${this.#number(op)} ${before ? this.#number(before) : ''}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const { location } = op;
    this.#list.push({ kind, op, before, location, message, memory: memory?.name });
    if (this.stopAtFirst) throw new FoundOne();
  }
  #number(op: ThreadOp): number {
    const number = this.#numbers.get(op) ?? this.#numbers.size;
    this.#numbers.set(op, number);
    return number;
  }
}
