/** Operators on compile-time values: Python's own, with unbounded integers. */
import { MESSAGES } from './codes';
import type { BinaryOperator, CompareOperator, UnaryOperator } from '../1-parse/syntax';
import type { Context } from './context';
import { checkBits, checkLength } from './limits';
import { bool, describe, float, int, isNumber, sameStatic, show, str, tuple } from './values';
import type { Static, Val } from './values';

type Int = { kind: 'int' | 'bool'; value: bigint | boolean };

/** Python's truth of a compile-time value; `undefined` for what has none here. */
export function truthOf(v: Val): boolean | undefined {
  switch (v.kind) {
    case 'none':
      return false;
    case 'bool':
      return v.value;
    case 'int':
      return v.value !== 0n;
    case 'float':
      return v.value !== 0;
    case 'string':
      return v.value !== '';
    case 'tuple':
      return v.items.length > 0;
    case 'tensor':
    case 'invalid':
    case 'header':
      return undefined;
    default:
      return true;
  }
}

function isInt(v: Val): v is Static & Int {
  return v.kind === 'int' || v.kind === 'bool';
}
function toBigInt(v: Int): bigint {
  return BigInt(v.value);
}
function toNumber(v: Static & { kind: 'bool' | 'int' | 'float' }): number {
  return Number(v.value);
}

/** Floor division and modulo with Python's signs. */
function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}
function floorMod(a: bigint, b: bigint): bigint {
  const rest = a % b;
  return rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest;
}
function floatMod(a: number, b: number): number {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
}

function mismatch(cx: Context, operator: string, a: Val, b: Val): never {
  return cx.fail(
    'HC0214',
    MESSAGES.HC0214.unsupportedOperandTypes({ operator, a: describe(a), b: describe(b) }),
  );
}

export function staticBinary(cx: Context, operator: BinaryOperator, a: Val, b: Val): Val {
  if (isInt(a) && isInt(b)) return intBinary(cx, operator, a, b);
  if (isNumber(a) && isNumber(b)) return floatBinary(cx, operator, a, b);
  if (a.kind === 'string' && b.kind === 'string' && operator === '+') {
    checkLength(cx, a.value.length + b.value.length, 1, 'string');
    return str(a.value + b.value);
  }
  if (a.kind === 'string' && operator === '%')
    return str(a.value.replace(/%[sdr]/, show(b, false)));
  if (a.kind === 'string' && isInt(b) && operator === '*') {
    checkLength(cx, a.value.length, Number(b.value), 'string');
    return str(a.value.repeat(Math.max(0, Number(b.value))));
  }
  if (a.kind === 'tuple' && b.kind === 'tuple' && operator === '+')
    return tuple([...a.items, ...b.items]);
  if (operator === '*') {
    const [list, times] = a.kind === 'tuple' ? [a, b] : [b, a];
    if (list.kind === 'tuple' && isInt(times)) {
      // An empty one too: it runs as many iterations.
      checkLength(cx, list.items.length + 1, Number(times.value), 'tuple');
      return tuple(
        Array.from({ length: Math.max(0, Number(times.value)) }, () => list.items).flat(),
      );
    }
  }
  return mismatch(cx, operator, a, b);
}

function intBinary(cx: Context, operator: BinaryOperator, left: Int, right: Int): Val {
  const [a, b] = [toBigInt(left), toBigInt(right)];
  const logical = left.kind === 'bool' && right.kind === 'bool';
  const divides = operator === '/' || operator === '//' || operator === '%';
  if (divides && b === 0n) return cx.fail('HC0214', MESSAGES.HC0214.divisionByZero());
  switch (operator) {
    case '+':
      return int(a + b);
    case '-':
      return int(a - b);
    case '*':
      checkBits(cx, a, b, '*');
      return int(a * b);
    case '/':
      return float(Number(a) / Number(b));
    case '//':
      return int(floorDiv(a, b));
    case '%':
      return int(floorMod(a, b));
    case '**':
      if (b >= 0n) {
        checkBits(cx, a, b, '**');
        return int(a ** b);
      }
      return float(Number(a) ** Number(b));
    case '<<':
    case '>>':
      if (b < 0n) return cx.fail('HC0214', MESSAGES.HC0214.negativeShiftCount());
      if (operator === '<<') checkBits(cx, a, b, '<<');
      // Beyond any number's bits a shift to the right leaves the sign.
      return int(operator === '<<' ? a << b : b > 0xffff_ffffn ? (a < 0n ? -1n : 0n) : a >> b);
    case '&':
      return logical ? bool((a & b) !== 0n) : int(a & b);
    case '|':
      return logical ? bool((a | b) !== 0n) : int(a | b);
    case '^':
      return logical ? bool((a ^ b) !== 0n) : int(a ^ b);
    case '@':
      return cx.fail('HC0214', MESSAGES.HC0214.unsupportedOperatorUse());
    default:
      return operator satisfies never;
  }
}

function floatBinary(
  cx: Context,
  operator: BinaryOperator,
  left: Static & { kind: 'bool' | 'int' | 'float' },
  right: Static & { kind: 'bool' | 'int' | 'float' },
): Val {
  const [a, b] = [toNumber(left), toNumber(right)];
  if ((operator === '/' || operator === '//' || operator === '%') && b === 0)
    return cx.fail('HC0214', MESSAGES.HC0214.floatDivisionBy());
  switch (operator) {
    case '+':
      return float(a + b);
    case '-':
      return float(a - b);
    case '*':
      return float(a * b);
    case '/':
      return float(a / b);
    case '//':
      return float(Math.floor(a / b));
    case '%':
      return float(floatMod(a, b));
    case '**':
      return float(a ** b);
    default:
      return mismatch(cx, operator, left, right);
  }
}

export function staticUnary(cx: Context, operator: UnaryOperator, x: Val): Val {
  if (operator === 'not') {
    const truth = truthOf(x);
    return truth === undefined
      ? cx.fail('HC0214', MESSAGES.HC0214.not({ x: describe(x) }))
      : bool(!truth);
  }
  if (isInt(x)) {
    const value = toBigInt(x);
    return int(operator === '-' ? -value : operator === '~' ? ~value : value);
  }
  if (x.kind === 'float' && operator !== '~') return float(operator === '-' ? -x.value : x.value);
  return cx.fail('HC0214', MESSAGES.HC0214.unaryNotImplemented({ operator, x: describe(x) }));
}

/** Python's `==` on compile-time values. */
function staticEquals(a: Val, b: Val): boolean {
  if (isNumber(a) && isNumber(b)) {
    if (isInt(a) && isInt(b)) return toBigInt(a) === toBigInt(b);
    // Python compares an int and a float exactly.
    const [whole, real] = isInt(a) ? [a, b] : [b, a];
    if (isInt(whole) && real.kind === 'float')
      return Number.isInteger(real.value) && BigInt(real.value) === toBigInt(whole);
    return toNumber(a) === toNumber(b);
  }
  if (a.kind === 'tuple' && b.kind === 'tuple')
    return (
      a.items.length === b.items.length &&
      a.items.every((item, i) => staticEquals(item, b.items[i]!))
    );
  return sameStatic(a, b);
}

export function staticCompare(cx: Context, operator: CompareOperator, a: Val, b: Val): Val {
  switch (operator) {
    case '==':
      return bool(staticEquals(a, b));
    case '!=':
      return bool(!staticEquals(a, b));
    case 'in':
    case 'not in':
      return cx.fail('HC0102', MESSAGES.HC0102.operatorNotSupported({ operator }));
    case 'is':
    case 'is not':
      return bool(sameStatic(a, b) === (operator === 'is'));
    default: {
      let order: number;
      if (isInt(a) && isInt(b)) order = Number(toBigInt(a) - toBigInt(b));
      else if (isNumber(a) && isNumber(b)) order = toNumber(a) - toNumber(b);
      else if (a.kind === 'string' && b.kind === 'string')
        order = a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
      else return mismatch(cx, operator, a, b);
      // Infinities subtract to NaN where they are equal.
      if (Number.isNaN(order) && isNumber(a) && isNumber(b) && a.value === b.value) order = 0;
      if (operator === '<') return bool(order < 0);
      if (operator === '<=') return bool(order <= 0);
      if (operator === '>') return bool(order > 0);
      return bool(order >= 0);
    }
  }
}
