/** Replacements of pure operations: the rules of `canonicalize`. */
import type { Builder } from '../ir/builder';
import { constantOf } from '../ir/builder';
import { elementFunction, isEvaluable } from '../ir/evaluate';
import type { Operation, Value } from '../ir/ir';
import type { ScalarValue } from '../ir/numbers';
import { OPS, hasTrait } from '../ir/ops';
import type { Algebra } from '../ir/ops/definition';
import { sameShape, sameTypeIgnoringLayout } from '../ir/sameType';
import type { DType } from '../ir/types';
import { dtypeOf, elementOf, isInteger, shapeOf } from '../ir/types';
import { scalarOf, uniformOf } from './rewrite';

/** A value equal to the operation's only result, or undefined. May build operations before it. */
export function foldOperation(op: Operation, b: Builder): Value | undefined {
  if (isEvaluable(op.name) || op.name === 'tt.addptr') {
    return foldConstants(op, b) ?? foldIdentity(op, b) ?? sinkSplats(op, b);
  }
  return foldShape(op, b);
}

const toElement = (value: ScalarValue) => (typeof value === 'boolean' ? Number(value) : value);
const isZero = (value: ScalarValue) => BigInt(value) === 0n;

/** Every operand a constant: so is the result. */
function foldConstants(op: Operation, b: Builder): Value | undefined {
  if (!isEvaluable(op.name)) return undefined;
  const values: ScalarValue[] = [];
  for (const operand of op.operands) {
    const value = constantOf(operand);
    if (value === undefined) return undefined;
    values.push(value);
  }
  const from = dtypeOf(op.operand(0).type);
  const to = dtypeOf(op.result.type);
  if (!from || !to) return undefined;
  if (algebraOf(op)?.traps && isZero(values[1]!)) return undefined;
  const f = elementFunction(op.name, { from, to, attributes: op.attributes });
  const [x, y, z] = values.map(toElement);
  const result = f!(x ?? 0, y ?? 0, z ?? 0);
  return b.constant(op.result.type, to === 'i1' ? Boolean(result) : result);
}

/** Is it this number? True is all bits. */
function is(value: ScalarValue, x: number | undefined, signedZero = false): boolean {
  if (x === undefined) return false;
  const number = value === true ? -1 : Number(value);
  return signedZero ? Object.is(number, x) : number === x;
}

function foldIdentity(op: Operation, b: Builder): Value | undefined {
  const lhs = op.operand(0);
  const rhs = op.operands[1];
  if (!rhs) return foldCast(op, b);
  // Constants of commutative operations stand right, so that equal operations look equal.
  if (hasTrait(op.name, 'commutative') && constantOf(lhs) !== undefined)
    if (constantOf(rhs) === undefined)
      return b.value(op.name, [rhs, lhs], op.result.type, op.attributes);
  if (op.name === 'arith.cmpi') return foldCompare(op, b);
  if (op.name === 'arith.select') return foldSelect(op, b);
  return foldAlgebra(op, lhs, rhs, b);
}

/** By the identities that the operation's definition states. */
function foldAlgebra(op: Operation, lhs: Value, rhs: Value, b: Builder): Value | undefined {
  const algebra = algebraOf(op);
  if (!algebra) return undefined;
  const zero = () => b.constant(op.result.type, dtypeOf(op.result.type) === 'i1' ? false : 0);
  if (lhs === rhs && algebra.self) return algebra.self === 'same' ? lhs : zero();
  const c = constantOf(rhs);
  if (c === undefined) return undefined;
  if (is(c, algebra.identity, algebra.signedZero)) return lhs;
  if (is(c, algebra.annihilator)) return zero();
  if (is(c, algebra.absorbing)) return rhs;
  return algebra.associative ? associate(op, b) : undefined;
}
function algebraOf(op: Operation): Algebra | undefined {
  const definition = OPS[op.name];
  return 'algebra' in definition ? definition.algebra : undefined;
}

/** (x + c) + d is x + (c + d), and likewise for products: integers wrap alike either way. */
function associate(op: Operation, b: Builder): Value | undefined {
  const inner = op.operand(0).definition;
  if (inner?.name !== op.name) return undefined;
  const [c, d] = [constantOf(inner.operand(1)), constantOf(op.operand(1))];
  if (c === undefined || d === undefined || typeof c === 'boolean') return undefined;
  const [x, y] = [BigInt(c as number), BigInt(d as number)];
  const folded = b.constant(op.result.type, op.name === 'arith.addi' ? x + y : x * y);
  return b.binary(op.name, inner.operand(0), folded);
}

function foldCompare(op: Operation, b: Builder): Value | undefined {
  if (op.operand(0) !== op.operand(1)) return undefined;
  const predicate = String(op.attributes['predicate']);
  return b.constant(op.result.type, /^(eq|.le|.ge)$/.test(predicate));
}

function foldSelect(op: Operation, b: Builder): Value | undefined {
  const [condition, yes, no] = [op.operand(0), op.operand(1), op.operand(2)];
  if (yes === no) return yes;
  const c = constantOf(condition);
  if (c !== undefined) return c ? yes : no;
  if (dtypeOf(yes.type) === 'i1' && sameShape(shapeOf(condition.type), shapeOf(yes.type))) {
    const [y, n] = [constantOf(yes), constantOf(no)];
    if (y === true && n === false) return condition;
    if (y === false && n === true)
      return b.binary('arith.xori', condition, b.constant(yes.type, true));
  }
  return undefined;
}

function foldCast(op: Operation, b: Builder): Value | undefined {
  const x = op.operand(0);
  const inner = x.definition;
  const to = op.result.type;
  switch (op.name) {
    case 'arith.trunci': {
      if (!inner || !/^arith\.ext[su]i$/.test(inner.name)) return undefined;
      const source = inner.operand(0);
      const [a, c] = [widthOf(source), widthOf(op.result)];
      if (a === c) return source;
      return b.value(a > c ? 'arith.trunci' : inner.name, [source], to);
    }
    case 'arith.extsi':
    case 'arith.extui': {
      if (inner?.name === op.name) return b.value(op.name, [inner.operand(0)], to);
      // Zeros in front: the sign bit is 0.
      if (op.name === 'arith.extsi' && inner?.name === 'arith.extui')
        return b.value('arith.extui', [inner.operand(0)], to);
      return undefined;
    }
    case 'arith.truncf':
      // Widening is exact, so narrowing again gives the same number.
      if (inner?.name === 'arith.extf' && sameTypeIgnoringLayout(inner.operand(0).type, to))
        return inner.operand(0);
      return undefined;
    case 'tt.fp_to_fp':
    case 'arith.bitcast':
      if (sameTypeIgnoringLayout(x.type, to)) return x;
      return inner?.name === 'arith.bitcast' && op.name === 'arith.bitcast'
        ? b.value('arith.bitcast', [inner.operand(0)], to)
        : undefined;
    case 'arith.negf':
      return inner?.name === 'arith.negf' ? inner.operand(0) : undefined;
    default:
      return undefined;
  }
}
const WIDTH: Partial<Record<DType, number>> = { i1: 1, i8: 8, i16: 16, i32: 32, i64: 64 };
function widthOf(value: Value): number {
  const dtype = dtypeOf(value.type);
  return (dtype && isInteger(dtype) && WIDTH[dtype]) || 0;
}

/** An elementwise operation of tiles that are one number everywhere: compute that number once. */
function sinkSplats(op: Operation, b: Builder): Value | undefined {
  if (op.result.type.kind !== 'tensor') return undefined;
  const uniforms = op.operands.map(uniformOf);
  const scalars: Value[] = [];
  if (!uniforms.some((u) => u?.kind === 'value')) return undefined;
  if (uniforms.includes(undefined)) return undefined;
  uniforms.forEach((u, i) => scalars.push(scalarOf(u!, elementOf(op.operand(i).type), b)));
  const element = elementOf(op.result.type);
  const scalar = b.value(op.name, scalars, element, op.attributes);
  return b.splat(scalar, shapeOf(op.result.type));
}

function foldShape(op: Operation, b: Builder): Value | undefined {
  const x = op.operands[0];
  if (!x) return undefined;
  const type = op.result.type;
  const shape = shapeOf(type);
  switch (op.name) {
    case 'tt.splat': {
      const c = constantOf(x);
      return c === undefined ? undefined : b.constant(type, c);
    }
    case 'tt.broadcast':
    case 'tt.expand_dims':
    case 'tt.reshape':
    case 'tt.trans': {
      const uniform = uniformOf(x);
      if (uniform?.kind === 'constant') return b.constant(type, uniform.value);
      if (uniform) return b.splat(uniform.value, shape);
      return foldMove(op, b);
    }
    case 'tt.unsplat': {
      const uniform = uniformOf(x);
      if (uniform) return scalarOf(uniform, elementOf(type), b);
      const inner = x.definition;
      if (inner?.name === 'tt.reshape' || inner?.name === 'tt.expand_dims')
        return b.value('tt.unsplat', [inner.operand(0)]);
      return undefined;
    }
    case 'tt.load':
      return foldLoad(op, b);
    case 'tt.int_to_ptr':
    case 'tt.ptr_to_int':
    case 'tt.bitcast':
      return foldAddress(op, b);
    default:
      return undefined;
  }
}

/** There and back again: an address as an integer, a pointer to something else. */
function foldAddress(op: Operation, b: Builder): Value | undefined {
  const x = op.operand(0);
  const inner = x.definition;
  const type = op.result.type;
  const source = inner?.operands[0];
  if (op.name === 'tt.bitcast' && sameTypeIgnoringLayout(x.type, type)) return x;
  if (op.name === 'tt.int_to_ptr' && inner?.name === 'tt.ptr_to_int')
    return b.value('tt.bitcast', [source!], type);
  if (op.name === 'tt.ptr_to_int' && inner?.name === 'tt.int_to_ptr') return source;
  if (op.name === 'tt.ptr_to_int' && inner?.name === 'arith.select') {
    // Numbers that are no addresses of anything stay what they are.
    const [yes, no] = [inner.operand(1).definition, inner.operand(2).definition];
    if (yes?.name !== 'tt.int_to_ptr' || no?.name !== 'tt.int_to_ptr') return undefined;
    return b.value('arith.select', [inner.operand(0), yes.operand(0), no.operand(0)], type);
  }
  if (op.name === 'tt.bitcast' && inner?.name === op.name)
    return b.value('tt.bitcast', [source!], type);
  return undefined;
}

/** Shape operations in a row, or without effect. */
function foldMove(op: Operation, b: Builder): Value | undefined {
  const x = op.operand(0);
  const inner = x.definition;
  const shape = shapeOf(op.result.type);
  switch (op.name) {
    case 'tt.broadcast':
      if (sameShape(shapeOf(x.type), shape)) return x;
      return inner?.name === 'tt.broadcast' ? b.broadcast(inner.operand(0), shape) : undefined;
    case 'tt.reshape': {
      const free = op.attributes['allowReorder'] === true;
      if (sameShape(shapeOf(x.type), shape)) return x;
      if (inner?.name === 'tt.reshape' && inner.attributes['allowReorder'] !== true)
        return b.reshape(inner.operand(0), shape, free);
      return inner?.name === 'tt.expand_dims'
        ? b.reshape(inner.operand(0), shape, free)
        : undefined;
    }
    case 'tt.trans': {
      const order = op.attributes['order'] as readonly number[];
      if (order.every((d, i) => d === i)) return x;
      if (inner?.name !== 'tt.trans') return undefined;
      const first = inner.attributes['order'] as readonly number[];
      return b.trans(
        inner.operand(0),
        order.map((d) => first[d]!),
      );
    }
    default:
      return undefined;
  }
}

function foldLoad(op: Operation, b: Builder): Value | undefined {
  const [pointer, mask, other] = op.operands;
  if (!mask || op.attributes['isVolatile'] === true) return undefined;
  const c = constantOf(mask);
  if (c === true) return b.load(pointer!, undefined, undefined, op.attributes);
  if (c !== false) return undefined;
  const dtype = dtypeOf(op.result.type);
  if (other || !dtype) return other;
  return b.constant(op.result.type, dtype === 'i1' ? false : 0);
}
