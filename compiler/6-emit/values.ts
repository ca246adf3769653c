/**
 * The texts of a kernel's values: literals, names, and expressions that stand where they are used
 * (`places.ts`).
 */
import type { ThreadOp, ThreadValue } from '../ir/thread/ir';
import type { NumberType } from '../ir/thread/types';
import { bitsText, expressionText, literalText, numberText, Text } from './expressions';
import type { Names } from './names';
import { standsAtUse } from './places';
import type { Variable, Variables } from '../ir/thread/variables';

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
    let constants = 0;
    for (let i = 0; i < operands.length; i++) {
      const text = (args[i] = this.text(operands[i]!));
      if (text.isConstant) constants++;
    }
    if (constants > 0)
      for (let i = firstHidden(op, args, constants); i < args.length; i++)
        args[i] = this.#hide(operands[i]!);
    const made = expressionText(op, args);
    // WGSL computes with what is made of literals alone as it does with literals.
    made.isConstant = constants > 0 && constants === args.length && ALWAYS_LEGAL.has(op.name);
    return combined(made, args, op.name === 'thread.extract' ? 0 : 1);
  }
  /** A text over the operands of an operation, with what they read. */
  over(text: Text, { operands }: ThreadOp): Text {
    return combined(
      text,
      operands.map((value) => this.text(value)),
      1,
    );
  }

  /** Whether an expression, or a load, stands where it is used. */
  isInline(op: ThreadOp, text: Text): boolean {
    return standsAtUse(op, text, this.variables);
  }
}

/** Gives a text what the texts in it read, and how deep they nest. */
function combined(made: Text, args: readonly Text[], depth: 0 | 1): Text {
  let { reads } = made;
  let inner = 0;
  for (const text of args) {
    inner = Math.max(inner, text.depth);
    if (text.loads) made.loads = true;
    if (text.reads.length > 0) reads = reads.length === 0 ? text.reads : union(reads, text.reads);
  }
  made.depth = inner + depth;
  made.reads = reads;
  return made;
}

function union(some: readonly Variable[], more: readonly Variable[]): readonly Variable[] {
  const rest = more.filter((each) => !some.includes(each));
  return rest.length === 0 ? some : [...some, ...rest];
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
function firstHidden(
  { name, operands }: ThreadOp,
  args: readonly Text[],
  constants: number,
): number {
  const count = operands.length;
  if (ALWAYS_LEGAL.has(name)) return count;
  if (constants === count) return 0;
  if (!args[count - 1]!.isConstant) return count;
  const divides = name === 'thread.div' || name === 'thread.rem';
  const shifts = name === 'thread.shl' || name === 'thread.shr';
  const last = operands[count - 1]!.definition;
  if (last?.name !== 'thread.constant') return divides || shifts ? count - 1 : count;
  const value = Number(last.attributes['value']);
  return (divides && value === 0) || (shifts && value >= 32) ? count - 1 : count;
}
