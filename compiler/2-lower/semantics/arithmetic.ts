/** Operators on tensors: promotion, broadcasting, and the operation of the dtype. */
import { MESSAGES } from '../codes';
import type { OpName } from '../../ir/ops';
import type { Context } from '../context';
import {
  FP32,
  INT1,
  INT64,
  bits,
  intRange,
  isFloating,
  isInt,
  isSigned,
  isUnsigned,
  mantissaBits,
  promote,
  promoteIntegers,
  sameDtype,
  showDtype,
  type Dtype,
  type NumberDtype,
} from '../dtypes';
import { describe, isNumber, show, type Static, type Tensor, type Val } from '../values';
import {
  bitcast,
  broadcastPair,
  cast,
  castInteger,
  constant,
  naturalDtype,
  scalarConstant,
  tensorOf,
  toTensor,
} from './convert';

interface OperandRules {
  readonly pointerLeft?: boolean;
  readonly pointerRight?: boolean;
  /** `fdiv` leaves the dtypes as they are. */
  readonly promotes?: boolean;
  readonly division?: boolean;
}

function checkPointer(cx: Context, a: Dtype, b: Dtype, allowed: boolean): void {
  if (a.kind !== 'pointer') return;
  if (!allowed || (b.kind === 'pointer' && !sameDtype(a, b)) || isFloating(b))
    cx.fail('HC0204', MESSAGES.HC0204.invalidOperandsType({ a: showDtype(a), b: showDtype(b) }));
}

/** Both operands with one dtype and one shape. */
export function operands(
  cx: Context,
  left: Val,
  right: Val,
  rules: OperandRules = {},
): [Tensor, Tensor] {
  const a = isNumber(left) ? left : toTensor(cx, left);
  const b = isNumber(right) ? right : toTensor(cx, right);
  const [da, db] = [dtypeOf(cx, a), dtypeOf(cx, b)];
  checkPointer(cx, da, db, rules.pointerLeft ?? false);
  checkPointer(cx, db, da, rules.pointerRight ?? false);
  if (rules.promotes === false || da.kind === 'pointer' || db.kind === 'pointer')
    return broadcastPair(cx, toTensor(cx, a), toTensor(cx, b));
  const dtype = promote(da, isNumber(a), db, isNumber(b), rules.division ?? false);
  if ('error' in dtype) cx.fail('HC0204', dtype.error);
  return broadcastPair(cx, adopt(cx, a, dtype), adopt(cx, b, dtype));
}

type Operand = Tensor | (Static & { kind: 'bool' | 'int' | 'float' });

function dtypeOf(cx: Context, v: Operand): Dtype {
  return isNumber(v) ? naturalDtype(cx, v) : v.dtype;
}
/** The operand in the dtype that was agreed on; a number must fit it. */
function adopt(cx: Context, v: Operand, dtype: NumberDtype): Tensor {
  if (!isNumber(v)) return cast(cx, v, dtype);
  const value = Number(v.value);
  if (isUnsigned(dtype) && value < 0)
    cx.fail('HC0204', MESSAGES.HC0204.cannotPerformBinary({ v: show(v) }));
  if (isInt(dtype)) {
    const { min, max } = intRange(dtype);
    const exact = v.kind === 'int' ? v.value : BigInt(Math.trunc(value));
    if (exact < min || exact > max)
      cx.fail('HC0207', MESSAGES.HC0207.scalarOutRange({ v: show(v), dtype: showDtype(dtype) }));
  }
  return scalarConstant(cx, v, dtype);
}

/** Emits a binary operation whose result has the operands' type. */
export function emitBinary(cx: Context, name: OpName, a: Tensor, b: Tensor): Tensor {
  return tensorOf(cx.builder.binary(name, a.handle, b.handle), a.dtype, a.shape);
}

function byClass(
  cx: Context,
  a: Tensor,
  b: Tensor,
  what: string,
  float: OpName,
  signed: OpName,
  unsigned: OpName = signed,
): Tensor {
  if (isFloating(a.dtype)) return emitBinary(cx, float, a, b);
  if (isInt(a.dtype)) return emitBinary(cx, isSigned(a.dtype) ? signed : unsigned, a, b);
  return cx.fail(
    'HC0204',
    MESSAGES.HC0204.doesNotTakeBoth({ what, a: describe(a), b: describe(b) }),
  );
}

export function add(cx: Context, left: Val, right: Val): Tensor {
  let [a, b] = operands(cx, left, right, { pointerLeft: true, pointerRight: true });
  if (a.dtype.kind === 'pointer' && b.dtype.kind === 'pointer')
    cx.fail('HC0204', MESSAGES.HC0204.cannotAddPointers());
  if (b.dtype.kind === 'pointer') [a, b] = [b, a];
  if (a.dtype.kind !== 'pointer') return byClass(cx, a, b, '+', 'arith.addf', 'arith.addi');
  // tt.addptr reads its offset as signed; int1 is unsigned too.
  if (isUnsigned(b.dtype) && bits(b.dtype) < 64) b = castInteger(cx, b, INT64, false);
  return tensorOf(cx.builder.addptr(a.handle, b.handle), a.dtype, a.shape);
}

export function sub(cx: Context, left: Val, right: Val): Tensor {
  const [a, b] = operands(cx, left, right, { pointerLeft: true });
  if (a.dtype.kind === 'pointer') return add(cx, a, negate(cx, b));
  return byClass(cx, a, b, '-', 'arith.subf', 'arith.subi');
}

export function mul(cx: Context, left: Val, right: Val): Tensor {
  const [a, b] = operands(cx, left, right);
  return byClass(cx, a, b, '*', 'arith.mulf', 'arith.muli');
}

const CHECKED = { add, sub, mul };

/**
 * As the operator of a kernel. In debug mode an integer result that does not fit its type fails an
 * assertion, as Triton's `sanitize_overflow` does: it is computed again in 64 bits; 64-bit ones are
 * not.
 */
export function checked(
  cx: Context,
  operation: keyof typeof CHECKED,
  left: Val,
  right: Val,
  sanitize = true,
): Tensor {
  if (sanitize && cx.checksOverflow) {
    const pointers = { pointerLeft: operation !== 'mul', pointerRight: operation === 'add' };
    const [a, b] = operands(cx, left, right, pointers);
    if (isInt(a.dtype) && isInt(b.dtype) && bits(a.dtype) < 64) {
      const exact = CHECKED[operation](cx, cast(cx, a, INT64), cast(cx, b, INT64));
      const range = intRange(a.dtype);
      const [low, high] = [range.min, range.max].map((value) =>
        scalarConstant(cx, { kind: 'int', value }, INT64),
      ) as [Tensor, Tensor];
      const fits = bitwise(cx, '&', compare(cx, '>=', exact, low), compare(cx, '<=', exact, high));
      const message = `int${bits(a.dtype)} overflow detected for operation ${operation}`;
      cx.builder.create('tt.assert', [fits.handle], [], { message });
    }
  }
  return CHECKED[operation](cx, left, right);
}

export function trueDivide(cx: Context, left: Val, right: Val): Tensor {
  let [a, b] = operands(cx, left, right, { division: true });
  if (isInt(a.dtype) && isInt(b.dtype)) [a, b] = [cast(cx, a, FP32), cast(cx, b, FP32)];
  else if (isFloating(a.dtype) && isInt(b.dtype)) b = cast(cx, b, a.dtype);
  else if (isInt(a.dtype) && isFloating(b.dtype)) a = cast(cx, a, b.dtype);
  else if (mantissaBits(a.dtype as NumberDtype) > mantissaBits(b.dtype as NumberDtype))
    b = cast(cx, b, a.dtype);
  else a = cast(cx, a, b.dtype);
  return emitBinary(cx, 'arith.divf', a, b);
}

export function floorDivide(cx: Context, left: Val, right: Val): Tensor {
  const [a, b] = operands(cx, left, right, { division: true });
  if (!isInt(a.dtype) || !isInt(b.dtype))
    cx.fail('HC0205', MESSAGES.HC0205.takesIntegersGot({ dtype: showDtype(a.dtype) }));
  const dtype = promoteIntegers(a.dtype, b.dtype);
  return emitBinary(
    cx,
    isSigned(dtype) ? 'arith.divsi' : 'arith.divui',
    cast(cx, a, dtype),
    cast(cx, b, dtype),
  );
}

export function modulo(cx: Context, left: Val, right: Val): Tensor {
  const [a, b] = operands(cx, left, right, { division: true });
  return byClass(cx, a, b, '%', 'arith.remf', 'arith.remsi', 'arith.remui');
}

function bitwiseOperands(cx: Context, left: Val, right: Val, what: string): [Tensor, Tensor] {
  const [a, b] = operands(cx, left, right);
  if (!isInt(a.dtype) || !isInt(b.dtype))
    return cx.fail(
      'HC0205',
      MESSAGES.HC0205.invalidOperandsType({
        dtype: showDtype(a.dtype),
        dtype2: showDtype(b.dtype),
        what,
      }),
    );
  const dtype = promoteIntegers(a.dtype, b.dtype);
  return [cast(cx, a, dtype), cast(cx, b, dtype)];
}

export function bitwise(cx: Context, operator: '&' | '|' | '^', left: Val, right: Val): Tensor {
  const [a, b] = bitwiseOperands(cx, left, right, operator);
  const names = { '&': 'arith.andi', '|': 'arith.ori', '^': 'arith.xori' } as const;
  return emitBinary(cx, names[operator], a, b);
}

/** `owner`: the operand whose method Python calls; its sign decides the right shift. */
export function shift(
  cx: Context,
  operator: '<<' | '>>',
  left: Val,
  right: Val,
  owner: Tensor,
): Tensor {
  if (left.kind === 'tensor' && right.kind === 'int' && right.value >= BigInt(bits(left.dtype)))
    cx.warn('HC0215', MESSAGES.HC0215.shiftingByBits({ left: describe(left), value: right.value }));
  const [a, b] = bitwiseOperands(cx, left, right, operator);
  if (operator === '<<') return emitBinary(cx, 'arith.shli', a, b);
  return emitBinary(cx, isSigned(owner.dtype) ? 'arith.shrsi' : 'arith.shrui', a, b);
}

/** Reads the bits as a truth value, as `and`, `or` and `not` do. */
function truth(cx: Context, x: Tensor, what: string): Tensor {
  if (x.dtype === INT1) return x;
  if (x.dtype.kind === 'number' && bits(x.dtype) === 1) return bitcast(cx, x, INT1);
  return cx.fail('HC0204', MESSAGES.HC0204.takesIntGot({ what, x: describe(x) }));
}
export function logical(cx: Context, operator: 'and' | 'or', left: Val, right: Val): Tensor {
  const a = truth(cx, toTensor(cx, left), operator);
  const b = truth(cx, toTensor(cx, right), operator);
  return bitwise(cx, operator === 'and' ? '&' : '|', a, b);
}
export function logicalNot(cx: Context, x: Tensor): Tensor {
  return invert(cx, truth(cx, x, 'not'));
}

export function negate(cx: Context, x: Tensor): Tensor {
  if (x.dtype.kind === 'pointer')
    return cx.fail('HC0204', MESSAGES.HC0204.wrongTypeArgumentUnary({ dtype: showDtype(x.dtype) }));
  if (isFloating(x.dtype))
    return tensorOf(cx.builder.unary('arith.negf', x.handle), x.dtype, x.shape);
  return emitBinary(cx, 'arith.subi', constant(cx, 0, x.dtype, x.shape), x);
}
export function invert(cx: Context, x: Tensor): Tensor {
  if (!isInt(x.dtype))
    return cx.fail('HC0204', MESSAGES.HC0204.wrongTypeArgument({ dtype: showDtype(x.dtype) }));
  return emitBinary(cx, 'arith.xori', x, constant(cx, -1, x.dtype, x.shape));
}

export type Comparison = '<' | '<=' | '==' | '!=' | '>' | '>=';
const PREDICATES = {
  '<': ['olt', 'slt', 'ult'],
  '<=': ['ole', 'sle', 'ule'],
  '>': ['ogt', 'sgt', 'ugt'],
  '>=': ['oge', 'sge', 'uge'],
  '==': ['oeq', 'eq', 'eq'],
  '!=': ['une', 'ne', 'ne'],
} as const;

/** Comparisons turn a number into a tensor first: its dtype takes part in the promotion. */
export function compare(cx: Context, operator: Comparison, left: Val, right: Val): Tensor {
  const [a, b] = operands(cx, toTensor(cx, left), toTensor(cx, right));
  const [float, signed, unsigned] = PREDICATES[operator];
  if (a.dtype.kind === 'pointer')
    return cx.fail('HC0204', MESSAGES.HC0204.doesNotTake({ operator, a: describe(a) }));
  const predicate = isFloating(a.dtype) ? float : isSigned(a.dtype) ? signed : unsigned;
  return tensorOf(cx.builder.cmp(predicate, a.handle, b.handle), INT1, a.shape);
}

export type NanRule = 'none' | 'all';
export function extremum(
  cx: Context,
  which: 'max' | 'min',
  left: Val,
  right: Val,
  nan: NanRule,
): Tensor {
  const [a, b] = operands(cx, left, right);
  const names: [OpName, OpName, OpName, OpName] =
    which === 'max'
      ? ['arith.maximumf', 'arith.maxnumf', 'arith.maxsi', 'arith.maxui']
      : ['arith.minimumf', 'arith.minnumf', 'arith.minsi', 'arith.minui'];
  const [propagating, plain, signed, unsigned] = names;
  return byClass(
    cx,
    a,
    b,
    `tl.${which}imum`,
    nan === 'all' ? propagating : plain,
    signed,
    unsigned,
  );
}

export function where(cx: Context, condition: Val, left: Val, right: Val): Tensor {
  let test = toTensor(cx, condition);
  if (test.dtype !== INT1)
    cx.warn('HC0301', MESSAGES.HC0301.whereWithCondition({ dtype: showDtype(test.dtype) }));
  test = cast(cx, test, INT1);
  let [x, y] = operands(cx, left, right, { pointerLeft: true, pointerRight: true });
  if (test.shape.length > 0) {
    [test, x] = broadcastPair(cx, test, x);
    [x, y] = broadcastPair(cx, x, y);
  } else [test] = broadcastPair(cx, test, x);
  return tensorOf(cx.builder.select(test.handle, x.handle, y.handle), x.dtype, x.shape);
}
