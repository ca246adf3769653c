/**
 * Expressions: the value of each, by evaluating those inside it in Python's order. A choice that
 * depends on a run-time value becomes `scf.if`.
 */
import { MESSAGES } from './codes';
import { Block } from '../ir/ir';
import type { Expression, FStringPart, Literal } from '../1-parse/syntax';
import { attribute } from './attributes';
import { layoutNameOf } from './authored';
import { call } from './calls';
import type { Context } from './context';
import { INT1 } from './dtypes';
import { lookup } from './names';
import { binary, comparison, unary } from './operators';
import { logical } from './semantics/arithmetic';
import { checkLength } from './limits';
import { cast, tensorOf, toTensor, unsplat } from './semantics/convert';
import { truthOf } from './static';
import { subscript } from './subscripts';
import { NONE, bool, describe, isTensor, sameType, show, str, tuple } from './values';
import type { Tensor, Val } from './values';

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
    case 'literal':
      return literalValue(node.value);
    case 'fstring':
      return formatted(cx, node.parts);
    case 'attribute':
      return attribute(cx, evaluate(cx, node.object), node.name, node.nameLocation);
    case 'call':
      return call(cx, node);
    case 'subscript':
      return subscript(cx, evaluate(cx, node.object), evaluate(cx, node.index));
    case 'slice':
      return {
        kind: 'slice',
        lower: node.lower ? evaluate(cx, node.lower) : NONE,
        upper: node.upper ? evaluate(cx, node.upper) : NONE,
        step: node.step ? evaluate(cx, node.step) : NONE,
      };
    case 'binary':
      return binary(cx, node.operator, evaluate(cx, node.left), evaluate(cx, node.right));
    case 'unary':
      return unary(cx, node.operator, evaluate(cx, node.operand));
    case 'bool':
      return boolOp(cx, node.operator, node.values);
    case 'compare': {
      const [only] = node.rest;
      if (!only || node.rest.length > 1)
        return cx.fail(
          'HC0110',
          'chained comparisons are not supported in a kernel: write (a < b) & (b < c)',
        );
      return comparison(cx, only.operator, evaluate(cx, node.left), evaluate(cx, only.operand));
    }
    case 'conditional':
      return conditional(cx, node);
    case 'tuple':
    case 'list':
      return tuple(itemsOf(cx, node.items));
    case 'comprehension':
      return comprehension(cx, node);
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

function literalValue(literal: Literal): Val {
  switch (literal.type) {
    case 'none':
      return NONE;
    case 'ellipsis':
      return { kind: 'ellipsis' };
    case 'bool':
      return bool(literal.value);
    case 'int':
      return { kind: 'int', value: literal.value };
    case 'float':
      return { kind: 'float', value: literal.value };
    case 'string':
      return str(literal.value);
    default:
      return literal satisfies never;
  }
}

/** An f-string, whose values must be compile-time ones. */
function formatted(cx: Context, parts: readonly FStringPart[]): Val {
  let result = '';
  for (const part of parts) {
    if (part.kind === 'text') {
      result += part.text;
      continue;
    }
    const value = evaluate(cx, part.value);
    if (isTensor(value))
      cx.fail('HC0201', MESSAGES.HC0201.stringTakesCompile({ value: describe(value) }));
    const text = show(value, part.conversion === 'r');
    checkLength(cx, text.length, 1, 'string');
    result += text;
  }
  return str(result);
}

/** The items of a tuple or list; those of `*tuple` stand in its place. */
function itemsOf(cx: Context, nodes: readonly Expression[]): Val[] {
  const items: Val[] = [];
  for (const node of nodes) {
    if (node.kind !== 'starred') {
      items.push(evaluate(cx, node));
      continue;
    }
    const inner = evaluate(cx, node.value);
    if (inner.kind !== 'tuple') return cx.fail('HC0107', '* takes a tuple');
    for (const item of inner.items) items.push(item);
  }
  return items;
}

function comprehension(cx: Context, node: Expression & { kind: 'comprehension' }): Val {
  if (node.more) cx.fail('HC0102', MESSAGES.HC0102.comprehensionMayOne());
  const iterable = evaluate(cx, node.iterable);
  if (iterable.kind !== 'tuple') return cx.fail('HC0102', MESSAGES.HC0102.comprehensionRunsOver());
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

/**
 * Value that an assignment stores: a Python number becomes a 0-d tensor here, which makes
 * `s = 2.0; half * s` an fp32 tensor.
 */
export function sanitize(cx: Context, value: Val, name: string): Val {
  switch (value.kind) {
    case 'tuple':
      if (cx.isGluon && layoutNameOf(value))
        cx.fail('HC0204', MESSAGES.HC0204.cannotAssignedVariable({ value: show(value), name }));
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
