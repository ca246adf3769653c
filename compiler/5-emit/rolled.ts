/**
 * Tiles with more registers a thread than one wants named: their operations are written as loops over
 * the registers. Arithmetic on such a tile is not emitted where it stands but where it is used, for the
 * register that the loop is at; loads from memory that the kernel never writes are repeated there too.
 * A load from memory that is written somewhere keeps its values in an array of the function. What has no
 * loop form asks for all registers and gets them, unrolled.
 *
 * A register's number is a list of bits, each a constant or a bit of the loop's counter: layouts are
 * linear, so every coordinate and every renaming follows from the bits.
 */
import { maskOf } from '../ir/access';
import { Operation, type Value } from '../ir/ir';
import type { Layout } from '../ir/layout';
import { registerCount } from '../ir/layout';
import { elementOf, shapeOf } from '../ir/types';
import { isSoftware } from '../target';
import { combine, combineAll } from './exchange/combine';
import type { Element } from './exchange/combine';
import { conversion, isConversion } from './arithmetic/conversions';
import { arithmetic, isArithmetic } from './arithmetic/elementwise';
import { layoutOf, numberAttribute, UNNEEDED } from './emission';
import type { Emission } from './emission';
import { plus, threadCoordinate } from './layouts';
import { boundsOf, freeLoad, freeStore, inWholeVectors, loadRun, storeRun } from './memory/memory';
import { crossesSubgroups, finishElements, finishReduce, resultKeys } from './exchange/reduce';
import { coordinateBack } from './shapes';

/** A constant bit, or a bit of the loop's counter. */
type Bit = 0 | 1 | { readonly counter: number };
type Index = readonly Bit[];

/** One pass of a loop: what has been computed in it. */
interface Pass {
  /** The counter's name; absent where all bits are constant. */
  readonly counter: string | undefined;
  /** Bits that the counter has. */
  readonly bits: number;
  readonly known: Map<string, string>;
  /** Small tiles that are indexed at run time, as arrays. */
  readonly arrays: ReadonlyMap<Value, string>;
}

const RENAMINGS = new Set(['tt.broadcast', 'tt.expand_dims', 'tt.reshape', 'tt.trans']);
/** Elements of a reduction's axis that one pass of its loop takes: 2³. */
const REDUCE_BITS = 3;
/** On a CPU a turn of a loop costs as much as a few accesses: elements that one pass stores, and reduces. */
const STORE_BITS = 4;
const SOFTWARE_REDUCE_BITS = 4;
/** Results of a reduction in names; where there are more, they are taken one by one into an array. */
const NAMED_SUMS = 8;

export function isBig(e: Emission, value: Value): boolean {
  return value.type.kind === 'tensor' && e.count(value) > e.namedLimit;
}

/** Emits the operation in rolled form, or notes it for later; false where it is an ordinary one. */
export function rollOperation(e: Emission, op: Operation): boolean {
  const [result] = op.results;
  switch (op.name) {
    case 'tt.store':
      if (!isBig(e, op.operand(0))) return false;
      rollStore(e, op);
      return true;
    case 'tt.reduce': {
      if (!isBig(e, op.operand(0))) return false;
      if (resultKeys(op.results[0]!).length > NAMED_SUMS) rollResults(e, op);
      else rollReduce(e, op);
      return true;
    }
    case 'tt.load':
      if (!result || !isBig(e, result)) return false;
      if (e.memory.of(op).group.written) keepLoad(e, op);
      else e.later.add(result);
      return true;
    default: {
      if (!result || !isBig(e, result)) return false;
      const lazy =
        isArithmetic(op.name) ||
        isConversion(op.name) ||
        op.name === 'tt.make_range' ||
        (RENAMINGS.has(op.name) && op.operand(0).type.kind === 'tensor');
      if (lazy) e.later.add(result);
      return lazy;
    }
  }
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
function outsideLoops(): Pass {
  return { counter: undefined, bits: 0, known: new Map(), arrays: new Map() };
}
function constant(r: number, bits: number): Index {
  return Array.from({ length: bits }, (_, i) => ((r >> i) & 1) as Bit);
}
const isCounter = (bit: Bit): bit is Exclude<Bit, number> => typeof bit === 'object';

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
function evaluate(e: Emission, pass: Pass, value: Value, index: Index): string {
  const bits = index.map((b) => (isCounter(b) ? `c${b.counter}` : b)).join('');
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
    const array = pass.arrays.get(value);
    if (index.some(isCounter)) {
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
    const vector = vectorOf(e, op, value);
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
    const walked = vectorIndex(e, pass, op, run(0));
    const values =
      walked === undefined
        ? loadRun(e, op, at(op.operand(0), 0)!, mask, others, vector)
        : freeLoad(e, op, walked, vector);
    const prefix = e.idOf(value);
    values.forEach((text, k) => {
      const bits = run(k).map((b) => (isCounter(b) ? `c${b.counter}` : b));
      pass.known.set(`${prefix}:${bits.join('')}`, text);
    });
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

function evaluateOperand(e: Emission, pass: Pass, operand: Value, index: Index): string {
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
function position(pass: Pass, index: Index): string {
  const { constant: fixed, text } = weigh(
    pass,
    index,
    index.map((_, i) => 2 ** i),
  );
  return text === '' ? `${fixed}u` : plus(text, fixed);
}

function vectorOf(e: Emission, op: Operation, tile: Value): number {
  return Math.min(numberAttribute(op, 'vector') ?? 1, e.count(tile));
}

/** A loop over the values of `bits` counter bits; tiles that its body indexes become arrays first. */
function loop(
  e: Emission,
  roots: readonly Value[],
  bits: number,
  body: (pass: Pass) => void,
): void {
  const arrays = new Map<Value, string>();
  const visited = new Set<Value>();
  const visit = (value: Value): readonly Value[] => {
    if (visited.has(value) || value.type.kind !== 'tensor') return [];
    visited.add(value);
    if (e.kept.has(value)) return [];
    if (e.later.has(value)) return value.definition!.operands;
    const registers = e.registers(value);
    if (registers.length === 1 || e.sameEverywhere(value)) return [];
    const type = e.registerTypeOf(value);
    const name = e.variable(e.hint(value), `array<${type}, ${registers.length}>`);
    registers.forEach((register, r) => {
      if (register !== UNNEEDED) e.writer.line(`${name}[${r}] = ${register};`);
    });
    arrays.set(value, name);
    return [];
  };
  const open = roots.toReversed();
  for (let value = open.pop(); value; value = open.pop()) open.push(...visit(value).toReversed());
  const counter = e.names.fresh('r');
  const head = `for (var ${counter} = 0u; ${counter} < ${2 ** bits}u; ${counter}++)`;
  e.writer.block(head, () => body({ counter, bits, known: new Map(), arrays }));
}

/**
 * On a CPU every test within a loop costs as much as an access. Where all accesses of a loop walk up
 * through memory under masks that only ever end, the thread's first and last element tell for all: then
 * the loop is written twice, without any test, and with all of them. `roots`: the store that it does,
 * and values that may be made of loads that are repeated.
 */
function checkedOnce(e: Emission, roots: readonly (Value | Operation)[], emit: () => void): void {
  const accesses = isSoftware(e.request.target.name) ? walkedAccesses(e, roots) : [];
  const tests = accesses.flatMap((op) => e.writer.at(op.location, () => endTests(e, op)));
  if (tests.length === 0) {
    emit();
    return;
  }
  const all = e.let('all_inside', tests.join(' & '));
  const masks = accesses.map(maskOf).filter((mask) => mask !== undefined);
  e.writer.block(
    `if (${all})`,
    () => {
      for (const op of accesses)
        e.free.set(
          op,
          e.writer.at(op.location, () => firstVector(e, op)),
        );
      for (const mask of masks) e.holds.add(mask);
      emit();
      e.free.clear();
      e.holds.clear();
    },
    ' else {',
  );
  e.writer.indented(emit);
  e.writer.line('}');
}

/** The index of the vector at the thread's first register of an access that walks up. */
function firstVector(e: Emission, op: Operation): string | undefined {
  const pointer = op.operand(0);
  const vector = vectorOf(e, op, pointer);
  if (!inWholeVectors(e, op, vector)) return undefined;
  const start = constant(0, layoutOf(pointer).register.length);
  const first = evaluate(e, outsideLoops(), pointer, start);
  return e.let('first', `u32(${first}) / ${vector}u`);
}

/** Where such an access is at a register that begins a vector. */
function vectorIndex(e: Emission, pass: Pass, op: Operation, index: Index): string | undefined {
  const first = e.free.get(op);
  if (first === undefined) return undefined;
  const pointer = op.operand(0);
  const vector = vectorOf(e, op, pointer);
  const weights = layoutOf(pointer).register.map((basis) => (basis[0] ?? 0) / vector);
  const { constant: fixed, text } = weigh(pass, index, weights);
  return plus(text === '' ? first : `${first} + ${text}`, fixed);
}

/** More operations than this are not written twice. */
const MOST_TWICE = 32;

/** The accesses behind these; none where one of them does not walk up, or there is much to write twice. */
function walkedAccesses(e: Emission, roots: readonly (Value | Operation)[]): Operation[] {
  const seen = new Set<Operation>();
  const found: Operation[] = [];
  let all = true;
  const visit = (op: Operation | undefined): void => {
    // What is too much to write twice need not be walked to its end.
    if (!op || seen.has(op) || seen.size > MOST_TWICE) return;
    seen.add(op);
    if (op.name === 'tt.load' || op.name === 'tt.store') {
      found.push(op);
      all &&= walksUp(e, op);
      if (op.name === 'tt.store') return;
    }
    for (const operand of op.operands) if (e.later.has(operand)) visit(operand.definition);
  };
  for (const root of roots)
    if (root instanceof Operation) visit(root);
    else if (e.later.has(root)) visit(root.definition);
  return all && seen.size <= MOST_TWICE ? found : [];
}

/** Whether the access's addresses rise by one element from register to register, and its mask only ends. */
function walksUp(e: Emission, op: Operation): boolean {
  const shape = shapeOf(op.operand(0).type);
  const mask = maskOf(op);
  return (
    shape.length === 1 &&
    e.later.has(op.operand(0)) &&
    e.axes.of(op.operand(0)).contiguity[0]! >= shape[0]! &&
    (mask === undefined || (e.later.has(mask) && onlyEnds(e, mask)))
  );
}

const UPPER_LIMITS: ReadonlySet<unknown> = new Set(['slt', 'sle', 'ult', 'ule']);
/** Whether a mask that holds for the last register of a thread holds for those before it. */
function onlyEnds(e: Emission, mask: Value): boolean {
  const op = mask.definition;
  const size = shapeOf(mask.type)[0] ?? 1;
  if (op?.name === 'arith.andi') return op.operands.every((operand) => onlyEnds(e, operand));
  if (op?.name !== 'arith.cmpi' || !UPPER_LIMITS.has(op.attributes['predicate'])) return false;
  const [rising, limit] = op.operands.map((operand) => e.axes.of(operand));
  return rising!.contiguity[0]! >= size && limit!.constancy[0]! >= size;
}

/** That a thread's first and last element of an access are in range, and its last one is not masked. */
function endTests(e: Emission, op: Operation): string[] {
  const pass = outsideLoops();
  const pointer = op.operand(0);
  const bits = layoutOf(pointer).register.length;
  const [first, last] = [0, 2 ** bits - 1].map((r) => constant(r, bits));
  const mask = maskOf(op);
  const tests: string[] = mask ? [evaluateOperand(e, pass, mask, last!)] : [];
  const bounds = boundsOf(
    e,
    op,
    op.name === 'tt.load' ? 'load' : 'store',
    vectorOf(e, op, pointer),
  );
  if (bounds)
    for (const index of [first!, last!])
      tests.push(`(${bounds.inside(evaluate(e, pass, pointer, index))})`);
  return tests.map((test) => e.let('inside', test));
}

/** Register bits of a layout: the lowest `fixed` constant, the others of the counter. */
function splitBits(layout: Layout, fixed: number): (k: number) => Index {
  return (k) =>
    layout.register.map((_, i) => (i < fixed ? (((k >> i) & 1) as Bit) : { counter: i - fixed }));
}

function rollStore(e: Emission, op: Operation): void {
  const [pointer, value, mask] = op.operands;
  const layout = layoutOf(pointer!);
  const vector = vectorOf(e, op, pointer!);
  const run = Array.from({ length: vector }, (_, k) => k);
  const roots = [pointer!, value!, ...(mask ? [mask] : [])];
  const emit = (): void => {
    // Several runs in a turn where nothing tests them; else one, because that code is there for edges.
    const together = e.free.has(op) ? STORE_BITS : 0;
    const fixed = Math.min(layout.register.length, Math.max(Math.log2(vector), together));
    const index = splitBits(layout, fixed);
    loop(e, roots, layout.register.length - fixed, (pass) => {
      for (let first = 0; first < 1 << fixed; first += vector) {
        const at = (k: number): Index => index(first + k);
        const walked = vectorIndex(e, pass, op, at(0));
        const offset = walked ?? evaluate(e, pass, pointer!, at(0));
        const when = mask && !e.free.has(op) ? evaluateOperand(e, pass, mask, at(0)) : undefined;
        const values = run.map((k) => evaluate(e, pass, value!, at(k)));
        if (walked === undefined) storeRun(e, op, offset, when, values);
        else freeStore(e, op, walked, values);
      }
    });
  };
  checkedOnce(e, [value!, op], emit);
}

/** A load whose memory may change later: its values stay in an array. */
function keepLoad(e: Emission, op: Operation): void {
  const { result } = op;
  const layout = layoutOf(result);
  const type = e.registerTypeOf(result);
  const name = e.variable(e.hint(result), `array<${type}, ${registerCount(layout)}>`);
  const low = Math.log2(vectorOf(e, op, result));
  const index = splitBits(layout, low);
  loop(e, op.operands, layout.register.length - low, (pass) => {
    e.later.add(result);
    for (let k = 0; k < 1 << low; k++) {
      const text = evaluate(e, pass, result, index(k));
      e.writer.line(`${name}[${position(pass, index(k))}] = ${text};`);
    }
    e.later.delete(result);
  });
  e.kept.set(result, name);
}

function rollReduce(e: Emission, op: Operation): void {
  const axis = numberAttribute(op, 'axis') ?? 0;
  const operand = op.operand(0);
  const layout = layoutOf(operand);
  const rank = shapeOf(operand.type).length;
  const along = layout.register.flatMap((basis, i) => ((basis[axis] ?? 0) === 0 ? [] : [i]));
  const across = layout.register.flatMap((basis, i) => ((basis[axis] ?? 0) === 0 ? [i] : []));
  const bits = isSoftware(e.request.target.name) ? SOFTWARE_REDUCE_BITS : REDUCE_BITS;
  const unroll = along.slice(0, bits);
  const looped = along.slice(bits);
  const types = op.operands.map((value) => e.typeOf(elementOf(value.type)));
  // Which setting of the other bits gives each register of the result.
  const settings = new Map<string, number>();
  for (let n = 0; n < 1 << across.length; n++) {
    const at = new Array<number>(rank).fill(0);
    across.forEach((bit, i) => {
      if ((n >> i) & 1) layout.register[bit]!.forEach((c, d) => (at[d]! ^= c));
    });
    settings.set(at.filter((_, d) => d !== axis).join(' '), n);
  }
  const keys = resultKeys(op.results[0]!);
  const sums: Element[] = keys.map(() => types.map((type) => e.variable('sum', type)));
  const body = (pass: Pass): void =>
    keys.forEach((key, r) => {
      const setting = settings.get(key) ?? 0;
      const list = Array.from({ length: 1 << unroll.length }, (_, k): Element => {
        const index = layout.register.map((__, bit): Bit => {
          const u = unroll.indexOf(bit);
          if (u >= 0) return ((k >> u) & 1) as Bit;
          const l = looped.indexOf(bit);
          return l >= 0 ? { counter: l } : (((setting >> across.indexOf(bit)) & 1) as Bit);
        });
        return op.operands.map((value) => evaluate(e, pass, value, index));
      });
      const part = combineAll(e, op, list);
      const assign = (from: Element): void =>
        from.forEach((x, i) => e.writer.line(`${sums[r]![i]} = ${x};`));
      e.writer.block(`if (${pass.counter} == 0u)`, () => assign(part), ' else {');
      e.writer.indented(() => {
        const next = combine(e, op, sums[r]!, part);
        assign(next.map((x) => e.let('next', x)));
      });
      e.writer.line('}');
    });
  checkedOnce(e, op.operands, () => loop(e, op.operands, looped.length, body));
  finishReduce(e, op, sums);
}

/** A reduction to many results: one loop over the results and, within each, over the axis. */
function rollResults(e: Emission, op: Operation): void {
  const axis = numberAttribute(op, 'axis') ?? 0;
  const layout = layoutOf(op.operand(0));
  const result = layoutOf(op.results[0]!);
  const along = layout.register.flatMap((basis, i) => ((basis[axis] ?? 0) === 0 ? [] : [i]));
  const unroll = along.slice(0, REDUCE_BITS);
  const looped = along.slice(REDUCE_BITS);
  // For each bit of the operand's registers, the bit of the result's; those that may lie within one
  // vector of a load are taken together, the others one by one.
  const of = layout.register.map((basis) => {
    const key = basis.filter((_, d) => d !== axis).join(' ');
    return result.register.findIndex((other) => other.join(' ') === key);
  });
  const together = layout.register.flatMap((_, i) =>
    i < REDUCE_BITS && !along.includes(i) ? [of[i]!] : [],
  );
  const single = result.register.flatMap((_, j) => (together.includes(j) ? [] : [j]));
  /** The bit of the result's register number: of the setting `n` of those taken together, or counted. */
  const bitOf = (j: number, n: number): Bit => {
    const t = together.indexOf(j);
    return t >= 0 ? (((n >> t) & 1) as Bit) : { counter: looped.length + single.indexOf(j) };
  };
  const types = op.operands.map((value) => e.typeOf(elementOf(value.type)));
  const arrays = types.map((type, i) =>
    e.variable(e.hint(op.results[i]!), `array<${type}, ${registerCount(result)}>`),
  );
  const settings = Array.from({ length: 1 << together.length }, (_, n) => n);
  const sums = settings.map((): Element => types.map((type) => e.variable('sum', type)));
  const steps = 2 ** looped.length;
  loop(e, op.operands, looped.length + single.length, (pass) => {
    const assign = (n: number, from: Element): void =>
      from.forEach((x, i) => e.writer.line(`${sums[n]![i]} = ${x};`));
    const parts = settings.map((n) => {
      const list = Array.from({ length: 1 << unroll.length }, (_, k): Element => {
        const index = layout.register.map((__, bit): Bit => {
          const u = unroll.indexOf(bit);
          if (u >= 0) return ((k >> u) & 1) as Bit;
          const l = looped.indexOf(bit);
          return l >= 0 ? { counter: l } : bitOf(of[bit]!, n);
        });
        return op.operands.map((value) => evaluate(e, pass, value, index));
      });
      return combineAll(e, op, list);
    });
    const finish = (): void => {
      const elements = finishElements(e, op, sums);
      settings.forEach((n) => {
        const index = result.register.map((_, j) => bitOf(j, n));
        elements[n]!.forEach((x, i) =>
          e.writer.line(`${arrays[i]}[${position(pass, index)}] = ${x};`),
        );
      });
      // The next results go through the same workgroup memory.
      if (crossesSubgroups(op)) e.barrier();
    };
    if (steps === 1) {
      settings.forEach((n) => assign(n, parts[n]!));
      finish();
      return;
    }
    const step = e.let('step', `${pass.counter} % ${steps}u`);
    const first = (): void => settings.forEach((n) => assign(n, parts[n]!));
    e.writer.block(`if (${step} == 0u)`, first, ' else {');
    e.writer.indented(() =>
      settings.forEach((n) => {
        const next = combine(e, op, sums[n]!, parts[n]!);
        assign(
          n,
          next.map((x) => e.let('next', x)),
        );
      }),
    );
    e.writer.line('}');
    e.writer.block(`if (${step} == ${steps - 1}u)`, finish);
  });
  op.results.forEach((value, i) => e.kept.set(value, arrays[i]!));
}
