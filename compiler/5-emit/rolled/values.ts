/**
 * What a register of a tile is, where a loop walks over registers: an expression for a register whose number
 * is a list of bits, each a constant or a bit of the loop's counter. Layouts are linear, so every coordinate
 * and every renaming follows from the bits. What was computed in a pass of the loop is known in it.
 */
import type { Operation, Value } from '../../ir/ir';
import type { Layout } from '../../ir/layout';
import { conversion, isConversion } from '../arithmetic/conversions';
import { arithmetic, isArithmetic } from '../arithmetic/elementwise';
import { layoutOf, numberAttribute, UNNEEDED } from '../emission';
import type { Emission } from '../emission';
import { plus, threadCoordinate } from '../layouts';
import { leaveEarly } from '../leaveEarly';
import { freeLoad, loadRun } from '../memory/memory';
import { runLength } from '../memory/runs';
import { coordinateBack } from '../shapes';
import type { Line } from '../writer';

/** A constant bit, or a bit of the loop's counter. */
export type Bit = 0 | 1 | { readonly counter: number };
export type Index = readonly Bit[];

/** One pass of a loop: what has been computed in it. */
export interface Pass {
  /** The counter's name; absent where all bits are constant. */
  readonly counter: string | undefined;
  /** Bits that the counter has. */
  readonly bits: number;
  readonly known: Map<string, string>;
  /** Where the loop walks within a vector of memory, its elements are loaded one by one. */
  readonly narrow?: boolean;
  /** Small tiles that are indexed at run time, as arrays: gives one its name. */
  readonly arrayOf: (value: Value) => string | undefined;
}

/** All registers of a value that was noted for later. */
export function unrolled(e: Emission, value: Value): string[] {
  const bits = layoutOf(value).register.length;
  const pass = outsideLoops();
  const needed = e.needed(value);
  return Array.from({ length: 1 << bits }, (_, r) =>
    needed === 'all' || needed.has(r) ? evaluate(e, pass, value, constant(r, bits)) : UNNEEDED,
  );
}

/** Where every register is named: no bit of its number is a counter's. */
export function outsideLoops(): Pass {
  return { counter: undefined, bits: 0, known: new Map(), arrayOf: () => undefined };
}

export function constant(r: number, bits: number): Index {
  return Array.from({ length: bits }, (_, i) => ((r >> i) & 1) as Bit);
}

const isCounter = (bit: Bit): bit is Exclude<Bit, number> => typeof bit === 'object';
/** The bits as part of a key of what a pass knows. */
const showBits = (index: Index): string =>
  index.map((bit) => (isCounter(bit) ? `c${bit.counter}` : bit)).join('');

/** The sum of weights over the bits: what the constants give, and the rest as an expression. */
function weigh(
  pass: Pass,
  index: Index,
  weights: readonly number[],
): { readonly constant: number; readonly text: string } {
  let sum = 0;
  const terms: string[] = [];
  index.forEach((bit, i) => {
    const weight = weights[i]!;
    if (weight === 0 || bit === 0) return;
    if (bit === 1) sum += weight;
    else {
      const low = bit.counter === 0 ? pass.counter : `${pass.counter} / ${2 ** bit.counter}u`;
      terms.push(`${low} % 2u * ${weight}u`);
    }
  });
  return { constant: sum, text: mergeRuns(pass, index, weights) ?? terms.join(' + ') };
}

/** Counter bits in a row whose weights double are one term. */
function mergeRuns(pass: Pass, index: Index, weights: readonly number[]): string | undefined {
  const used = index.flatMap((bit, i) => (isCounter(bit) && weights[i] !== 0 ? [i] : []));
  if (used.length < 2) return undefined;
  const first = index[used[0]!] as { counter: number };
  const unit = weights[used[0]!]!;
  const row = used.every(
    (i, n) =>
      (index[i] as { counter: number }).counter === first.counter + n &&
      weights[i] === unit * 2 ** n,
  );
  if (!row) return undefined;
  const low = first.counter === 0 ? pass.counter! : `${pass.counter} / ${2 ** first.counter}u`;
  const part = first.counter + used.length === pass.bits ? low : `${low} % ${2 ** used.length}u`;
  return unit === 1 ? part : `${part} * ${unit}u`;
}

/** Chains of arithmetic are walked without recursion: a kernel may unroll to tens of thousands of links. */
export function evaluate(e: Emission, pass: Pass, value: Value, index: Index): string {
  const bits = showBits(index);
  const keyOf = (one: Value): string => `${e.idOf(one)}:${bits}`;
  const open = [value];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const key = keyOf(top);
    if (!pass.known.has(key)) {
      const missing = inputs(e, top).filter((one) => !pass.known.has(keyOf(one)));
      if (missing.length > 0) {
        open.push(...missing.toReversed());
        continue;
      }
      pass.known.set(key, compute(e, pass, top, index));
    }
    open.pop();
  }
  return pass.known.get(keyOf(value))!;
}

/** The tiles that a value noted for later takes at its own register, in the order in which they are asked for. */
function inputs(e: Emission, value: Value): readonly Value[] {
  const op = value.definition;
  if (!op || !e.later.has(value) || e.kept.has(value) || e.holds.has(value)) return [];
  if (!isArithmetic(op.name) && !isConversion(op.name)) return [];
  const chosen = op.name === 'arith.select' && e.holds.has(op.operand(0));
  const taken = chosen ? [op.operand(1)] : op.operands;
  return taken.filter((one) => one.type.kind === 'tensor' && e.later.has(one));
}

function compute(e: Emission, pass: Pass, value: Value, index: Index): string {
  const kept = e.kept.get(value);
  if (kept) return e.let(e.hint(value), `${kept}[${position(pass, index)}]`);
  if (!e.later.has(value)) {
    const registers = e.registers(value);
    if (registers.length === 1 || e.sameEverywhere(value)) return registers[0]!;
    if (index.some(isCounter)) {
      const array = pass.arrayOf(value);
      if (!array) throw new Error('a tile that is indexed at run time has no array');
      return e.let(e.hint(value), `${array}[${position(pass, index)}]`);
    }
    return registers[index.reduce<number>((sum, bit, i) => sum + (bit === 1 ? 2 ** i : 0), 0)]!;
  }
  const op = value.definition!;
  // What is written here, where it is used, still comes from the line that says it.
  return e.writer.at(op.location, () => computeLater(e, pass, op, value, index));
}

function computeLater(e: Emission, pass: Pass, op: Operation, value: Value, index: Index): string {
  const { name } = op;
  const hint = e.hint(value);
  if (e.holds.has(value)) return 'true';
  if (isArithmetic(name)) {
    if (name === 'arith.select' && e.holds.has(op.operand(0)))
      return evaluateOperand(e, pass, op.operand(1), index);
    const args = op.operands.map((operand) => evaluateOperand(e, pass, operand, index));
    return e.let(hint, arithmetic(e, op, name, args));
  }
  if (isConversion(name))
    return e.let(hint, conversion(e, op, name, evaluate(e, pass, op.operand(0), index)));
  if (name === 'tt.make_range') {
    const layout = layoutOf(value);
    const { constant: fixed, text } = weigh(
      pass,
      index,
      layout.register.map((basis) => basis[0] ?? 0),
    );
    const base = threadCoordinate(e, layout, 0);
    const start = numberAttribute(op, 'start') ?? 0;
    return e.let(hint, `i32(${plus(text === '' ? base : `${base} + ${text}`, fixed + start)})`);
  }
  if (name === 'tt.load') {
    const whole = runLength(e, op);
    const walked = index.slice(0, Math.log2(whole)).some(isCounter);
    const vector = walked && pass.narrow ? 1 : whole;
    const low = Math.log2(vector);
    const run = (k: number): Index =>
      index.map((bit, i) => (i < low ? (((k >> i) & 1) as Bit) : bit));
    const free = e.free.has(op);
    const at = (operand: Value | undefined, k: number): string | undefined =>
      operand && evaluateOperand(e, pass, operand, run(k));
    const others =
      op.operands[2] && !free
        ? Array.from({ length: vector }, (_, k) => at(op.operands[2], k)!)
        : undefined;
    const mask = free ? undefined : at(op.operands[1], 0);
    const place = vectorIndex(e, pass, op, run(0));
    const values =
      place === undefined
        ? loadRun(e, op, at(op.operand(0), 0)!, mask, others, vector)
        : freeLoad(e, op, place, vector);
    const prefix = e.idOf(value);
    values.forEach((text, k) => pass.known.set(`${prefix}:${showBits(run(k))}`, text));
    // Where the loop walks within the run, one of its elements is chosen as it runs.
    let list: readonly string[] = values;
    for (const bit of index.slice(0, low)) {
      const pairs = Array.from({ length: list.length / 2 }, (_, k) => list.slice(2 * k, 2 * k + 2));
      if (isCounter(bit)) {
        const odd = e.let('odd', `(${pass.counter} / ${2 ** bit.counter}u) % 2u != 0u`);
        list = pairs.map(([x, y]) => e.let(hint, `select(${x}, ${y}, ${odd})`));
      } else list = pairs.map((pair) => pair[bit]!);
    }
    return list[0]!;
  }
  return evaluate(e, pass, op.operand(0), renamed(op, index));
}

export function evaluateOperand(e: Emission, pass: Pass, operand: Value, index: Index): string {
  return operand.type.kind === 'tensor' ? evaluate(e, pass, operand, index) : e.scalar(operand);
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

/** The register's number as a u32 expression. */
export function position(pass: Pass, index: Index): string {
  const { constant: fixed, text } = weigh(
    pass,
    index,
    index.map((_, i) => 2 ** i),
  );
  return text === '' ? `${fixed}u` : plus(text, fixed);
}

/** Where such an access is at a register that begins a vector. */
export function vectorIndex(
  e: Emission,
  pass: Pass,
  op: Operation,
  index: Index,
): string | undefined {
  const first = e.free.get(op);
  if (first === undefined) return undefined;
  const pointer = op.operand(0);
  const vector = runLength(e, op);
  const weights = layoutOf(pointer).register.map((basis) => (basis[0] ?? 0) / vector);
  const { constant: fixed, text } = weigh(pass, index, weights);
  return plus(text === '' ? first : `${first} + ${text}`, fixed);
}

/** Register bits of a layout: the lowest `fixed` constant, the others of the counter. */
export function splitBits(layout: Layout, fixed: number): (k: number) => Index {
  return (k) =>
    layout.register.map((_, i) => (i < fixed ? (((k >> i) & 1) as Bit) : { counter: i - fixed }));
}

export interface LoopOptions {
  /** As in `Pass`. */
  readonly narrow?: boolean;
  /** The body changes many variables, each of which a second way out of the loop would cost. */
  readonly carriesMuch?: boolean;
}

/** A loop over the values of `bits` counter bits; tiles that its body indexes become arrays first. */
export function loop(
  e: Emission,
  roots: readonly Value[],
  bits: number,
  body: (pass: Pass) => void,
  { narrow = false, carriesMuch = false }: LoopOptions = {},
): void {
  const arrays = new Map<Value, { readonly name: string; readonly lines: readonly Line[] }>();
  const used = new Set<Value>();
  const visited = new Set<Value>();
  const visit = (value: Value): readonly Value[] => {
    if (visited.has(value) || value.type.kind !== 'tensor') return [];
    visited.add(value);
    if (e.kept.has(value)) return [];
    if (e.later.has(value)) return value.definition!.operands;
    const registers = e.registers(value);
    if (registers.length === 1 || e.sameEverywhere(value)) return [];
    const type = e.registerTypeOf(value);
    const from = e.writer.lines.length;
    const name = e.variable(e.hint(value), `array<${type}, ${registers.length}>`);
    registers.forEach((register, r) => {
      if (register !== UNNEEDED) e.writer.line(`${name}[${r}] = ${register};`);
    });
    arrays.set(value, { name, lines: e.writer.lines.splice(from) });
    return [];
  };
  const open = roots.toReversed();
  for (let value = open.pop(); value; value = open.pop()) open.push(...visit(value).toReversed());
  const place = e.writer.lines.length;
  const arrayOf = (value: Value): string | undefined => {
    if (arrays.has(value)) used.add(value);
    return arrays.get(value)?.name;
  };
  const counter = e.names.fresh('r');
  const head = `for (var ${counter} = 0u; ${counter} < ${2 ** bits}u; ${counter}++)`;
  e.writer.block(head, () => {
    body({ counter, bits, known: new Map(), narrow, arrayOf });
    if (!carriesMuch) leaveEarly(e, counter, 2 ** bits);
  });
  // Only those that the body came to index at run time.
  const lines = [...used].flatMap((value) => arrays.get(value)!.lines);
  e.writer.lines.splice(place, 0, ...lines);
}
