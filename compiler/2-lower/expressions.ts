/** Expressions: literals, names, operators, comparisons, choices, attributes and subscripts. */
import { MESSAGES } from './codes';
import { Block } from '../ir/ir';
import type { BinaryOperator, Expression } from '../1-parse/syntax';
import { attribute } from './attributes';
import { call } from './calls';
import type { Context } from './context';
import { INT1 } from './dtypes';
import { lookup } from './names';
import { callObjectMethod } from './objects';
import {
  bitwise,
  checked,
  compare,
  floorDivide,
  invert,
  logical,
  logicalNot,
  modulo,
  negate,
  shift,
  trueDivide,
  type Comparison,
} from './semantics/arithmetic';
import { checkLength } from './limits';
import { cast, expandDims, tensorOf, toTensor, unsplat } from './semantics/convert';
import { checkShape, staticInt } from './shapes';
import { staticBinary, staticCompare, staticUnary, truthOf } from './static';
import {
  NONE,
  bool,
  describe,
  isTensor,
  sameStatic,
  sameType,
  show,
  str,
  tuple,
  type Tensor,
  type Val,
} from './values';

export function evaluate(cx: Context, node: Expression): Val {
  return cx.at(node.location, () => {
    const value = evaluateHere(cx, node);
    cx.observe(node.location, value);
    return value;
  });
}

function evaluateHere(cx: Context, node: Expression): Val {
  switch (node.kind) {
    case 'name':
      return lookup(cx, node.id);
    case 'literal': {
      const { value } = node;
      return value.type === 'none'
        ? NONE
        : value.type === 'ellipsis'
          ? { kind: 'ellipsis' }
          : value.type === 'bool'
            ? bool(value.value)
            : value.type === 'int'
              ? { kind: 'int', value: value.value }
              : value.type === 'float'
                ? { kind: 'float', value: value.value }
                : str(value.value);
    }
    case 'fstring':
      return str(
        node.parts
          .map((part) => {
            if (part.kind === 'text') return part.text;
            const value = evaluate(cx, part.value);
            if (isTensor(value))
              cx.fail('HC0201', MESSAGES.HC0201.stringTakesCompile({ value: describe(value) }));
            const text = show(value, part.conversion === 'r');
            checkLength(cx, text.length, 1, 'string');
            return text;
          })
          .join(''),
      );
    case 'attribute':
      return attribute(cx, evaluate(cx, node.object), node.name, node.nameLocation);
    case 'call':
      return call(cx, node);
    case 'subscript':
      return subscript(cx, evaluate(cx, node.object), evaluate(cx, node.index));
    case 'slice': {
      const part = (e: Expression | undefined): Val => (e ? evaluate(cx, e) : NONE);
      return {
        kind: 'slice',
        lower: part(node.lower),
        upper: part(node.upper),
        step: part(node.step),
      };
    }
    case 'binary':
      return binary(cx, node.operator, evaluate(cx, node.left), evaluate(cx, node.right));
    case 'unary': {
      const operand = evaluate(cx, node.operand);
      if (!isTensor(operand)) return staticUnary(cx, node.operator, operand);
      switch (node.operator) {
        case '-':
          return negate(cx, operand);
        case '~':
          return invert(cx, operand);
        case 'not':
          return logicalNot(cx, operand);
        default:
          return cx.fail('HC0204', MESSAGES.HC0204.unaryNotDefined());
      }
    }
    case 'bool':
      return boolOp(cx, node.operator, node.values);
    case 'compare': {
      const [only] = node.rest;
      if (!only || node.rest.length > 1)
        return cx.fail(
          'HC0110',
          'chained comparisons are not supported in a kernel: write (a < b) & (b < c)',
        );
      return comparison(cx, node.left, only.operator, only.operand);
    }
    case 'conditional':
      return conditional(cx, node);
    case 'tuple':
    case 'list':
      return tuple(
        node.items.flatMap((item) => {
          if (item.kind !== 'starred') return [evaluate(cx, item)];
          const inner = evaluate(cx, item.value);
          return inner.kind === 'tuple' ? inner.items : cx.fail('HC0107', '* takes a tuple');
        }),
      );
    case 'comprehension': {
      if (node.more) cx.fail('HC0102', MESSAGES.HC0102.comprehensionMayOne());
      const iterable = evaluate(cx, node.iterable);
      if (iterable.kind !== 'tuple')
        return cx.fail('HC0102', MESSAGES.HC0102.comprehensionRunsOver());
      if (node.target.kind !== 'name')
        return cx.fail('HC0102', MESSAGES.HC0102.unsupportedComprehensionTarget());
      const { id } = node.target;
      return tuple(
        iterable.items.map((item) => {
          cx.set(id, item);
          return evaluate(cx, node.element);
        }),
      );
    }
    case 'walrus': {
      const value = sanitize(cx, evaluate(cx, node.value), node.target.id);
      cx.set(node.target.id, value);
      return value;
    }
    case 'starred':
      return cx.fail('HC0102', MESSAGES.HC0102.starredExpressionStands());
    case 'unsupported':
      return cx.fail('HC0102', MESSAGES.HC0102.tritonDoesNot({ what: node.what }));
    default:
      return node satisfies never;
  }
}

/**
 * Value that an assignment stores: a Python number becomes a 0-d tensor here, which makes
 * `s = 2.0; half * s` an fp32 tensor.
 */
export function sanitize(cx: Context, value: Val, name: string): Val {
  switch (value.kind) {
    case 'tuple':
      return { ...value, items: value.items.map((item) => sanitize(cx, item, name)) };
    case 'bool':
    case 'int':
    case 'float':
      return toTensor(cx, value);
    case 'tensor':
    case 'aggregate':
    case 'object':
    case 'none':
    case 'dtype':
    case 'blocktype':
      return value;
    case 'invalid':
      return value;
    default:
      return cx.fail(
        'HC0204',
        MESSAGES.HC0204.cannotAssignedVariable({ value: show(value), name }),
      );
  }
}

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

function comparison(
  cx: Context,
  leftNode: Expression,
  operator: string,
  rightNode: Expression,
): Val {
  const a = evaluate(cx, leftNode);
  const b = evaluate(cx, rightNode);
  if (operator === 'is' || operator === 'is not') {
    const same = isTensor(a) || isTensor(b) ? a === b : sameStatic(a, b);
    return bool(same === (operator === 'is'));
  }
  const own = byMethod(cx, operator, a, b);
  if (own) return own;
  if (operator === 'in' || operator === 'not in')
    return cx.fail('HC0102', MESSAGES.HC0102.operatorNotSupported({ operator }));
  if (!isTensor(a) && !isTensor(b)) return staticCompare(cx, operator as Comparison, a, b);
  return compare(cx, operator as Comparison, a, b);
}

/** `and`/`or`: compile-time operands short-circuit, tensors are combined bitwise. */
function boolOp(cx: Context, operator: 'and' | 'or', nodes: readonly Expression[]): Val {
  const tensors: Tensor[] = [];
  let last: Val = NONE;
  for (const node of nodes) {
    const value = evaluate(cx, node);
    last = value;
    if (isTensor(value)) {
      if (value.shape.length > 0)
        cx.warn(
          'HC0301',
          `"${operator}" on tiles is deprecated; use ${operator === 'and' ? '&' : '|'}`,
        );
      tensors.push(value);
      continue;
    }
    const truth = truthOf(value);
    if (truth === undefined)
      return cx.fail('HC0210', MESSAGES.HC0210.noTruthValue({ value: describe(value) }));
    if (truth === (operator === 'or')) return value;
  }
  const [first, ...rest] = tensors.reverse();
  if (!first) return last;
  // From the right, as Triton folds them.
  return rest.reduce((right, left) => logical(cx, operator, left, right), first);
}

/** A 0-d i1 of a run-time condition. */
export function conditionOf(cx: Context, value: Tensor): Tensor {
  if (value.shape.some((size) => size !== 1))
    cx.fail('HC0210', MESSAGES.HC0210.truthTensorWith({ value: describe(value) }));
  if (value.shape.length > 0)
    cx.warn('HC0301', MESSAGES.HC0301.ifOfTile({ value: describe(value) }));
  return cast(cx, unsplat(cx, value), INT1);
}
/** The truth of a compile-time condition. */
export function staticCondition(cx: Context, value: Val): boolean {
  if (value.kind === 'bool' || value.kind === 'int' || value.kind === 'none')
    return truthOf(value) ?? false;
  if (value.kind === 'invalid') return cx.fail('HC0210', value.message ?? 'invalid condition');
  return cx.fail('HC0210', MESSAGES.HC0210.conditionBoolInt({ value: describe(value) }));
}

function conditional(cx: Context, node: Expression & { kind: 'conditional' }): Val {
  const test = evaluate(cx, node.test);
  if (!isTensor(test)) return evaluate(cx, staticCondition(cx, test) ? node.yes : node.no);
  const condition = conditionOf(cx, test);
  const branches = [node.yes, node.no].map((branch) => {
    const block = new Block();
    const value = cx.builder.inside(block, () => {
      const found = evaluate(cx, branch);
      return found.kind === 'none' ? null : toTensor(cx, found);
    });
    return { block, value };
  });
  const [{ value: yes, block: yesBlock }, { value: no, block: noBlock }] = branches as [
    (typeof branches)[0],
    (typeof branches)[0],
  ];
  if (yes === null && no === null) {
    // Calls that are made for what they do.
    for (const { block } of branches)
      cx.builder.inside(block, () => cx.builder.create('scf.yield', [], []));
    cx.builder.create('scf.if', [condition.handle], [], {}, [yesBlock, noBlock]);
    return NONE;
  }
  if (yes === null || no === null || !sameType(yes, no))
    return cx.fail(
      'HC0209',
      MESSAGES.HC0209.ternaryExpressionWith({
        value: describe(yes ?? NONE),
        value2: describe(no ?? NONE),
      }),
    );
  for (const [block, value] of [
    [yesBlock, yes],
    [noBlock, no],
  ] as const)
    cx.builder.inside(block, () => cx.builder.create('scf.yield', [value.handle], []));
  const blocks = [yesBlock, noBlock];
  const op = cx.builder.create('scf.if', [condition.handle], [yes.handle.type], {}, blocks);
  return tensorOf(op.result, yes.dtype, yes.shape);
}

function subscript(cx: Context, object: Val, index: Val): Val {
  if (isTensor(object)) return tensorIndex(cx, object, index);
  if (object.kind === 'tuple') {
    if (index.kind === 'slice') {
      const bound = (v: Val): number | undefined =>
        v.kind === 'none' ? undefined : staticInt(cx, v, 'slice bound');
      const step = bound(index.step) ?? 1;
      const items = object.items.slice(bound(index.lower), bound(index.upper));
      if (step === 1) return tuple(items);
      if (step === -1 && index.lower.kind === 'none' && index.upper.kind === 'none')
        return tuple([...object.items].reverse());
      return tuple(items.filter((_, i) => i % step === 0));
    }
    const at = staticInt(cx, index, 'a tuple index');
    const item = object.items.at(at);
    return (
      item ??
      cx.fail(
        'HC0214',
        object.items.length > 0
          ? MESSAGES.HC0214.tupleIndexOut({ at, count: object.items.length })
          : MESSAGES.HC0214.emptyTupleIndex({ at }),
      )
    );
  }
  if (object.kind === 'string') {
    const letters = subscript(cx, tuple([...object.value].map(str)), index);
    return letters.kind === 'tuple'
      ? str(letters.items.map((letter) => show(letter, false)).join(''))
      : letters;
  }
  if (object.kind === 'object')
    return callObjectMethod(cx, object, '__getitem__', [index], new Map());
  if (object.kind === 'invalid')
    return cx.fail('HC0109', object.message ?? 'this value is not valid');
  return cx.fail('HC0109', MESSAGES.HC0109.cannotIndexed({ object: describe(object) }));
}

function tensorIndex(cx: Context, x: Tensor, index: Val): Tensor {
  const items = index.kind === 'tuple' ? index.items : [index];
  let result = x;
  items.forEach((item, dim) => {
    if (item.kind === 'none') {
      checkShape(cx, result.shape);
      // A scalar has no dimensions to count: `s[:, None]` is `s[None]`, as in Triton.
      const axis = result.shape.length === 0 ? 0 : dim;
      if (axis > result.shape.length)
        cx.fail('HC0202', MESSAGES.HC0202.tooManyIndices({ result: describe(result) }));
      result = expandDims(cx, result, axis);
      return;
    }
    const whole =
      item.kind === 'slice' &&
      [item.lower, item.upper, item.step].every((part) => part.kind === 'none');
    if (!whole)
      cx.fail(
        'HC0102',
        x.dtype.kind === 'pointer' && x.shape.length === 0
          ? MESSAGES.HC0102.unsupportedPointerIndex()
          : MESSAGES.HC0102.unsupportedTensorIndex(),
      );
  });
  return result;
}
