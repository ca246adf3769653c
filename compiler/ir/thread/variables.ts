/**
 * Which values of thread IR share a WGSL variable (the way out of SSA). A carried value, its
 * results and what an iteration makes of it share one where the old value has no other use, so that
 * a sum reads `acc = fma(a, b, acc)`. Values without a variable are expressions or `let`s.
 */
import type { ThreadBlock, ThreadOp, ThreadValue } from './ir';
import { hasThreadTrait } from './ops';
import type { Survey } from './survey';
import type { ThreadType } from './types';

export interface Variable {
  readonly type: ThreadType;
  /** The hint of its name. */
  readonly hint: string;
  /** The identifier, once it is declared. */
  name: string | undefined;
}
export type Variables = ReadonlyMap<ThreadValue, Variable>;

export function planVariables({ control }: Survey): Variables {
  const variables = new Map<ThreadValue, Variable>();
  const plan = new Plan(variables);
  for (const op of control) plan.operation(op);
  return variables;
}

class Plan {
  constructor(private readonly variables: Map<ThreadValue, Variable>) {}

  operation(op: ThreadOp): void {
    if (op.name === 'thread.for') this.#for(op);
    else if (op.name === 'thread.if') this.#if(op);
    else if (op.name === 'thread.while') this.#while(op);
  }

  #fresh(value: ThreadValue, ...others: (ThreadValue | undefined)[]): Variable {
    const named = [value, ...others].find((each) => each?.name !== undefined);
    return { type: value.type, hint: named?.name ?? 'v', name: undefined };
  }

  #for(op: ThreadOp): void {
    op.results.forEach((result, i) => {
      const init = op.operand(i + 1);
      const args = op.regions.map((region) => region.args[i + 1]!);
      const shared = isOnlyUse(init, op) ? this.variables.get(init) : undefined;
      const variable = this.variables.get(result) ?? shared ?? this.#fresh(result, args[0], init);
      this.variables.set(result, variable);
      op.regions.forEach((region, r) => {
        this.variables.set(args[r]!, variable);
        this.#inPlace(region.terminator.operand(i), args[r]!, variable, region);
      });
    });
  }

  #if(op: ThreadOp): void {
    const taken = new Set<Variable>();
    op.results.forEach((result, i) => {
      const values = op.regions.map((region) => region.terminator.operand(i));
      // A value that the other branch hands on, and nothing else uses, is updated in place.
      const kept = values.find((value) => isUpdated(value, op, taken, this.variables));
      const shared = kept && this.variables.get(kept);
      const variable = this.variables.get(result) ?? shared ?? this.#fresh(result, ...values);
      taken.add(variable);
      this.variables.set(result, variable);
    });
  }

  #while(op: ThreadOp): void {
    const [before, after] = [op.region(0), op.region(1)];
    before.args.forEach((arg, i) => {
      const init = op.operand(i);
      const shared = isOnlyUse(init, op) ? this.variables.get(init) : undefined;
      this.variables.set(arg, shared ?? this.#fresh(arg, init));
      this.#inPlace(after.terminator.operand(i), arg, this.variables.get(arg)!, after);
    });
    op.results.forEach((result, i) => {
      const forwarded = before.terminator.operand(i + 1);
      const carried = forwarded.owner === before ? this.variables.get(forwarded) : undefined;
      this.variables.set(result, carried ?? this.#fresh(result, forwarded));
    });
  }

  /**
   * Gives `value` the variable of `from` where each step from one to the other replaces its input.
   */
  #inPlace(value: ThreadValue, from: ThreadValue, variable: Variable, block: ThreadBlock): boolean {
    const chain = this.#chain(value, from, block, true);
    chain?.forEach((link) => this.variables.set(link, variable));
    return chain !== undefined;
  }

  /**
   * The values from `value` back to `from`, which is left out; undefined where a copy is needed.
   */
  #chain(
    value: ThreadValue,
    from: ThreadValue,
    block: ThreadBlock,
    last: boolean,
  ): ThreadValue[] | undefined {
    if (value === from) return [];
    const links: ThreadValue[] = [];
    for (let link = value, isLast = last; ; isLast = false) {
      if (link === from) return links;
      const op = link.definition;
      if (!op || op.parent !== block || this.variables.has(link)) return undefined;
      if (!isLast && !link.hasOneUse) return undefined;
      links.push(link);
      const back = this.#back(op, link, from, block);
      if (!back) return undefined;
      links.push(...back.inner);
      link = back.input;
    }
  }

  /** The operand that `link` replaces, and the values inside of `op` that share its variable. */
  #back(
    op: ThreadOp,
    link: ThreadValue,
    from: ThreadValue,
    block: ThreadBlock,
  ): { readonly input: ThreadValue; readonly inner: readonly ThreadValue[] } | undefined {
    const index = op.results.indexOf(link);
    if (op.name === 'thread.for') {
      const input = op.operand(index + 1);
      return isOnlyUse(input, op) && this.#leads(input, from, block)
        ? { input, inner: [] }
        : undefined;
    }
    if (!hasThreadTrait(op.name, 'pure') || op.name === 'thread.copy') return undefined;
    const input = op.operands.find(
      (each) => each.type === link.type && isOnlyUse(each, op) && this.#leads(each, from, block),
    );
    return input && { input, inner: [] };
  }

  /** Whether going back from a value can end at `from`. */
  #leads(value: ThreadValue, from: ThreadValue, block: ThreadBlock): boolean {
    return value === from || (value.definition?.parent === block && !this.variables.has(value));
  }
}

/** Whether the only use of a value is as one operand of `op`. */
function isOnlyUse(value: ThreadValue, op: ThreadOp): boolean {
  return value.hasOneUse && value.uses.has(op) && !crossesLoop(value, op);
}

/** Whether a value has a variable that nothing reads after `op`. */
function isUpdated(
  value: ThreadValue,
  op: ThreadOp,
  taken: ReadonlySet<Variable>,
  variables: Variables,
): boolean {
  const variable = variables.get(value);
  if (!variable || taken.has(variable) || crossesLoop(value, op)) return false;
  return isReadUpTo(value, op);
}
/**
 * Whether nothing reads a value after `op`. A component stands where it is used, and reads its
 * vector there.
 */
function isReadUpTo(value: ThreadValue, op: ThreadOp): boolean {
  return [...value.uses].every((user) =>
    user.name === 'thread.extract' ? isReadUpTo(user.result, op) : isUpTo(user, op),
  );
}
/**
 * Whether an operation is `op`, inside of it, or before it in its block. The search goes both ways
 * from `op`: users are near, blocks are long.
 */
function isUpTo(user: ThreadOp, op: ThreadOp): boolean {
  let own: ThreadOp | undefined = user;
  while (own && own.parent !== op.parent) own = own.parent?.parent;
  if (!own) return false;
  let [back, on]: (ThreadOp | undefined)[] = [op, op.next];
  while (back || on) {
    if (back === own) return true;
    if (on === own) return false;
    back = back?.previous;
    on = on?.next;
  }
  return false;
}
/** Whether a loop around `op` reads the value again in its next iteration. */
function crossesLoop(value: ThreadValue, op: ThreadOp): boolean {
  const home = value.definition ? value.definition.parent : value.owner;
  for (let block = op.parent; block && block !== home; block = block.parent?.parent) {
    const around = block.parent?.name;
    if (around === 'thread.for' || around === 'thread.while') return true;
  }
  return false;
}
