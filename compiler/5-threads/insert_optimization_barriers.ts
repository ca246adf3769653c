/**
 * Inserts optimization barriers, which keep drivers from doing algebra with floats. WGSL allows it:
 * the optimizers of SPIRV-Tools and Mesa turn `(x + c) - c` into `x`, which rounds to whole numbers
 * in Triton, the compensation of a Kahan sum into 0, `x - x` and `x * 0` into 0 also where x is
 * infinite, `exp(log(x))` into `x`, and the 0 of a choice between -1 and 0 into -0. CUDA computes
 * what is written. An operand that such a rule would look through gets a barrier: its bits are
 * combined with a word of the arguments that is always 0, which no driver can see. A constant gets
 * one for the kernel, at no cost in a loop; a value costs one integer operation.
 *
 * Guarantees: every value has the bits it had. Vectors stay as they are: they are accumulators,
 * whose terms do not cancel.
 */
import { newOperation } from '../ir/thread/ir';
import type { ThreadBlock, ThreadFunc, ThreadOp, ThreadValue } from '../ir/thread/ir';
import type { ThreadOpName } from '../ir/thread/ops';
import { hasThreadTrait } from '../ir/thread/ops';
import { F16, F32, U32 } from '../ir/thread/types';

/** Operations that a rule looks through, one into the other. */
const DEPTH = 4;
/** Operations between the launch's words and a value of the whole kernel, which decode it. */
const DECODING_DEPTH = 8;
const SIGN_BIT = 0x80000000;

/** For a sum or a product: a term and its sign, or a factor and the sign of its exponent. */
interface Leaf {
  readonly value: ThreadValue;
  readonly sign: 1 | -1;
}
type Kind = 'sum' | 'product';
interface Rule {
  readonly kind: Kind;
  /** The sign of the second operand. */
  readonly second: 1 | -1;
}

const DIFFERENCE: Rule = { kind: 'sum', second: -1 };
const RULES: Partial<Record<ThreadOpName, Rule>> = {
  'thread.add': { kind: 'sum', second: 1 },
  'thread.sub': DIFFERENCE,
  'thread.mul': { kind: 'product', second: 1 },
  'thread.div': { kind: 'product', second: -1 },
};
/** A comparison is one of a difference with 0. */
const COMPARISONS: ReadonlySet<ThreadOpName> = new Set([
  'thread.eq',
  'thread.ne',
  'thread.lt',
  'thread.le',
  'thread.gt',
  'thread.ge',
] as const);
/** The inverse of a function, as a driver sees it. */
const INVERSE: Readonly<Record<string, string>> = {
  exp: 'log',
  log: 'exp',
  exp2: 'log2',
  log2: 'exp2',
};
const FUNCTIONS: Readonly<Record<string, string>> = {
  'thread.exp': 'exp',
  'thread.log': 'log',
  'thread.exp2': 'exp2',
  'thread.log2': 'log2',
  f32_exp: 'exp',
  f32_log: 'log',
  f32_exp2: 'exp2',
  f32_log2: 'log2',
};

/** @returns whether it inserted any. */
export function insert_optimization_barriers(func: ThreadFunc): boolean {
  const barriers = new Barriers(func);
  visitBlock(func.body, barriers);
  return barriers.inserted;
}

function visitBlock(block: ThreadBlock, barriers: Barriers): void {
  for (let op = block.first; op; op = op.next) {
    for (const region of op.regions) visitBlock(region, barriers);
    const operand = operandToHide(op);
    if (operand !== undefined) barriers.hide(op, operand);
  }
}

/** Barriers stand before the operation, or behind the definition of a value of the whole kernel. */
class Barriers {
  inserted = false;
  readonly #shared = new Map<ThreadValue, ThreadValue>();
  #zero: ThreadValue | undefined;

  constructor(private readonly func: ThreadFunc) {}

  hide(op: ThreadOp, operand: number): void {
    this.inserted = true;
    const value = op.operand(operand);
    const hidden = isOfKernel(this.func, value, DECODING_DEPTH)
      ? this.#ofKernel(value)
      : this.#barrier(value, op.parent!, op, op.location);
    op.setOperand(operand, hidden);
  }

  #ofKernel(value: ThreadValue): ThreadValue {
    let found = this.#shared.get(value);
    if (!found) {
      const { body, location } = this.func;
      let next = value.definition?.next ?? body.first;
      while (next?.name === 'thread.constant') next = next.next;
      found = this.#barrier(value, body, next!, location);
      found.name = 'hidden';
      this.#shared.set(value, found);
    }
    return found;
  }
  #barrier(
    value: ThreadValue,
    block: ThreadBlock,
    next: ThreadOp,
    location: ThreadOp['location'],
  ): ThreadValue {
    this.#zero ??= this.func.addParameter(U32, { kind: 'word', word: { kind: 'zero' } }, 'zero');
    const operands = [value, this.#zero];
    const name = 'thread.optimization_barrier';
    const op = newOperation(name, operands, [value.type], {}, [], location);
    block.insertBefore(next, op);
    return op.result;
  }
}

/** Whether a value is made of constants and words of the launch alone, at the kernel's start. */
function isOfKernel(func: ThreadFunc, { owner, definition }: ThreadValue, depth: number): boolean {
  if (!definition) return owner === func.body;
  if (definition.name === 'thread.constant') return true;
  if (depth === 0 || definition.parent !== func.body || definition.operands.length === 0)
    return false;
  if (!hasThreadTrait(definition.name, 'pure') || hasThreadTrait(definition.name, 'convergent'))
    return false;
  return definition.operands.every((operand) => isOfKernel(func, operand, depth - 1));
}

/** The operand that gets a barrier, if a driver's algebra would change the operation's result. */
function operandToHide(op: ThreadOp): number | undefined {
  if (op.name === 'thread.select') return zeroToHide(op);
  const type = op.operands[0]?.type;
  if (type !== F32 && type !== F16) return undefined;
  if (isUndoing(op)) return 0;
  const compares = COMPARISONS.has(op.name);
  const rule = compares ? DIFFERENCE : RULES[op.name];
  if (!rule) return undefined;
  const [left, right] = [op.operand(0), op.operand(1)];
  const constants = [constantOf(left), constantOf(right)];
  // A comparison with itself is by bits (`elementwise.ts`); sums of constants stay as they are.
  if ((compares && left === right) || constants.every((each) => each !== undefined))
    return undefined;
  const constant = constants[0] !== undefined ? 0 : constants[1] !== undefined ? 1 : undefined;
  if (constant !== undefined && matters(op.name, constants[constant]!, constant)) return constant;
  const first = leavesOf(left, rule.kind, 1, DEPTH);
  const second = leavesOf(right, rule.kind, rule.second, DEPTH);
  if (first.some((a) => second.some((b) => a.value === b.value && a.sign !== b.sign))) return 0;
  const hasConstant = ({ value }: Leaf): boolean => constantOf(value) !== undefined;
  if (!first.some(hasConstant) || !second.some(hasConstant)) return undefined;
  if (constant !== undefined) return constant;
  // Only the last bit of products is at stake, which is not worth an operation for each element.
  return rule.kind === 'sum' ? 0 : undefined;
}

/**
 * The zero of a choice between 1 or -1 and 0: Mesa makes the condition's number of it, or that
 * negated, whose zero is 0 or -0 whatever was written.
 */
function zeroToHide({ operands }: ThreadOp): number | undefined {
  const [one, other] = [constantOf(operands[1]!), constantOf(operands[2]!)];
  const type = operands[1]!.type;
  if (one === undefined || other === undefined || (type !== F32 && type !== F16)) return undefined;
  const zero = one === 0 ? 1 : 2;
  const [chosen, unit] = zero === 1 ? [one, other] : [other, one];
  const keeps = unit === 1 ? Object.is(chosen, 0) : Object.is(chosen, -0);
  return chosen === 0 && Math.abs(unit) === 1 && !keeps ? zero : undefined;
}

/** Whether a function is of what its inverse gives. */
function isUndoing(op: ThreadOp): boolean {
  const inner = op.operands[0] && sameNumber(op.operands[0]).definition;
  if (!inner) return false;
  if (op.name === 'thread.sqrt')
    return (
      inner.name === 'thread.mul' && sameNumber(inner.operand(0)) === sameNumber(inner.operand(1))
    );
  const inverse = INVERSE[functionOf(op) ?? ''];
  return inverse !== undefined && functionOf(inner) === inverse;
}
function functionOf({ name, attributes }: ThreadOp): string | undefined {
  return FUNCTIONS[name === 'thread.call' ? String(attributes['callee']) : name];
}

/** Is the constant a zero that drivers compute with as if there were no NaN and no -0? */
function matters(name: ThreadOpName, constant: number, at: 0 | 1): boolean {
  if (constant !== 0) return false;
  switch (name) {
    case 'thread.add':
      // x + -0 is x for every x, and so is x - 0.
      return !Object.is(constant, -0);
    case 'thread.sub':
      return at === 0;
    default:
      // A quotient by a zero that Mesa can prove is undefined there: a store of it vanished.
      return name === 'thread.mul' || name === 'thread.div';
  }
}

function leavesOf(given: ThreadValue, kind: Kind, sign: 1 | -1, depth: number): Leaf[] {
  const value = sameNumber(given);
  const negated = negatedBy(value);
  if (negated) {
    // The sign of a factor is no matter: what is left of a product that cancels is 1 or -1.
    const inner = kind === 'sum' ? (-sign as 1 | -1) : sign;
    return leavesOf(negated, kind, inner, depth);
  }
  const op = value.definition;
  const rule = op && RULES[op.name];
  if (!rule || rule.kind !== kind || depth === 0) return [{ value, sign }];
  return [
    { value, sign },
    ...leavesOf(op.operand(0), kind, sign, depth - 1),
    ...leavesOf(op.operand(1), kind, (sign * rule.second) as 1 | -1, depth - 1),
  ];
}

/** The operand of a negation: by `-x`, or with the sign bit flipped. */
function negatedBy({ definition: op }: ThreadValue): ThreadValue | undefined {
  if (op?.name === 'thread.neg') return op.operand(0);
  const flipped = op?.name === 'thread.bitcast' ? op.operand(0).definition : undefined;
  if (flipped?.name !== 'thread.xor' || constantOf(flipped.operand(1)) !== SIGN_BIT)
    return undefined;
  const bits = flipped.operand(0).definition;
  return bits?.name === 'thread.bitcast' ? bits.operand(0) : undefined;
}

/** The number behind shared barriers and behind roundings that a driver may leave out. */
function sameNumber(given: ThreadValue): ThreadValue {
  for (let value = given; ;) {
    const op = value.definition;
    const from = op?.operands[0];
    const same =
      op?.name === 'thread.optimization_barrier' ||
      (op?.name === 'thread.convert' && (from?.type === F32 || from?.type === F16)) ||
      (op?.name === 'thread.call' && op.attributes['callee'] === 'f16_repack');
    if (!same) return value;
    value = from!;
  }
}

function constantOf({ definition }: ThreadValue): number | undefined {
  return definition?.name === 'thread.constant'
    ? (definition.attributes['value'] as number)
    : undefined;
}
