/**
 * Keeps drivers from doing algebra with floats. WGSL lets them: on SPIRV-Tools' and Mesa's optimizers
 * `(x + c) - c` is `x`, which rounded to whole numbers where Triton meant it to, the compensation of a
 * Kahan sum is 0, `x - x` and `x * 0` are 0 also where x is infinite, `exp(log(x))` is `x`. CUDA computes
 * what is written. So an operand that such a rule would look through is hidden: its bits are combined
 * with a word of the arguments that is always 0, which no driver knows. A constant is hidden once for
 * the kernel, at no cost in a loop; a value costs one integer operation, where it is needed.
 */
import { constantOf } from '../../ir/builder';
import type { Operation, Value } from '../../ir/ir';
import type { Emission } from '../emission';
import { isLiteral } from './literals';
import type { RegisterType } from '../registers';

/** Operations that are looked through, one into the other. */
const DEPTH = 4;

/** Of a sum, or of a product: a term and its sign, or a factor and the sign of its exponent. */
interface Leaf {
  readonly value: Value;
  readonly sign: 1 | -1;
}
type Kind = 'sum' | 'product';

const KINDS: Readonly<Record<string, { readonly kind: Kind; readonly second: 1 | -1 }>> = {
  'arith.addf': { kind: 'sum', second: 1 },
  'arith.subf': { kind: 'sum', second: -1 },
  'arith.mulf': { kind: 'product', second: 1 },
  'arith.divf': { kind: 'product', second: -1 },
};
/** What undoes a function, as a driver sees it. */
const INVERSE: Readonly<Record<string, string>> = {
  'math.exp': 'math.log',
  'math.log': 'math.exp',
  'math.exp2': 'math.log2',
  'math.log2': 'math.exp2',
  'math.sqrt': 'arith.mulf',
};

/** The operand to hide of an operation on floats, if a driver's algebra would change its result. */
export function operandToHide(op: Operation): 0 | 1 | undefined {
  const inverse = INVERSE[op.name];
  if (inverse) {
    const inner = sameNumber(op.operand(0)).definition;
    const undone =
      inner?.name === inverse &&
      (inverse !== 'arith.mulf' || sameNumber(inner.operand(0)) === sameNumber(inner.operand(1)));
    return undone ? 0 : undefined;
  }
  // A comparison is one of a difference with 0.
  const compares = op.name === 'arith.cmpf';
  const rule = compares ? KINDS['arith.subf'] : KINDS[op.name];
  if (!rule) return undefined;
  const [left, right] = [op.operand(0), op.operand(1)];
  const constants = [constantOf(left), constantOf(right)];
  // What is asked of NaN is asked of bits (`elementwise.ts`); sums of constants are no driver's matter.
  if ((compares && left === right) || constants.every((each) => each !== undefined))
    return undefined;
  const constant = constants[0] !== undefined ? 0 : constants[1] !== undefined ? 1 : undefined;
  if (constant !== undefined && matters(op, Number(constants[constant]), constant)) return constant;
  const first = leavesOf(left, rule.kind, 1, DEPTH);
  const second = leavesOf(right, rule.kind, rule.second, DEPTH);
  if (first.some((a) => second.some((b) => a.value === b.value && a.sign !== b.sign))) return 0;
  const hasConstant = ({ value }: Leaf): boolean => constantOf(value) !== undefined;
  if (!first.some(hasConstant) || !second.some(hasConstant)) return undefined;
  if (constant !== undefined) return constant;
  // Of products only the last bit is at stake, which is not worth an operation for each element.
  return rule.kind === 'sum' ? 0 : undefined;
}

/** Is the constant a zero that drivers compute with as if there were no NaN and no -0? */
function matters(op: Operation, constant: number, at: 0 | 1): boolean {
  if (constant !== 0) return false;
  switch (op.name) {
    case 'arith.addf':
      // x + -0 is x for every x, and so is x - 0.
      return !Object.is(constant, -0);
    case 'arith.subf':
      return at === 0;
    default:
      // What is divided by a zero that Mesa knows of is undefined there: a store of it vanished.
      return op.name === 'arith.mulf' || op.name === 'arith.divf';
  }
}

function leavesOf(given: Value, kind: Kind, sign: 1 | -1, depth: number): Leaf[] {
  const value = sameNumber(given);
  const op = value.definition;
  if (op?.name === 'arith.negf') {
    // The sign of a factor is no matter: what is left of a product that cancels is 1 or -1.
    const inner = kind === 'sum' ? (-sign as 1 | -1) : sign;
    return leavesOf(op.operand(0), kind, inner, depth);
  }
  const rule = op && KINDS[op.name];
  if (!rule || rule.kind !== kind || depth === 0) return [{ value, sign }];
  const whole: Leaf = { value, sign };
  return [
    whole,
    ...leavesOf(op.operand(0), kind, sign, depth - 1),
    ...leavesOf(op.operand(1), kind, (sign * rule.second) as 1 | -1, depth - 1),
  ];
}

/** Through operations that give every element its number as it is. */
function sameNumber(given: Value): Value {
  for (let value = given; ;) {
    const op = value.definition;
    switch (op?.name) {
      case 'tt.splat':
      case 'tt.broadcast':
      case 'tt.expand_dims':
      case 'tt.reshape':
      case 'ttg.convert_layout':
        value = op.operand(0);
        break;
      default:
        return value;
    }
  }
}

/** `x`, the register of a float, so that nothing is known of it. */
export function opaque(e: Emission, type: RegisterType, x: string): string {
  const zero = e.parameters.word({ kind: 'zero' });
  const text = hidden(type, x, zero);
  return isLiteral(x) || e.isPrelude(x)
    ? e.prelude(`opaque ${type} ${x}`, 'hidden', () => text)
    : text;
}

function hidden(type: RegisterType, x: string, zero: string): string {
  switch (type) {
    case 'f32':
      return `bitcast<f32>(bitcast<u32>(${x}) ^ ${zero})`;
    case 'f16':
      return `bitcast<vec2<f16>>(bitcast<u32>(vec2<f16>(${x}, 0h)) ^ ${zero}).x`;
    case 'u32':
      return `(${x} ^ ${zero})`;
    default:
      throw new Error(`no float is a ${type}`);
  }
}
