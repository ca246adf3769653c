/** Integer operations of the IR as polynomials; undefined where one is not understood. */
import type { Operation } from '../ir/ir';
import { isOp } from '../ir/ops';
import { bitWidth, dtypeOf, isInteger, shapeOf } from '../ir/types';
import { loopsAround, type Evaluator } from './evaluator';
import { alternatives, negate } from './formula';
import type { Indices } from './indices';
import { Poly } from './polynomial';

export function integerOf(cx: Evaluator, op: Operation, indices: Indices): Poly | undefined {
  if (op.results.length !== 1) return undefined;
  const dtype = dtypeOf(op.result.type);
  if (!dtype || !isInteger(dtype) || dtype === 'i1') return undefined;
  if (isOp(op, 'arith.constant')) return constant(op.attributes.value);
  if (isOp(op, 'tt.make_range')) return indices[0]?.plusConstant(op.attributes.start);
  if (isOp(op, 'tt.get_program_id')) return cx.model.program(op.attributes.axis);
  if (isOp(op, 'tt.get_num_programs')) return cx.model.programs(op.attributes.axis);
  const poly = computed(cx, op, indices);
  return poly && cx.isExact(op, poly) ? poly : undefined;
}

function constant(value: number | bigint | boolean): Poly | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) ? Poly.constant(number) : undefined;
}

function computed(cx: Evaluator, op: Operation, indices: Indices): Poly | undefined {
  const { arithmetic } = cx;
  const at = (i: number): Poly => cx.integer(op.operand(i), indices);
  const natural = (...polys: readonly Poly[]): boolean =>
    polys.every((poly) => arithmetic.isNonNegative(poly));
  switch (op.name) {
    case 'arith.addi':
      return arithmetic.terms.recombined(at(0).plus(at(1)));
    case 'arith.subi':
      return at(0).minus(at(1));
    case 'arith.muli':
      return at(0).times(at(1));
    case 'arith.divsi':
      return arithmetic.signedQuotient(at(0), at(1));
    case 'arith.remsi':
      return arithmetic.signedRemainder(at(0), at(1));
    case 'arith.divui':
      return natural(at(0), at(1)) ? arithmetic.floorDivide(at(0), at(1))?.quotient : undefined;
    case 'arith.remui':
      return natural(at(0), at(1)) ? arithmetic.floorDivide(at(0), at(1))?.remainder : undefined;
    case 'arith.minsi':
      return arithmetic.minimum(at(0), at(1));
    case 'arith.maxsi':
      return arithmetic.maximum(at(0), at(1));
    case 'arith.minui':
      return natural(at(0), at(1)) ? arithmetic.minimum(at(0), at(1)) : undefined;
    case 'arith.maxui':
      return natural(at(0), at(1)) ? arithmetic.maximum(at(0), at(1)) : undefined;
    case 'arith.shli':
    case 'arith.shrsi':
    case 'arith.shrui':
      return shifted(cx, op, at(0), at(1));
    case 'arith.andi':
      return masked(cx, at(0), at(1)) ?? masked(cx, at(1), at(0));
    case 'arith.extsi':
      return isTruth(op) ? undefined : at(0);
    case 'arith.extui':
      return widened(cx, op, indices);
    case 'arith.trunci':
      return at(0);
    case 'arith.select':
      return selected(cx, op, indices);
    default:
      return undefined;
  }
}

const isTruth = (op: Operation): boolean => dtypeOf(op.operand(0).type) === 'i1';

function shifted(cx: Evaluator, op: Operation, x: Poly, by: Poly): Poly | undefined {
  const bits = by.asConstant;
  if (bits === undefined || bits < 0 || bits >= bitWidth(dtypeOf(op.result.type)!))
    return undefined;
  const power = Poly.constant(2 ** bits);
  if (op.name === 'arith.shli') return x.times(power);
  if (op.name === 'arith.shrui' && !cx.arithmetic.isNonNegative(x)) return undefined;
  return cx.arithmetic.floorDivide(x, power)?.quotient;
}

/** `x & (2^k - 1)`, `x & -(2^k)`, in two's complement. */
function masked(cx: Evaluator, x: Poly, mask: Poly): Poly | undefined {
  const bits = mask.asConstant;
  if (bits === undefined) return undefined;
  const isPower = (size: number): boolean => size > 0 && Number.isInteger(Math.log2(size));
  const size = Poly.constant(bits >= 0 ? bits + 1 : -bits);
  if (!isPower(size.asConstant!)) return undefined;
  const low = cx.arithmetic.floorDivide(x, size)?.remainder;
  return bits >= 0 ? low : low && x.minus(low);
}

function widened(cx: Evaluator, op: Operation, indices: Indices): Poly | undefined {
  const from = dtypeOf(op.operand(0).type)!;
  if (from === 'i1') {
    const cases = [0, 1].map((value) => ({ value: Poly.constant(value), facts: [] }));
    const poly = cx.arithmetic.choice(
      cx.keyOf(op.result, indices),
      'a bit',
      cases,
      loopsOf(cx, op, indices),
    );
    const { terms } = cx.arithmetic;
    if (terms.atom(poly.atoms[0]!).facts.length === 0) terms.know(poly, poly, Poly.ONE.minus(poly));
    return poly;
  }
  const x = cx.integer(op.operand(0), indices);
  if (cx.arithmetic.isNonNegative(x)) return x;
  if (from === 'i64') return undefined;
  return cx.unknown(op.result, indices, 0, 2 ** bitWidth(from) - 1);
}

function selected(cx: Evaluator, op: Operation, indices: Indices): Poly {
  const [condition, yes, no] = [op.operand(0), op.operand(1), op.operand(2)];
  const [a, b] = [cx.integer(yes, indices), cx.integer(no, indices)];
  if (a.equals(b)) return a;
  const scalar = shapeOf(condition.type).length === 0;
  const formula = cx.truth(condition, scalar ? [] : indices);
  const when = (value: Poly, lists: readonly (readonly Poly[])[]) =>
    lists.map((facts) => ({ value, facts }));
  const cases = [...when(a, alternatives(formula)), ...when(b, alternatives(negate(formula)))];
  if (cases.length === 1) return cases[0]!.value;
  return cx.arithmetic.choice(
    cx.keyOf(op.result, indices),
    'a choice',
    cases,
    loopsOf(cx, op, indices),
  );
}

const loopsOf = (cx: Evaluator, op: Operation, indices: Indices): Operation[] => [
  ...loopsAround(op.result),
  ...cx.arithmetic.terms.loopsOf(...indices),
];
