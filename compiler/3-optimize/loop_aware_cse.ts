/**
 * Merges values that a loop carries and that are equal in every iteration: they begin as equal
 * values, and each iteration computes the next ones by equal expressions. Equality is assumed of
 * all that begin equal, and given up where the next values refute it, until none do.
 */
import type { Block, Func, Operation, Value } from '../ir/ir';
import { hasTrait } from '../ir/ops';
import { printAttribute } from '../ir/printer';
import { sameTypeIgnoringLayout } from '../ir/sameType';
import { ValueNumbers } from './eliminate_common_subexpressions';
import { forEachOp } from './rewrite';

export function loop_aware_cse(func: Func): boolean {
  let found = false;
  forEachOp(func.body, (op) => {
    found ||= op.name === 'scf.for' && beginAlike(op.operands.slice(3));
  });
  return found && new LoopAwareCse().visit(func.body);
}

/** Whether two values may be equal, by their last operations: in most kernels none may. */
function beginAlike(values: readonly Value[]): boolean {
  return values.some((value, i) =>
    values
      .slice(0, i)
      .some((other) => value === other || isAlike(value.definition, other.definition)),
  );
}
function isAlike(a: Operation | undefined, b: Operation | undefined): boolean {
  if (!a || !b || a.name !== b.name) return false;
  if (a.results.length > 1) return a === b;
  return (
    sameTypeIgnoringLayout(a.result.type, b.result.type) &&
    printAttribute(a.attributes) === printAttribute(b.attributes)
  );
}

class LoopAwareCse {
  readonly #numbers = new ValueNumbers();
  /** Numbers of what pure operations compute, by their keys. */
  readonly #numberOf = new Map<string, number>();

  /** Merges in the loops of a block, from the outside in. */
  visit(block: Block): boolean {
    this.#number(block);
    let changed = false;
    for (const op of block.ops) {
      if (op.name === 'scf.for') changed = merge(op, this.#classes(op)) || changed;
      for (const region of op.regions) changed = this.visit(region) || changed;
    }
    return changed;
  }

  /** Numbers what a block computes; its arguments have numbers. */
  #number(block: Block): void {
    for (const op of block.ops) {
      if (op.name === 'scf.for') this.#numberLoop(op);
      else if (op.name === 'scf.if') this.#numberBranch(op);
      else if (op.regions.length === 0 && hasTrait(op.name, 'pure')) {
        const key = this.#numbers.keyOf(op);
        op.results.forEach((result, i) => this.#set(result, `${key}#${i}`));
      } else for (const result of op.results) this.#numbers.set(result, this.#numbers.fresh());
    }
  }
  #set(value: Value, key: string): void {
    const number = this.#numberOf.get(key) ?? this.#numbers.fresh();
    this.#numberOf.set(key, number);
    this.#numbers.set(value, number);
  }
  #numberLoop(loop: Operation): void {
    const classes = this.#classes(loop);
    const numbers = classes.map(() => this.#numbers.fresh());
    loop.results.forEach((result, i) => this.#numbers.set(result, numbers[classes[i]!]!));
  }
  /** Equal branches of one condition give equal values. */
  #numberBranch(branch: Operation): void {
    for (const region of branch.regions) this.#number(region);
    const given = [branch.operand(0)];
    branch.results.forEach((result, i) => {
      const values = [...given, ...branch.regions.map(({ terminator }) => terminator.operand(i))];
      this.#set(result, `scf.if(${values.map((value) => this.#numbers.of(value)).join()})`);
    });
  }

  /** For each value that a loop carries, the index of the first one that is equal to it. */
  #classes(loop: Operation): readonly number[] {
    const body = loop.region(0);
    const carried = body.args.slice(1);
    const { terminator } = body;
    const firstBy = (keyOf: (i: number) => string): number[] => {
      const first = new Map<string, number>();
      return carried.map((_, i) => {
        const key = keyOf(i);
        if (!first.has(key)) first.set(key, i);
        return first.get(key)!;
      });
    };
    let classes = firstBy((i) => String(this.#numbers.of(loop.operand(i + 3))));
    for (;;) {
      this.#numbers.set(body.args[0]!, this.#numbers.fresh());
      const numbers = carried.map(() => this.#numbers.fresh());
      carried.forEach((arg, i) => this.#numbers.set(arg, numbers[classes[i]!]!));
      // Nothing more can be found where each is alone; `visit` numbers the body.
      if (new Set(classes).size === carried.length) return classes;
      this.#number(body);
      const before = classes;
      const next = (i: number): string => `${before[i]} ${this.#numbers.of(terminator.operand(i))}`;
      classes = firstBy(next);
      if (new Set(classes).size === new Set(before).size) return classes;
    }
  }
}

/** Uses the first of equal values in place of the others, which nothing reads then. */
function merge(loop: Operation, classes: readonly number[]): boolean {
  const args = loop.region(0).args.slice(1);
  let changed = false;
  classes.forEach((first, i) => {
    if (first === i) return;
    changed = share(args[i]!, args[first]!) || changed;
    changed = share(loop.results[i]!, loop.results[first]!) || changed;
  });
  return changed;
}
function share(value: Value, first: Value): boolean {
  if (value.uses.size === 0) return false;
  first.name ??= value.name;
  value.replaceAllUsesWith(first);
  return true;
}
