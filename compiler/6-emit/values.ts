/**
 * The texts of a kernel's values: literals, names, and expressions that stand where they are used.
 * An expression stands at its use where nothing between the two changes what it reads, so that the
 * order of effects stays that of the IR.
 */
import type { ThreadOp, ThreadValue } from '../ir/thread/ir';
import { hasThreadTrait } from '../ir/thread/ops';
import type { NumberType } from '../ir/thread/types';
import { bitsText, expressionText, literalText, numberText, Text } from './expressions';
import type { Names } from './names';
import type { Variable, Variables } from './variables';

/** Expressions nest no deeper than a reader follows. */
const MOST_NESTED = 8;
/** Operations between an expression that reads variables and its use. */
const MOST_LOOKED_AT = 64;

export class Values {
  /** Lines in front of all others: constants that need a name. */
  readonly constants: string[] = [];
  readonly callees = new Set<string>();
  usesRuntimeZero = false;
  /** By the values' numbers. */
  readonly #texts: (Text | undefined)[];
  readonly #hidden = new Map<ThreadValue, Text>();

  /** @param count how many values the kernel has. */
  constructor(
    count: number,
    readonly variables: Variables,
    private readonly names: Names,
  ) {
    this.#texts = new Array<Text | undefined>(count).fill(undefined);
  }

  /** The text of a value that has been printed, or that stands where it is used. */
  text(value: ThreadValue): Text {
    const found = this.#texts[value.index];
    if (found) return found;
    const variable = this.variables.get(value);
    const op = value.definition;
    if (variable?.name !== undefined) {
      const text = new Text(variable.name);
      text.reads = [variable];
      return this.set(value, text);
    }
    if (op?.name === 'thread.constant') return this.set(value, this.#constant(value));
    throw new Error(`${value.name ?? op?.name ?? 'an argument'} has no text yet`);
  }
  name(value: ThreadValue): string {
    return this.text(value).text;
  }
  set(value: ThreadValue, text: Text): Text {
    this.#texts[value.index] = text;
    return text;
  }
  /** Gives a value the text of another one, which still reads the same variables. */
  alias(value: ThreadValue, of: ThreadValue): void {
    const { text, binds, chain, reads } = this.text(of);
    this.set(value, new Text(text, binds, chain)).reads = reads;
  }

  #constant(value: ThreadValue): Text {
    const type = value.type as NumberType;
    const number = value.definition!.attributes['value'] as number;
    let text = literalText(type.scalar, number);
    if (text === undefined) {
      this.usesRuntimeZero = true;
      text = this.#name('constant', bitsText(type.scalar, number));
    }
    const made = new Text(type.size === 1 ? text : `${numberText(type)}(${text})`);
    made.isConstant = true;
    return made;
  }
  /** A constant that WGSL must not compute with: a name makes it compute when it runs. */
  #hide(value: ThreadValue): Text {
    let found = this.#hidden.get(value);
    if (!found) {
      found = new Text(this.#name('literal', this.name(value)));
      this.#hidden.set(value, found);
    }
    return found;
  }
  #name(hint: string, text: string): string {
    const name = this.names.fresh(hint);
    this.constants.push(`let ${name} = ${text};`);
    return name;
  }

  expression(op: ThreadOp): Text {
    if (op.name === 'thread.call') this.callees.add(String(op.attributes['callee']));
    const { operands } = op;
    const args = new Array<Text>(operands.length);
    let [depth, constants] = [0, 0];
    let reads: readonly Variable[] = NOTHING;
    for (let i = 0; i < operands.length; i++) {
      const text = this.text(operands[i]!);
      args[i] = text;
      depth = Math.max(depth, text.depth);
      if (text.isConstant) constants++;
      if (text.reads.length > 0) reads = reads.length === 0 ? text.reads : union(reads, text.reads);
    }
    if (constants > 0)
      for (let i = firstHidden(op, constants); i < args.length; i++)
        args[i] = this.#hide(operands[i]!);
    const made = expressionText(op, args);
    made.depth = op.name === 'thread.extract' ? depth : depth + 1;
    made.reads = reads;
    return made;
  }

  /** Whether an expression stands where it is used. */
  isInline(op: ThreadOp, text: Text): boolean {
    if (!hasThreadTrait(op.name, 'pure') || hasThreadTrait(op.name, 'convergent')) return false;
    if (op.name === 'thread.extract') return true;
    if (op.operands.length > 0 && !isOnlyOperand(op)) return false;
    return text.depth <= MOST_NESTED && !this.#isOvertaken(op, text);
  }
  /** Whether a variable that an expression reads may change before the expression's use. */
  #isOvertaken(op: ThreadOp, { reads }: Text): boolean {
    if (reads.length === 0) return false;
    const user = op.result.uses.only;
    let steps = 0;
    for (let at = op.next; at && at !== user; at = at.next) {
      if (++steps > MOST_LOOKED_AT) return true;
      for (const each of at.results) if (this.variables.has(each)) return true;
    }
    return false;
  }
}

const NOTHING: readonly Variable[] = [];

function union(some: readonly Variable[], more: readonly Variable[]): readonly Variable[] {
  const rest = more.filter((each) => !some.includes(each));
  return rest.length === 0 ? some : [...some, ...rest];
}

/** Whether the only use of an expression without a name is as one operand in its own block. */
function isOnlyOperand(op: ThreadOp): boolean {
  const value = op.result;
  if (value.name !== undefined) return false;
  const user = value.uses.only;
  if (!user || user.parent !== op.parent) return false;
  const { operands } = user;
  return operands.indexOf(value) === operands.lastIndexOf(value);
}

/** Operations that WGSL may compute while it compiles, and never rejects. */
const ALWAYS_LEGAL = new Set([
  'thread.construct',
  'thread.splat',
  'thread.select',
  'thread.extract',
]);

/**
 * The constant operands that WGSL must not see as literals: it computes expressions of literals
 * while it compiles, and rejects the module where a sum overflows, a divisor is zero or a shift too
 * far. They are all operands from one on, whose place this gives. @param constants how many
 * operands are constants.
 */
function firstHidden({ name, operands }: ThreadOp, constants: number): number {
  const count = operands.length;
  if (ALWAYS_LEGAL.has(name)) return count;
  if (constants === count) return 0;
  const last = operands[count - 1]!.definition;
  if (last?.name !== 'thread.constant') return count;
  const value = Number(last.attributes['value']);
  const divides = name === 'thread.div' || name === 'thread.rem';
  const shifts = name === 'thread.shl' || name === 'thread.shr';
  return (divides && value === 0) || (shifts && value >= 32) ? count - 1 : count;
}
