/**
 * i64 becomes i32 where that is exact, for WebGPU has no 64-bit integers:
 *
 * 1. An operation whose operands and result provably lie in the range of i32 is done in i32.
 * 2. A comparison of two such values likewise.
 * 3. A value of which every use needs only the low 32 bits is computed in 32 bits. Offsets of
 *    pointers are such uses: a buffer is smaller than 4 GiB.
 */
import { Builder, constantOf } from '../ir/builder';
import type { Func, Operation, Value } from '../ir/ir';
import type { OpName } from '../ir/ops';
import { I32, dtypeOf, shapeOf, tensor } from '../ir/types';
import { I32_RANGE, isWithin } from '../ir/ops/range';
import { Ranges } from './ranges';
import { forEachOp, replaceOp } from './rewrite';

export function narrow_int64(func: Func): boolean {
  const byRange = narrowByRange(func);
  const byDemand = narrowByDemand(func);
  return byRange || byDemand;
}

/** Exact in 32 bits if operands and result fit. */
const ARITHMETIC: ReadonlySet<OpName> = new Set([
  'arith.addi',
  'arith.subi',
  'arith.muli',
  'arith.divsi',
  'arith.remsi',
  'arith.minsi',
  'arith.maxsi',
  'arith.andi',
  'arith.ori',
  'arith.xori',
  'arith.select',
]);
/** The low 32 bits of the result follow from the low 32 bits of the operands. */
const LOW_BITS: ReadonlySet<OpName> = new Set([
  'arith.addi',
  'arith.subi',
  'arith.muli',
  'arith.andi',
  'arith.ori',
  'arith.xori',
  'arith.select',
]);
const SHAPE: ReadonlySet<OpName> = new Set([
  'tt.splat',
  'tt.unsplat',
  'tt.broadcast',
  'tt.expand_dims',
  'tt.reshape',
  'tt.trans',
]);
const isWide = (value: Value) => dtypeOf(value.type) === 'i64';
const narrowType = (value: Value) => tensor(shapeOf(value.type), I32);

/** The value in 32 bits, cheaply where it was widened from there. */
function low(value: Value, b: Builder): Value {
  const constant = constantOf(value);
  if (constant !== undefined) return b.constant(narrowType(value), constant);
  const op = value.definition;
  if (op?.name === 'arith.extsi' || op?.name === 'arith.extui') {
    const source = op.operand(0);
    if (dtypeOf(source.type) === 'i32') return source;
    return b.value(op.name, [source], narrowType(value));
  }
  return b.cast('arith.trunci', value, I32);
}

// ── 1 and 2
// ─────────────────────────────────────────────────────────────────────────────────────────
function narrowByRange(func: Func): boolean {
  const ranges = new Ranges(func);
  const fits = (value: Value) => isWithin(ranges.of(value), I32_RANGE);
  let changed = false;
  forEachOp(func.body, (op) => {
    if (op.name === 'arith.cmpi') {
      if (!isWide(op.operand(0)) || !op.operands.every(fits)) return;
      const b = Builder.before(op);
      // Both were sign-extended, so that unsigned comparisons keep their order too.
      const operands = op.operands.map((value) => low(value, b));
      replaceOp(op, [b.value(op.name, operands, op.result.type, op.attributes)]);
      changed = true;
      return;
    }
    const shape = SHAPE.has(op.name);
    if (!shape && !ARITHMETIC.has(op.name)) return;
    if (!isWide(op.result) || !fits(op.result)) return;
    const wide = op.operands.filter(isWide);
    if (!wide.every(fits) || !wide.some(isWidened)) return;
    const b = Builder.before(op);
    const operands = op.operands.map((value) => (isWide(value) ? low(value, b) : value));
    const narrow = b.value(op.name, operands, narrowType(op.result), op.attributes);
    replaceOp(op, [b.value('arith.extsi', [narrow], op.result.type)]);
    changed = true;
  });
  return changed;
}
/** Is something gained: does it come from 32 bits? */
function isWidened(value: Value): boolean {
  const name = value.definition?.name;
  return name === 'arith.extsi' || name === 'arith.extui';
}

// ── 3
// ───────────────────────────────────────────────────────────────────────────────────────────────
function narrowByDemand(func: Func): boolean {
  const demand = new Demand();
  const narrow = new Map<Value, Value>();
  let changed = false;
  forEachOp(func.body, (op) => {
    if (op.name === 'tt.addptr' && isWide(op.operand(1))) {
      const offset = op.operand(1);
      const cheap = isWidened(offset) || constantOf(offset) !== undefined;
      if (!cheap && !demand.isLow(offset)) return;
      op.setOperand(1, narrowed(offset, narrow, demand, op));
      changed = true;
    } else if (op.name === 'arith.trunci' && isWide(op.operand(0))) {
      const x = op.operand(0);
      if (!isComputed(x) || !demand.isLow(x)) return;
      const b = Builder.before(op);
      const value = narrowed(x, narrow, demand, op);
      const same = dtypeOf(op.result.type) === 'i32';
      replaceOp(op, [same ? value : b.value('arith.trunci', [value], op.result.type)]);
      changed = true;
    }
  });
  return changed;
}
/** Made by an operation that can be done on the low bits alone. */
function isComputed(value: Value): boolean {
  const op = value.definition;
  return op !== undefined && (LOW_BITS.has(op.name) || SHAPE.has(op.name) || isShiftLeft(op));
}
function isShiftLeft(op: Operation): boolean {
  if (op.name !== 'arith.shli') return false;
  const by = constantOf(op.operand(1));
  return typeof by === 'bigint' && by >= 0n && by < 32n;
}

/** Values of which only the low 32 bits are ever used. */
class Demand {
  readonly #known = new Map<Value, boolean>();
  isLow(value: Value): boolean {
    let known = this.#known.get(value);
    if (known === undefined) {
      this.#known.set(value, false);
      known = [...value.uses].every((user) => this.#takesLow(user, value));
      this.#known.set(value, known);
    }
    return known;
  }
  #takesLow(user: Operation, value: Value): boolean {
    if (user.name === 'tt.addptr') return user.operand(1) === value;
    if (user.name === 'arith.trunci') return true;
    if (user.name === 'arith.shli' && (!isShiftLeft(user) || user.operand(1) === value))
      return false;
    if (!isComputedBy(user)) return false;
    return this.isLow(user.result);
  }
}
function isComputedBy(op: Operation): boolean {
  return LOW_BITS.has(op.name) || SHAPE.has(op.name) || isShiftLeft(op);
}

/** The low 32 bits of a value, computed where the value is. */
function narrowed(value: Value, done: Map<Value, Value>, demand: Demand, user: Operation): Value {
  const known = done.get(value);
  if (known) return known;
  const op = value.definition;
  if (!op || !isComputed(value) || !demand.isLow(value)) {
    // The value itself stays; its low half is taken right after it, for every user.
    const b = builderAfter(value, user);
    const result = low(value, b);
    done.set(value, result);
    return result;
  }
  const operands = op.operands.map((v) => (isWide(v) ? narrowed(v, done, demand, user) : v));
  const b = Builder.before(op);
  const result = b.value(op.name, operands, narrowType(value), op.attributes);
  result.name = value.name;
  done.set(value, result);
  return result;
}
function builderAfter(value: Value, user: Operation): Builder {
  const op = value.definition;
  const block = op ? op.parent! : (value.owner as Exclude<Value['owner'], Operation>);
  const next = op ? op.next : block.first;
  const b = new Builder(block, next);
  b.location = op?.location ?? user.location;
  return b;
}
