/**
 * Removes what no effect depends on: unused operations, carried values that only feed themselves,
 * unused results of branches, loops and branches without effects. Loads go too; `while` loops and
 * what they need stay, for they may not end.
 */
import { isRemovable } from '../ir/builder';
import type { Block, Func, Operation, Value } from '../ir/ir';
import { Block as BlockClass } from '../ir/ir';
import { hasTrait } from '../ir/ops';
import { rebuild } from './rewrite';

export function eliminate_dead_code(func: Func): boolean {
  const live = new Liveness();
  live.markEffects(func.body);
  live.spread();
  return new Sweep(live).run(func.body);
}

class Liveness {
  readonly values = new Set<Value>();
  readonly ops = new Set<Operation>();
  readonly #work: Value[] = [];

  /** Marks the operations that must stay for their own sake; true where there is one. */
  markEffects(block: Block): boolean {
    let any = false;
    for (const op of block.ops) {
      let effect = false;
      if (hasTrait(op.name, 'terminator')) continue;
      // A combine region belongs to its operation; its effects are few, but they are effects.
      for (const region of op.regions) if (this.markEffects(region)) effect = true;
      if (op.name === 'scf.while' || (op.regions.length === 0 && !isRemovable(op))) effect = true;
      if (!effect) continue;
      this.#op(op);
      any = true;
    }
    return any;
  }
  #op(op: Operation): void {
    if (this.ops.has(op)) return;
    this.ops.add(op);
    const count = ALWAYS[op.name] ?? op.operands.length;
    for (const operand of op.operands.slice(0, count)) this.#value(operand);
    // A `while` keeps all it carries; combine regions compute one thing together.
    for (const region of op.regions) {
      const end = region.terminator;
      const whole = op.name === 'scf.while' || end.name !== 'scf.yield';
      if (whole) for (const v of end.operands) this.#value(v);
    }
  }
  #value(value: Value): void {
    if (this.values.has(value)) return;
    this.values.add(value);
    this.#work.push(value);
  }
  spread(): void {
    for (let value = this.#work.pop(); value; value = this.#work.pop()) {
      const { owner } = value;
      if (owner instanceof BlockClass) this.#argument(value, owner);
      else this.#result(value, owner);
    }
  }
  #result(value: Value, op: Operation): void {
    this.#op(op);
    const i = op.results.indexOf(value);
    switch (op.name) {
      case 'scf.for':
        this.#value(op.region(0).args[i + 1]!);
        break;
      case 'scf.if':
        for (const region of op.regions) this.#value(region.terminator.operand(i));
        break;
      default:
    }
  }
  #argument(value: Value, block: Block): void {
    const op = block.parent;
    if (!op) return;
    this.#op(op);
    const i = block.args.indexOf(value);
    if (op.name !== 'scf.for' || i === 0) return;
    this.#value(op.operand(i + 2));
    this.#value(block.terminator.operand(i - 1));
  }
}
/** Operands that are needed whenever the operation is; the others with the values they feed. */
const ALWAYS: Partial<Record<string, number>> = { 'scf.for': 3, 'scf.if': 1 };

class Sweep {
  #changed = false;
  /** The operations that stay, among those that lose results. */
  readonly #kept = new Map<Operation, readonly number[]>();
  constructor(private readonly live: Liveness) {}

  run(body: Block): boolean {
    this.#yieldLess(body);
    return this.block(body);
  }
  /**
   * No branch or loop yields a dead value any more: a dead operation that is erased later could
   * stand in one that is reached later still, whose other values would move up.
   */
  #yieldLess(block: Block): void {
    const { ops, values } = this.live;
    for (const op of block.ops) {
      if (!ops.has(op)) continue;
      const isLoop = op.name === 'scf.for';
      if (isLoop || op.name === 'scf.if') {
        const results = isLoop ? op.region(0).args.slice(1) : op.results;
        const keep = indices(results, (value) => values.has(value));
        if (keep.length < results.length) {
          this.#kept.set(op, keep);
          for (const { terminator } of op.regions)
            terminator.operands = pick(terminator.operands, keep);
        }
      }
      for (const region of op.regions) this.#yieldLess(region);
    }
  }
  block(block: Block): boolean {
    // From the end, so that users go before what they use.
    for (const op of [...block.ops].reverse()) {
      if (hasTrait(op.name, 'terminator')) continue;
      if (!this.live.ops.has(op)) {
        dropUses(op);
        op.erase();
        this.#changed = true;
        continue;
      }
      const kept = this.#shrink(op);
      for (const region of kept.regions) this.block(region);
    }
    return this.#changed;
  }
  /** Takes dead results, carried values and arguments away. */
  #shrink(op: Operation): Operation {
    const keep = this.#kept.get(op);
    if (!keep) return op;
    if (op.name === 'scf.if') return this.#rebuild(op, op.operands, keep);
    this.#keepArgs(op.region(0), [0, ...keep.map((i) => i + 1)]);
    const operands = [...op.operands.slice(0, 3), ...pick(op.operands.slice(3), keep)];
    return this.#rebuild(op, operands, keep);
  }
  #rebuild(op: Operation, operands: readonly Value[], keep: readonly number[]): Operation {
    this.#changed = true;
    const types = keep.map((i) => op.results[i]!.type);
    return rebuild(op, operands, types, keep);
  }
  /** Dead arguments are used by dead operations only, which the sweep has not reached yet. */
  #keepArgs(block: Block, keep: readonly number[]): void {
    const dead = block.args.filter((_, i) => !keep.includes(i));
    for (const arg of dead) for (const user of [...arg.uses]) dropTree(user, this.live);
    const args = pick(block.args, keep);
    block.args.length = 0;
    block.args.push(...args);
  }
}
function indices<T>(list: readonly T[], test: (item: T, i: number) => boolean): number[] {
  return list.flatMap((item, i) => (test(item, i) ? [i] : []));
}
function pick<T>(list: readonly T[], keep: readonly number[]): T[] {
  return keep.map((i) => list[i]!);
}
/** Lets go of every use of its results, which are dead themselves. */
function dropUses(op: Operation): void {
  for (const result of op.results)
    for (const user of [...result.uses]) user.operands = user.operands.filter((v) => v !== result);
}
/** Erases a dead operation with its dead users. */
function dropTree(op: Operation, live: Liveness): void {
  if (live.ops.has(op) || hasTrait(op.name, 'terminator')) return;
  for (const result of op.results) for (const user of [...result.uses]) dropTree(user, live);
  dropUses(op);
  if (op.parent) op.erase();
}
