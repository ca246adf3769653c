/**
 * Tiles with more registers a thread than one wants named: their operations are written as loops over
 * the registers. Arithmetic on such a tile is not emitted where it stands but where it is used, for the
 * register that the loop is at; loads from memory that the kernel never writes are repeated there too.
 * A load from memory that is written somewhere keeps its values in an array of the function. What has no
 * loop form asks for all registers and gets them, unrolled.
 */
import { crossesSubgroups } from '../../4-distribute/layoutRules';
import type { Operation, Value } from '../../ir/ir';
import { registerCount } from '../../ir/layout';
import { elementOf, shapeOf } from '../../ir/types';
import { isArithmetic } from '../arithmetic/elementwise';
import { isConversion } from '../arithmetic/conversions';
import { layoutOf, numberAttribute } from '../emission';
import type { Emission } from '../emission';
import { combine, combineAll, neutral } from '../exchange/combine';
import type { Element } from '../exchange/combine';
import { finishElements, finishReduce, resultKeys } from '../exchange/reduce';
import { freeStore, storeRun } from '../memory/memory';
import { runLength } from '../memory/runs';
import { checkedOnce, longestVector } from './ends';
import { evaluate, evaluateOperand, loop, position, splitBits, vectorIndex } from './values';
import type { Bit, Index } from './values';

const RENAMINGS = new Set(['tt.broadcast', 'tt.expand_dims', 'tt.reshape', 'tt.trans']);

/** Elements that one pass of a loop stores, where nothing tests them, and that one of a reduction takes: 2⁴, 2³. */
const STORE_BITS = 4;
const REDUCE_BITS = 3;

/**
 * On a CPU a turn of a loop costs as much as a few accesses, so that it takes several; but a store's turn has
 * loads, too, and a dozen accesses are more code than a core keeps decoded while another thread shares it.
 */
const SOFTWARE_STORE_BITS = 3;
const SOFTWARE_REDUCE_BITS = 4;

/** Results of a reduction in names; where there are more, they are taken one by one into an array. */
const NAMED_SUMS = 8;

/** Registers of a tile on the way to a direct dot that are named outside of its loop. */
const MOST_NAMED = 16;

export function isBig(e: Emission, value: Value): boolean {
  if (value.type.kind !== 'tensor') return false;
  return e.count(value) > (e.repeated.has(value) ? MOST_NAMED : e.namedLimit);
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

function rollStore(e: Emission, op: Operation): void {
  const [pointer, value, mask] = op.operands;
  const layout = layoutOf(pointer!);
  const vector = runLength(e, op);
  const run = Array.from({ length: vector }, (_, k) => k);
  const roots = [pointer!, value!, ...(mask ? [mask] : [])];
  const emit = (): void => {
    // Several runs in a turn where nothing tests them; else one, because that code is there for edges.
    const most = e.software ? SOFTWARE_STORE_BITS : STORE_BITS;
    const together = e.free.has(op) ? most : 0;
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
  const low = Math.log2(runLength(e, op));
  const index = splitBits(layout, low);
  // A loop may be written out for two turns: not what the first one kept.
  e.kept.delete(result);
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
  const bits = e.software ? SOFTWARE_REDUCE_BITS : REDUCE_BITS;
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
  // To a CPU, a branch for the first turn is one in every turn.
  const start = e.software ? neutral(e, op) : undefined;
  const sums: Element[] = keys.map(() =>
    types.map((type, i) => e.variable('sum', type, start?.[i])),
  );
  /** A loop whose turn takes 2^`turn` elements of the axis, in groups of 2^`group`, one after the other. */
  const emit = (turn: number, group: number): void =>
    loop(e, op.operands, along.length - turn, (pass) =>
      keys.forEach((key, r) => {
        const setting = settings.get(key) ?? 0;
        const parts = Array.from({ length: 1 << (turn - group) }, (_, g): Element => {
          const list = Array.from({ length: 1 << group }, (__, k): Element => {
            const index = layout.register.map((___, bit): Bit => {
              const a = along.indexOf(bit);
              if (a >= turn) return { counter: a - turn };
              if (a >= 0) return (((k + (g << group)) >> a) & 1) as Bit;
              return ((setting >> across.indexOf(bit)) & 1) as Bit;
            });
            return op.operands.map((value) => evaluate(e, pass, value, index));
          });
          return combineAll(e, op, list);
        });
        const assign = (from: Element): void =>
          from.forEach((x, i) => e.writer.line(`${sums[r]![i]} = ${x};`));
        const add = (part: Element): void =>
          assign(combine(e, op, sums[r]!, part).map((x) => e.let('next', x)));
        const [first, ...others] = parts;
        if (start) add(first!);
        else
          e.writer.ifElse(
            `${pass.counter} == 0u`,
            () => assign(first!),
            () => add(first!),
          );
        others.forEach(add);
      }),
    );
  const turn = Math.min(bits, along.length);
  // Both arms add in the same order, so that no sum depends on which one ran.
  const group = Math.min(turn, Math.log2(longestVector(e, op.operands)));
  checkedOnce(e, op.operands, (arm) =>
    arm === 'only' ? emit(turn, turn) : emit(arm === 'free' ? turn : group, group),
  );
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
    const add = (): void =>
      settings.forEach((n) => {
        const next = combine(e, op, sums[n]!, parts[n]!);
        assign(
          n,
          next.map((x) => e.let('next', x)),
        );
      });
    e.writer.ifElse(`${step} == 0u`, first, add);
    e.writer.block(`if (${step} == ${steps - 1}u)`, finish);
  });
  op.results.forEach((value, i) => e.kept.set(value, arrays[i]!));
}
