/**
 * How many 32-bit registers a thread holds at the most: the words of all values alive at once, at the
 * operation where that is worst. Values that share a name (renamed tiles, carried variables) count once,
 * literals and what nothing reads not at all. Drivers reorder and spill, and keep addresses and vectors of
 * their own: an estimate, to compare kernels and tile sizes by.
 */
import type { Block, Operation, Value } from '../ir/ir';
import { walk } from '../ir/ir';
import { UNNEEDED } from './emission';
import type { Emission } from './emission';
import { isLiteral } from './arithmetic/literals';
import { wordsOf } from './exchange/scratch';

/** After the function has been emitted. */
export function estimateRegisters(e: Emission): number {
  const estimate = new Estimate(e);
  estimate.block(e.func.body);
  return estimate.peak;
}

class Estimate {
  peak = 0;
  #words = 0;
  #live = new Set<Value>();
  /** How many live values use each name. */
  readonly #uses = new Map<string, number>();

  constructor(private readonly e: Emission) {}

  /** From the block's end to its start; what is alive after it is in the set already. */
  block(block: Block): void {
    for (const op of [...block.ops].reverse()) this.#operation(op);
  }

  #operation(op: Operation): void {
    op.results.forEach((value) => this.#add(value));
    this.#look(this.#own(op));
    // A result may take the place of an operand that dies here.
    op.results.forEach((value) => this.#remove(value));
    switch (op.name) {
      case 'scf.for':
      case 'scf.while':
        // What a loop uses from outside is alive until its last turn.
        outside(op).forEach((value) => this.#add(value));
        for (const region of [...op.regions].reverse()) {
          this.block(region);
          region.args.forEach((value) => this.#remove(value));
        }
        break;
      case 'scf.if': {
        const after = new Set(this.#live);
        const before = new Set<Value>(after);
        for (const region of op.regions) {
          this.block(region);
          for (const value of [...this.#live]) {
            before.add(value);
            if (!after.has(value)) this.#remove(value);
          }
        }
        before.forEach((value) => this.#add(value));
        break;
      }
      default:
    }
    op.operands.forEach((value) => this.#add(value));
    this.#look(0);
  }
  #look(more: number): void {
    this.peak = Math.max(this.peak, this.#words + more);
  }

  /** What an operation holds while it works: a dot a column of `a` and a row of `b`. */
  #own(op: Operation): number {
    return op.name === 'tt.dot' ? Math.ceil(2 * Math.sqrt(this.e.count(op.result))) : 0;
  }

  #add(value: Value): void {
    if (this.#live.has(value)) return;
    this.#live.add(value);
    for (const [name, words] of this.#names(value)) {
      const uses = this.#uses.get(name) ?? 0;
      this.#uses.set(name, uses + 1);
      if (uses === 0) this.#words += words;
    }
  }
  #remove(value: Value): void {
    if (!this.#live.delete(value)) return;
    for (const [name, words] of this.#names(value)) {
      const uses = this.#uses.get(name)! - 1;
      this.#uses.set(name, uses);
      if (uses === 0) this.#words -= words;
    }
  }
  /** The registers of a value and the words of each. */
  #names(value: Value): [string, number][] {
    const kept = this.e.kept.get(value);
    if (value.type.kind === 'memdesc' || (this.e.later.has(value) && !kept)) return [];
    const { type } = value;
    const words =
      type.kind === 'fragments'
        ? Math.ceil((type.matrix[0] * type.matrix[1]) / Math.max(1, this.e.subgroupSize))
        : wordsOf(this.e.registerTypeOf(value));
    if (kept) return [[kept, words * this.e.count(value)]];
    const names = new Set(this.e.named(value));
    return [...names]
      .filter((name) => name !== UNNEEDED && !isLiteral(name))
      .map((name) => [name, words]);
  }
}

/** The values that a loop's regions use and do not define. */
function outside(op: Operation): Value[] {
  const inside = new Set<Value>();
  const used = new Set<Value>();
  for (const region of op.regions) {
    region.args.forEach((value) => inside.add(value));
    walk(region, (inner) => {
      inner.results.forEach((value) => inside.add(value));
      inner.regions.forEach((block) => block.args.forEach((value) => inside.add(value)));
      inner.operands.forEach((value) => used.add(value));
    });
  }
  return [...used].filter((value) => !inside.has(value));
}
