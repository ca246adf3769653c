/**
 * Registers of a tile where a loop walks over registers: the value of a register whose number is a
 * list of bits, each a constant or a bit of the loop's counter. Layouts are linear, so every
 * coordinate and every renaming follows from the bits. Values are computed once in an iteration of
 * the loop.
 */
import type { Operation, Value } from '../../ir/ir';
import type { Layout } from '../../ir/layout';
import { isRematerialized } from '../../ir/registerForm';
import type { ThreadValue } from '../../ir/thread/ir';
import { newBlock } from '../../ir/thread/ir';
import { memory } from '../../ir/thread/types';
import { arithmetic, isArithmetic } from '../arithmetic/elementwise';
import { conversion, isConversion } from '../arithmetic/conversions';
import { layoutOf, numberAttribute } from '../context';
import type { Lowering } from '../context';
import { plus, threadCoordinate } from '../layouts';
import { freeLoad, loadRun } from '../memory/memory';
import { runLength } from '../memory/runs';
import { coordinateBack } from '../registerMap';

/** A constant bit, or a bit of the loop's counter. */
export type Bit = 0 | 1 | { readonly counter: number };
export type Index = readonly Bit[];

/** An iteration of the loop: the values that it has computed. */
export interface Pass {
  /** Absent where all bits are constant. */
  readonly counter: ThreadValue | undefined;
  /** Bits that the counter has. */
  readonly bits: number;
  readonly known: Map<string, ThreadValue>;
  /** The elements are loaded one by one where the loop walks within a vector of memory. */
  readonly narrow?: boolean;
  /** The array of a small tile that is indexed at run time. */
  readonly arrayOf: (value: Value) => ThreadValue | undefined;
}

/** All registers of a rematerialized value. */
export function unrolled(t: Lowering, value: Value): ThreadValue[] {
  const bits = layoutOf(value).register.length;
  const pass = outsideLoops();
  const demanded = t.demanded(value);
  const type = t.registerTypeOf(value);
  return Array.from({ length: 1 << bits }, (_, r) =>
    demanded === 'all' || demanded.has(r)
      ? evaluate(t, pass, value, constant(r, bits))
      : t.notDemanded(type),
  );
}

/** Outside of a loop: no bit of a register's number is a counter's. */
export function outsideLoops(): Pass {
  return { counter: undefined, bits: 0, known: new Map(), arrayOf: () => undefined };
}

export function constant(r: number, bits: number): Index {
  return Array.from({ length: bits }, (_, i) => ((r >> i) & 1) as Bit);
}

const isCounter = (bit: Bit): bit is Exclude<Bit, number> => typeof bit === 'object';
/** The bits as part of a key of `Pass.known`. */
const showBits = (index: Index): string =>
  index.map((bit) => (isCounter(bit) ? `c${bit.counter}` : bit)).join('');

/** The sum of weights over the bits: the part of the constants, and the part of the counter. */
function weigh(
  t: Lowering,
  pass: Pass,
  index: Index,
  weights: readonly number[],
): { readonly constant: number; readonly counted: ThreadValue | undefined } {
  let sum = 0;
  const terms: { readonly counter: number; readonly weight: number }[] = [];
  index.forEach((bit, i) => {
    const weight = weights[i]!;
    if (weight === 0 || bit === 0) return;
    if (bit === 1) sum += weight;
    else terms.push({ counter: bit.counter, weight });
  });
  return { constant: sum, counted: countedSum(t, pass, terms) };
}

/** Bits of the counter times weights; bits in a row whose weights double are one term. */
function countedSum(
  t: Lowering,
  pass: Pass,
  terms: readonly { readonly counter: number; readonly weight: number }[],
): ThreadValue | undefined {
  const [first] = terms;
  if (!first) return undefined;
  const from = (bit: number): ThreadValue =>
    bit === 0 ? pass.counter! : t.x`${pass.counter!} / ${2 ** bit}u`;
  const row = terms.every(
    ({ counter, weight }, n) => counter === first.counter + n && weight === first.weight * 2 ** n,
  );
  if (row && terms.length > 1) {
    const isLast = first.counter + terms.length === pass.bits;
    const low = from(first.counter);
    const part = isLast ? low : t.x`${low} % ${2 ** terms.length}u`;
    return first.weight === 1 ? part : t.x`${part} * ${first.weight}u`;
  }
  return terms
    .map(({ counter, weight }) => t.x`${from(counter)} % 2u * ${weight}u`)
    .reduce((a, b) => t.x`${a} + ${b}`);
}

/**
 * Chains of arithmetic are walked without recursion: a kernel may unroll to tens of thousands of
 * links.
 */
export function evaluate(t: Lowering, pass: Pass, value: Value, index: Index): ThreadValue {
  const bits = showBits(index);
  const keyOf = (one: Value): string => `${t.idOf(one)}:${bits}`;
  const open = [value];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const key = keyOf(top);
    if (!pass.known.has(key)) {
      const missing = inputs(t, top).filter((one) => !pass.known.has(keyOf(one)));
      if (missing.length > 0) {
        open.push(...missing.toReversed());
        continue;
      }
      pass.known.set(key, compute(t, pass, top, index));
    }
    open.pop();
  }
  return pass.known.get(keyOf(value))!;
}

/**
 * The tiles that a rematerialized value needs at its own register, in the order of the operands.
 */
function inputs(t: Lowering, value: Value): readonly Value[] {
  const op = value.definition;
  if (!op || !isRematerialized(value) || t.assumptions.isTrue(value)) return [];
  if (!isArithmetic(op.name) && !isConversion(op.name)) return [];
  const chosen = op.name === 'arith.select' && t.assumptions.isTrue(op.operand(0));
  const taken = chosen ? [op.operand(1)] : op.operands;
  return taken.filter((one) => one.type.kind === 'tensor' && isRematerialized(one));
}

function compute(t: Lowering, pass: Pass, value: Value, index: Index): ThreadValue {
  const kept = t.arrayOf(value);
  if (kept) return t.let(t.hint(value), t.b.load(kept, position(t, pass, index)));
  if (!isRematerialized(value)) {
    const registers = t.registers(value);
    if (registers.length === 1 || t.sameEverywhere(value)) return registers[0]!;
    if (index.some(isCounter)) {
      const array = pass.arrayOf(value);
      if (!array) throw new Error('a tile that is indexed at run time has no array');
      return t.let(t.hint(value), t.b.load(array, position(t, pass, index)));
    }
    return registers[index.reduce<number>((sum, bit, i) => sum + (bit === 1 ? 2 ** i : 0), 0)]!;
  }
  const op = value.definition!;
  // Code that stands here, where the value is used, still comes from its own line.
  return t.b.at(op.location, () => computeLater(t, pass, op, value, index));
}

function computeLater(
  t: Lowering,
  pass: Pass,
  op: Operation,
  value: Value,
  index: Index,
): ThreadValue {
  const { name } = op;
  const hint = t.hint(value);
  if (t.assumptions.isTrue(value)) return t.b.bool(true);
  if (isArithmetic(name)) {
    if (name === 'arith.select' && t.assumptions.isTrue(op.operand(0)))
      return evaluateOperand(t, pass, op.operand(1), index);
    const args = op.operands.map((operand) => evaluateOperand(t, pass, operand, index));
    return t.let(hint, arithmetic(t, op, name, args));
  }
  if (isConversion(name))
    return t.let(hint, conversion(t, op, name, evaluate(t, pass, op.operand(0), index)));
  if (name === 'tt.make_range') {
    const layout = layoutOf(value);
    const weights = layout.register.map((basis) => basis[0] ?? 0);
    const { constant: fixed, counted } = weigh(t, pass, index, weights);
    const base = threadCoordinate(t, layout, 0);
    const start = numberAttribute(op, 'start') ?? 0;
    const sum = counted ? t.x`${base} + ${counted}` : base;
    return t.let(hint, t.x`i32(${plus(t, sum, fixed + start)})`);
  }
  if (name === 'tt.load') return computeLoad(t, pass, op, index);
  return evaluate(t, pass, op.operand(0), renamed(op, index));
}

/** The register of a load, evaluated here. */
export function evaluateLoad(t: Lowering, pass: Pass, op: Operation, index: Index): ThreadValue {
  const known = pass.known.get(`${t.idOf(op.result)}:${showBits(index)}`);
  return known ?? t.b.at(op.location, () => computeLoad(t, pass, op, index));
}

/** A rematerialized load: the whole run at once, of which the other elements become known. */
function computeLoad(t: Lowering, pass: Pass, op: Operation, index: Index): ThreadValue {
  const value = op.result;
  const whole = runLength(t, op);
  const walked = index.slice(0, Math.log2(whole)).some(isCounter);
  const vector = walked && pass.narrow ? 1 : whole;
  const low = Math.log2(vector);
  const run = (k: number): Index =>
    index.map((bit, i) => (i < low ? (((k >> i) & 1) as Bit) : bit));
  const free = t.assumptions.inRange(op);
  const at = (operand: Value | undefined, k: number): ThreadValue | undefined =>
    operand && evaluateOperand(t, pass, operand, run(k));
  const others =
    op.operands[2] && !free
      ? Array.from({ length: vector }, (_, k) => at(op.operands[2], k)!)
      : undefined;
  const mask = free ? undefined : at(op.operands[1], 0);
  const place = vectorIndex(t, pass, op, run(0));
  if (!free) t.checks.evaluatedIn(op, pass.known);
  const own = t.checks.countsIn(op, pass.known);
  const counted = own && countsRun(t, pass, index.slice(0, low));
  // An inner block runs as often as it will.
  const exact = !own || t.block === op.parent;
  const values =
    place === undefined
      ? loadRun(t, op, {
          offset: at(op.operand(0), 0)!,
          mask,
          others,
          vector,
          guard: { operation: t.checks.nextGuard(), counted, exact },
        })
      : freeLoad(t, op, place, vector);
  const prefix = t.idOf(value);
  values.forEach((each, k) => pass.known.set(`${prefix}:${showBits(run(k))}`, each));
  // One of the run's elements is chosen at run time where the loop walks within the run.
  let list: readonly ThreadValue[] = values;
  for (const bit of index.slice(0, low)) {
    const pairs = Array.from({ length: list.length / 2 }, (_, k) => list.slice(2 * k, 2 * k + 2));
    if (isCounter(bit)) {
      const odd = t.let('odd', t.x`(${pass.counter!} / ${2 ** bit.counter}u) % 2u != 0u`);
      list = pairs.map(([x, y]) => t.let(t.hint(value), t.select(odd, y!, x!)));
    } else list = pairs.map((pair) => pair[bit]!);
  }
  return list[0]!;
}

/**
 * Whether an evaluation at these low bits of a register's number counts its run: each run once, at
 * its first element.
 */
function countsRun(t: Lowering, pass: Pass, low: Index): boolean | ThreadValue {
  const mask = low.reduce<number>((sum, bit) => sum + (isCounter(bit) ? 2 ** bit.counter : 0), 0);
  if (mask === 0) return true;
  return low.includes(1) ? false : t.x`(${pass.counter!} & ${mask}u) == 0u`;
}

export function evaluateOperand(
  t: Lowering,
  pass: Pass,
  operand: Value,
  index: Index,
): ThreadValue {
  return operand.type.kind === 'tensor' ? evaluate(t, pass, operand, index) : t.scalar(operand);
}

/** The operand's register bits, given the result's, for an operation that renames registers. */
function renamed(op: Operation, index: Index): Index {
  const [from, to] = [layoutOf(op.operand(0)), layoutOf(op.result)];
  const back = coordinateBack(op);
  const out: Bit[] = from.register.map(() => 0);
  to.register.forEach((basis, i) => {
    const key = back(basis).join(' ');
    const j = from.register.findIndex((other) => other.join(' ') === key);
    if (j >= 0) out[j] = index[i]!;
  });
  return out;
}

/** The register's number as a u32. */
export function position(t: Lowering, pass: Pass, index: Index): ThreadValue {
  const weights = index.map((_, i) => 2 ** i);
  const { constant: fixed, counted } = weigh(t, pass, index, weights);
  return counted ? plus(t, counted, fixed) : t.b.u32(fixed);
}

/** The access of this kind at a register that begins a vector. */
export function vectorIndex(
  t: Lowering,
  pass: Pass,
  op: Operation,
  index: Index,
): ThreadValue | undefined {
  const first = t.assumptions.firstVector(op);
  if (first === undefined) return undefined;
  const pointer = op.operand(0);
  const vector = runLength(t, op);
  const weights = layoutOf(pointer).register.map((basis) => (basis[0] ?? 0) / vector);
  const { constant: fixed, counted } = weigh(t, pass, index, weights);
  return plus(t, counted ? t.x`${first} + ${counted}` : first, fixed);
}

/** Register bits of a layout: the lowest `fixed` constant, the others of the counter. */
export function splitBits(layout: Layout, fixed: number): (k: number) => Index {
  return (k) =>
    layout.register.map((_, i) => (i < fixed ? (((k >> i) & 1) as Bit) : { counter: i - fixed }));
}

export interface LoopOptions {
  /** As in `Pass`. */
  readonly narrow?: boolean;
  readonly hints?: readonly string[];
}

/**
 * A loop over the values of `bits` counter bits, which carries values. Tiles that its body indexes
 * at run time become arrays in front of it.
 */
export function loop(
  t: Lowering,
  bits: number,
  init: readonly ThreadValue[],
  body: (pass: Pass, carried: readonly ThreadValue[]) => readonly ThreadValue[],
  { narrow = false, hints = [] }: LoopOptions = {},
): readonly ThreadValue[] {
  const { b } = t;
  const before = newBlock();
  const arrays = new Map<Value, ThreadValue>();
  const arrayOf = (value: Value): ThreadValue => {
    let array = arrays.get(value);
    if (!array) arrays.set(value, (array = b.inside(before, () => asArray(t, value))));
    return array;
  };
  const results = b.for(
    b.u32(2 ** bits),
    init,
    (counter, carried) => body({ counter, bits, known: new Map(), narrow, arrayOf }, carried),
    { counter: 'r', hints },
  );
  b.moveBefore(before, b.lastLoop!);
  return results;
}

/** The registers of a value in an array. */
function asArray(t: Lowering, value: Value): ThreadValue {
  const registers = t.registers(value);
  const type = memory('private', t.registerTypeOf(value), [registers.length]);
  const array = t.b.alloc(t.hint(value), type);
  registers.forEach((register, r) => {
    if (!t.isNotDemanded(register)) t.b.store(array, t.b.u32(r), register);
  });
  return array;
}
