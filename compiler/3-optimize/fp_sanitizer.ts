/**
 * Replaces floating-point arithmetic by exact integer arithmetic on payloads (`ir/payloads.ts`), as
 * Triton's FpSan does, for launches with `instrumentation_mode="fpsan"` only. Sums, products,
 * multiply-adds and dots become those of the integers mod 2^w, so that every order of them gives
 * the same bits. Memory holds floats: a load makes payloads of their bits, a store bits of
 * payloads. Inside the kernel every float is an integer of its width.
 *
 * What Triton leaves to floats (comparisons, absolute values, limits, conversions to and from
 * integers) acts on the bits that a payload stands for. Comparisons do so in integers, since
 * adapters disagree on the NaNs and denormals among such bits.
 *
 * The mode `prove`, of `hippocamp prove`, differs in two points. Floats are ordered by their
 * payloads, so that a comparison agrees with a maximum; and an infinity that the kernel's text
 * names absorbs what is added to it, so that masked elements are no part of a softmax.
 */
import { Builder } from '../ir/builder';
import type { Block, Func, Operation, Value } from '../ir/ir';
import { integerOf, payloadOf } from '../ir/payloads';
import { dtypeOf, elementOf, isFloat, scalar, withElement } from '../ir/types';
import type { ElementType, FloatType, Type } from '../ir/types';
import { Payloads } from './payloadOps';
import { isMask, possibleInfinities } from './infinities';
import { refuse, rewriteOf, type Rewriting } from './payloadRewrites';
import { replaceOp } from './rewrite';

/** Attribute of a function that requests it; the pass removes it. */
const INSTRUMENTATION = 'instrumentation';

export function fp_sanitizer(func: Func): boolean {
  const { [INSTRUMENTATION]: mode, ...rest } = func.attributes;
  if (mode !== 'fpsan' && mode !== 'prove') return false;
  func.attributes = rest;
  const floats = new Map<Value, FloatType>();
  const ops: Operation[] = [];
  const note = (value: Value): void => {
    const dtype = dtypeOf(value.type);
    if (dtype && isFloat(dtype)) floats.set(value, dtype);
  };
  const collect = (block: Block): void => {
    block.args.forEach(note);
    for (const op of block.ops) {
      ops.push(op);
      op.results.forEach(note);
      op.regions.forEach(collect);
    }
  };
  collect(func.body);
  const infinities =
    mode === 'prove' ? possibleInfinities(ops, (value) => floats.has(value)) : new Set<Value>();
  // The types are those before any operation is replaced.
  const used = ops.map((op) => ({
    op,
    dtypes: op.operands.map((operand) => floats.get(operand)),
    result: op.results[0] && floats.get(op.results[0]),
    proves: mode === 'prove',
    infinite: op.operands.map((operand) => infinities.has(operand)),
  }));
  const scalars = func.body.args.filter((arg) => floats.has(arg));
  retype(func, ops, new Set(scalars));
  embedScalars(func, scalars, floats);
  for (const each of used) rewrite(each);
  return true;
}

/** Every value of floats, and every pointer to them, gets integers of the same width. */
function retype(func: Func, ops: readonly Operation[], kept: ReadonlySet<Value>): void {
  const change = (value: Value): void => {
    if (!kept.has(value)) value.type = withIntegers(value.type);
  };
  func.body.args.forEach(change);
  for (const op of ops) {
    op.results.forEach(change);
    for (const region of op.regions) region.args.forEach(change);
  }
}

function withIntegers(type: Type): Type {
  const element = elementOf(type);
  const changed = integers(element);
  return changed === element ? type : { ...withElement(type, changed) };
}
function integers(element: ElementType): ElementType {
  if (element.kind === 'pointer') {
    const pointee = integers(element.pointee);
    return pointee === element.pointee ? element : { kind: 'pointer', pointee };
  }
  return isFloat(element.dtype) ? scalar(integerOf(element.dtype)) : element;
}

/** Float arguments stay floats, as the launch passes them; the kernel uses their payloads. */
function embedScalars(
  func: Func,
  scalars: readonly Value[],
  floats: ReadonlyMap<Value, FloatType>,
): void {
  const { first } = func.body;
  if (!first) return;
  const builder = Builder.before(first);
  builder.location = func.location;
  for (const arg of scalars) {
    const dtype = floats.get(arg)!;
    const users = [...arg.uses];
    const bits = builder.cast('arith.bitcast', arg, scalar(integerOf(dtype)));
    const payload = new Payloads(builder).embed(dtype, bits);
    payload.name = arg.name;
    for (const user of users) user.replaceOperand(arg, payload);
  }
}

function rewrite(found: Omit<Rewriting, 'builder' | 'to'>): void {
  const { op, dtypes, result } = found;
  if (!result && dtypes.every((dtype) => dtype === undefined)) return;
  if (op.name === 'arith.constant') {
    const { value } = op.attributes as { readonly value: number };
    op.attributes = {
      value: payloadOf(result!, found.proves && isMask(op.result) ? -Infinity : value),
    };
    return;
  }
  const rule = rewriteOf(op.name);
  if (rule === 'same') return;
  if (!rule) return refuse(op, op.name);
  const builder = Builder.before(op);
  const values = rule({ ...found, builder, to: new Payloads(builder) });
  if (values) replaceOp(op, values);
}
