/**
 * Operators on values: the method of the left one's class, if it has one; else Python's result for
 * compile-time values, and operations of the IR as soon as one is a tensor.
 */
import { MESSAGES } from './codes';
import type { BinaryOperator, CompareOperator, UnaryOperator } from '../1-parse/syntax';
import type { Context } from './context';
import { callObjectMethod } from './objects';
import {
  bitwise,
  checked,
  compare,
  floorDivide,
  invert,
  logicalNot,
  modulo,
  negate,
  shift,
  trueDivide,
} from './semantics/arithmetic';
import { staticBinary, staticCompare, staticUnary } from './static';
import { bool, describe, isTensor, sameStatic, type Tensor, type Val } from './values';

/** The methods of a class that stand for operators. */
const OPERATOR_METHODS: Readonly<Record<string, string>> = {
  '+': '__add__',
  '-': '__sub__',
  '*': '__mul__',
  '/': '__truediv__',
  '//': '__floordiv__',
  '%': '__mod__',
  '**': '__pow__',
  '@': '__matmul__',
  '<<': '__lshift__',
  '>>': '__rshift__',
  '&': '__and__',
  '|': '__or__',
  '^': '__xor__',
  '==': '__eq__',
  '!=': '__ne__',
  '<': '__lt__',
  '<=': '__le__',
  '>': '__gt__',
  '>=': '__ge__',
};
function byMethod(cx: Context, operator: string, a: Val, b: Val): Val | undefined {
  const name = OPERATOR_METHODS[operator];
  if (a.kind !== 'object' || isTensor(b) || !name || !a.description.methods[name]) return undefined;
  return callObjectMethod(cx, a, name, [b], new Map());
}

export function binary(cx: Context, operator: BinaryOperator, a: Val, b: Val): Val {
  const own = byMethod(cx, operator, a, b);
  if (own) return own;
  if (!isTensor(a) && !isTensor(b)) return staticBinary(cx, operator, a, b);
  const other = isTensor(a) ? b : a;
  if (!['tensor', 'bool', 'int', 'float'].includes(other.kind))
    return cx.fail(
      'HC0204',
      MESSAGES.HC0204.unsupportedOperandTypes({ operator, a: describe(a), b: describe(b) }),
    );
  switch (operator) {
    case '+':
      return checked(cx, 'add', a, b);
    case '-':
      return checked(cx, 'sub', a, b);
    case '*':
      return checked(cx, 'mul', a, b);
    case '/':
      return trueDivide(cx, a, b);
    case '//':
      return floorDivide(cx, a, b);
    case '%':
      return modulo(cx, a, b);
    case '&':
    case '|':
    case '^':
      return bitwise(cx, operator, a, b);
    case '<<':
    case '>>':
      return shift(cx, operator, a, b, isTensor(a) ? a : (b as Tensor));
    case '**':
      return cx.fail(
        'HC0204',
        '** is not defined on tensors. Multiply, or use tl.exp2(y * tl.log2(x)) or libdevice.pow',
      );
    case '@':
      return cx.fail('HC0204', MESSAGES.HC0204.notDefinedOn());
    default:
      return operator satisfies never;
  }
}

export function unary(cx: Context, operator: UnaryOperator, operand: Val): Val {
  if (!isTensor(operand)) return staticUnary(cx, operator, operand);
  switch (operator) {
    case '-':
      return negate(cx, operand);
    case '~':
      return invert(cx, operand);
    case 'not':
      return logicalNot(cx, operand);
    case '+':
      return cx.fail('HC0204', MESSAGES.HC0204.unaryNotDefined());
    default:
      return operator satisfies never;
  }
}

export function comparison(cx: Context, operator: CompareOperator, a: Val, b: Val): Val {
  if (operator === 'is' || operator === 'is not') {
    const same = isTensor(a) || isTensor(b) ? a === b : sameStatic(a, b);
    return bool(same === (operator === 'is'));
  }
  const own = byMethod(cx, operator, a, b);
  if (own) return own;
  if (operator === 'in' || operator === 'not in')
    return cx.fail('HC0102', MESSAGES.HC0102.operatorNotSupported({ operator }));
  if (!isTensor(a) && !isTensor(b)) return staticCompare(cx, operator, a, b);
  return compare(cx, operator, a, b);
}
