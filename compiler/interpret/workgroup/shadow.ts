/**
 * Shadow state of memory that the threads of a workgroup share: of each word, who wrote and who
 * read it since the last barrier, and whether anybody wrote it at all. Two accesses of one word by
 * different agents are a race unless both read, both are atomic, or a barrier stands between them.
 * An agent is a thread, or a subgroup's matrix operation, which is done by no lane in particular.
 */
import type { ThreadOp } from '../../ir/thread/ir';

export type Hazard = 'RAW' | 'WAR' | 'WAW';
export type ReportHazard = (
  hazard: Hazard | 'uninitialized',
  word: number,
  now: ThreadOp,
  before: ThreadOp | undefined,
  agents: readonly [number, number],
) => void;

/** Several agents had access to a word. */
const MANY = -2;

/** The last access of each word, of one kind. */
class LastAccesses {
  readonly #agent: Int32Array;
  readonly #epoch: Int32Array;
  readonly #op: Int32Array;

  constructor(words: number) {
    this.#agent = new Int32Array(words);
    this.#epoch = new Int32Array(words);
    this.#op = new Int32Array(words);
  }

  /** The agent, or `MANY`. */
  agent(word: number): number {
    return this.#agent[word]!;
  }
  op(word: number): number {
    return this.#op[word]!;
  }
  isOf(word: number, epoch: number): boolean {
    return this.#epoch[word] === epoch;
  }
  /** Whether another agent than this one had access in the epoch. */
  byAnother(word: number, epoch: number, agent: number): boolean {
    return this.#epoch[word] === epoch && this.#agent[word] !== agent;
  }
  set(word: number, epoch: number, agent: number, op: number): void {
    this.#epoch[word] = epoch;
    this.#agent[word] = agent;
    this.#op[word] = op;
  }
  setMany(word: number): void {
    this.#agent[word] = MANY;
  }
}

export class Shadow {
  #epoch = 1;
  readonly #written: Uint8Array;
  readonly #writes: LastAccesses;
  readonly #reads: LastAccesses;
  /** 1 where the last writers were atomic operations. */
  readonly #atomicWrite: Uint8Array;
  readonly #ops: ThreadOp[] = [];
  readonly #numbers = new Map<ThreadOp, number>();

  /**
   * @param initialized every word has a value from the start: a tensor, counters that begin at 0.
   */
  constructor(
    words: number,
    private readonly initialized: boolean,
    private readonly report: ReportHazard,
  ) {
    this.#written = new Uint8Array(words);
    this.#writes = new LastAccesses(words);
    this.#reads = new LastAccesses(words);
    this.#atomicWrite = new Uint8Array(words);
    if (initialized) this.#written.fill(1);
  }

  /** A number for an operation, to be given with its accesses. */
  numberOf(op: ThreadOp): number {
    let found = this.#numbers.get(op);
    if (found === undefined) {
      found = this.#ops.push(op) - 1;
      this.#numbers.set(op, found);
    }
    return found;
  }
  barrier(): void {
    this.#epoch++;
  }
  /** Another workgroup begins. */
  restart(): void {
    this.#epoch++;
    if (!this.initialized) this.#written.fill(0);
  }

  read(word: number, agent: number, op: number): void {
    const epoch = this.#epoch;
    if (this.#written[word] === 0) {
      this.#written[word] = 1;
      this.report('uninitialized', word, this.#ops[op]!, undefined, [agent, agent]);
    }
    if (this.#writes.byAnother(word, epoch, agent))
      this.#hazard('RAW', word, agent, op, this.#writes);
    if (!this.#reads.isOf(word, epoch)) this.#reads.set(word, epoch, agent, op);
    else if (this.#reads.agent(word) !== agent) this.#reads.setMany(word);
  }
  write(word: number, agent: number, op: number): void {
    this.#checkWrite(word, agent, op, false);
    this.#atomicWrite[word] = 0;
    this.#note(word, agent, op);
  }
  /** An atomic operation: it reads and writes. */
  atomic(word: number, agent: number, op: number): void {
    this.#checkWrite(word, agent, op, true);
    this.#atomicWrite[word] = 1;
    this.#note(word, agent, op);
  }

  #checkWrite(word: number, agent: number, op: number, atomic: boolean): void {
    const epoch = this.#epoch;
    const alike = atomic && this.#atomicWrite[word] === 1;
    if (this.#writes.byAnother(word, epoch, agent) && !alike)
      this.#hazard('WAW', word, agent, op, this.#writes);
    if (this.#reads.byAnother(word, epoch, agent))
      this.#hazard('WAR', word, agent, op, this.#reads);
  }
  #note(word: number, agent: number, op: number): void {
    this.#written[word] = 1;
    // Atomic operations of several lanes must each be kept apart from reads: none is the writer.
    const several =
      this.#atomicWrite[word] === 1 && this.#writes.byAnother(word, this.#epoch, agent);
    this.#writes.set(word, this.#epoch, several ? MANY : agent, op);
  }
  #hazard(kind: Hazard, word: number, agent: number, op: number, before: LastAccesses): void {
    const agents = [before.agent(word), agent] as const;
    this.report(kind, word, this.#ops[op]!, this.#ops[before.op(word)], agents);
  }
}
