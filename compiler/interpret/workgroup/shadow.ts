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

/** Several agents have read a word. */
const MANY = -2;

export class Shadow {
  #epoch = 1;
  readonly #written: Uint8Array;
  readonly #writer: Int32Array;
  readonly #writeEpoch: Int32Array;
  readonly #writeOp: Int32Array;
  readonly #reader: Int32Array;
  readonly #readEpoch: Int32Array;
  readonly #readOp: Int32Array;
  /** 1 where the last writers, or readers, were atomic operations. */
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
    this.#writer = new Int32Array(words);
    this.#writeEpoch = new Int32Array(words);
    this.#writeOp = new Int32Array(words);
    this.#reader = new Int32Array(words);
    this.#readEpoch = new Int32Array(words);
    this.#readOp = new Int32Array(words);
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
    if (this.#writeEpoch[word] === epoch && this.#writer[word] !== agent)
      this.#hazard('RAW', word, agent, op, this.#writer[word]!, this.#writeOp[word]!);
    if (this.#readEpoch[word] !== epoch) {
      this.#readEpoch[word] = epoch;
      this.#reader[word] = agent;
      this.#readOp[word] = op;
    } else if (this.#reader[word] !== agent) this.#reader[word] = MANY;
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
    if (this.#writeEpoch[word] === epoch && this.#writer[word] !== agent && !alike)
      this.#hazard('WAW', word, agent, op, this.#writer[word]!, this.#writeOp[word]!);
    if (this.#readEpoch[word] === epoch && this.#reader[word] !== agent)
      this.#hazard('WAR', word, agent, op, this.#reader[word]!, this.#readOp[word]!);
  }
  #note(word: number, agent: number, op: number): void {
    this.#written[word] = 1;
    // Atomic operations of several lanes must each be kept apart from reads: none is the writer.
    const several =
      this.#atomicWrite[word] === 1 &&
      this.#writeEpoch[word] === this.#epoch &&
      this.#writer[word] !== agent;
    this.#writeEpoch[word] = this.#epoch;
    this.#writer[word] = several ? MANY : agent;
    this.#writeOp[word] = op;
  }
  #hazard(
    kind: Hazard,
    word: number,
    agent: number,
    op: number,
    other: number,
    before: number,
  ): void {
    this.report(kind, word, this.#ops[op]!, this.#ops[before], [other, agent]);
  }
}
