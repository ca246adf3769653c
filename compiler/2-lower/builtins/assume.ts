/**
 * `tl.assume` states facts about scalars: the range of one (`n > 0`, `pid < 64`) or a divisor
 * (`stride % 16 == 0`), also several by `&`. The facts stand as `tt.range` and `tt.divisibility`
 * on the operation that makes the value, or on the kernel's parameter, as Triton's own hints do.
 * Only facts that hold wherever the value exists are taken: those stated in its block. With debug
 * on, the condition is an assertion too.
 */
import { constantOf } from '../../ir/builder';
import type { Operation, ParameterAttributes, Value } from '../../ir/ir';
import { intersect, type Range, wholeRange } from '../../ir/ops/range';
import { dtypeOf, shapeOf } from '../../ir/types';
import type { Context } from '../context';
import { INT1 } from '../dtypes';
import { define } from '../registry';
import { TL } from '../paths';
import { cast, toTensor } from '../semantics/convert';
import { NONE } from '../values';

define(TL, 'assume(cond)', (cx, a) => {
  const given = a.get('cond');
  const condition = cast(cx, toTensor(cx, given), INT1).handle;
  if (given.kind === 'tensor' && !learn(cx, condition)) cx.ignore('tl.assume');
  if (cx.debug)
    cx.builder.create('tt.assert', [condition], [], {
      message: 'the condition of tl.assume does not hold',
    });
  return NONE;
});

/** Whether anything follows from the condition. */
function learn(cx: Context, condition: Value): boolean {
  const op = condition.definition;
  if (!op || shapeOf(condition.type).length > 0) return false;
  if (op.name === 'arith.andi')
    return op.operands.map((operand) => learn(cx, operand)).includes(true);
  return op.name === 'arith.cmpi' && (learnDivisor(cx, op) || learnRange(cx, op));
}

function learnDivisor(cx: Context, { attributes, operands }: Operation): boolean {
  const remainder = operands[0]!.definition;
  if (attributes['predicate'] !== 'eq' || numberOf(operands[1]!) !== 0) return false;
  if (remainder?.name !== 'arith.remsi' && remainder?.name !== 'arith.remui') return false;
  const divisor = numberOf(remainder.operand(1));
  if (divisor === undefined || divisor < 2) return false;
  return state(cx, remainder.operand(0), ({ divisibility = 1 }) => ({
    divisibility: Math.max(divisibility, divisor),
  }));
}

function learnRange(cx: Context, op: Operation): boolean {
  const [left, right] = op.operands as [Value, Value];
  const given = String(op.attributes['predicate']);
  const mirrored = numberOf(right) === undefined;
  const [value, number] = mirrored ? [right, numberOf(left)] : [left, numberOf(right)];
  if (number === undefined) return false;
  const stated = bounds(mirrored ? (MIRRORED[given] ?? given) : given, number);
  if (!stated) return false;
  const whole = wholeRange(dtypeOf(value.type));
  return state(cx, value, ({ range }) => {
    const before = range ? { low: range[0]!, high: range[1]! } : whole;
    const both = intersect(before, stated);
    return both.low > both.high ? {} : { range: [both.low, both.high] };
  });
}

/** The predicate of the same comparison with its operands exchanged. */
const MIRRORED: Readonly<Record<string, string>> = {
  slt: 'sgt',
  sle: 'sge',
  sgt: 'slt',
  sge: 'sle',
  ugt: 'ult',
  uge: 'ule',
};

/** Values that compare so with a number. */
function bounds(predicate: string, x: number): Range | undefined {
  switch (predicate) {
    case 'eq':
      return { low: x, high: x };
    case 'slt':
      return { low: -Infinity, high: x - 1 };
    case 'sle':
      return { low: -Infinity, high: x };
    case 'sgt':
      return { low: x + 1, high: Infinity };
    case 'sge':
      return { low: x, high: Infinity };
    // Unsigned numbers below one that is not negative are not negative either.
    case 'ult':
      return x < 0 ? undefined : { low: 0, high: x - 1 };
    case 'ule':
      return x < 0 ? undefined : { low: 0, high: x };
    default:
      return undefined;
  }
}

/** A constant that a double holds exactly. */
function numberOf(value: Value): number | undefined {
  const constant = constantOf(value);
  if (constant === undefined || typeof constant === 'boolean') return undefined;
  return Number.isSafeInteger(Number(constant)) ? Number(constant) : undefined;
}

/** Adds to what is known of a value; false where the value exists without the statement. */
function state(
  cx: Context,
  value: Value,
  add: (known: ParameterAttributes) => ParameterAttributes,
): boolean {
  if (shapeOf(value.type).length > 0) return false;
  const { definition } = value;
  const { block } = cx.builder;
  if (!definition) {
    if (value.owner !== block || block.parent) return false;
    const known = cx.facts.get(value) ?? {};
    cx.facts.set(value, { ...known, ...add(known) });
    return true;
  }
  if (definition.parent !== block) return false;
  const { 'tt.range': range, 'tt.divisibility': divisors } = definition.attributes;
  const facts = add({
    ...(Array.isArray(divisors) ? { divisibility: Number(divisors[0]) } : {}),
    ...(Array.isArray(range) ? { range: range as readonly number[] } : {}),
  });
  definition.attributes = {
    ...definition.attributes,
    ...(facts.divisibility === undefined ? {} : { 'tt.divisibility': [facts.divisibility] }),
    ...(facts.range === undefined ? {} : { 'tt.range': [...facts.range] }),
  };
  return true;
}
