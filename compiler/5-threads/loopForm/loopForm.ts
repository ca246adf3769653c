/**
 * Tiles with more registers a thread than scalarized registers pay for: their operations become
 * loops over the registers. Arithmetic on such a tile is rematerialized where it is used, for the
 * register that the loop is at; so are loads from memory that the kernel never writes. A load from
 * memory that is written somewhere keeps its values in an array of the thread. An operation without
 * a loop form takes all registers, unrolled.
 */
import { crossesSubgroups } from '../../4-distribute/layoutRules';
import type { Operation } from '../../ir/ir';
import type { Layout } from '../../ir/layout';
import { registerCount } from '../../ir/layout';
import { formOf, unrolledBits } from '../../ir/registerForm';
import type { ThreadValue } from '../../ir/thread/ir';
import { memory } from '../../ir/thread/types';
import { elementOf, shapeOf } from '../../ir/types';
import { layoutOf, numberAttribute } from '../context';
import type { Lowering } from '../context';
import { combine, combineAll, neutral } from '../communication/combine';
import type { Element } from '../communication/combine';
import { finishElements, finishReduce, resultKeys } from '../communication/reduce';
import { freeStore, storeRun } from '../memory/memory';
import { runLength } from '../memory/runs';
import { longestVector, versioned } from './versioning';
import {
  evaluate,
  evaluateLoad,
  evaluateOperand,
  loop,
  position,
  splitBits,
  vectorIndex,
} from './values';
import type { Bit, Index, Pass } from './values';

/** Lowers an operation by its form, or leaves it to its uses; false where it has none. */
export function lowerInLoopForm(t: Lowering, op: Operation): boolean {
  const form = formOf(op);
  if (!form) return false;
  if (form === 'rematerialized') t.checks.forgetEvaluations(op);
  else if (op.name === 'tt.store') storeInLoop(t, op);
  else if (op.name === 'tt.load') loadIntoArray(t, op);
  else if (form === 'array') reduceManyInLoop(t, op);
  else reduceInLoop(t, op);
  return true;
}

function storeInLoop(t: Lowering, op: Operation): void {
  const [pointer, value, mask] = op.operands;
  const layout = layoutOf(pointer!);
  const vector = runLength(t, op);
  const run = Array.from({ length: vector }, (_, k) => k);
  const lower = (): readonly ThreadValue[] => {
    // Several runs in an iteration where nothing tests them; else one, because that code is there
    // for edges.
    const together = t.assumptions.inRange(op) ? unrolledBits(op) : 0;
    const fixed = Math.min(layout.register.length, Math.max(Math.log2(vector), together));
    const index = splitBits(layout, fixed);
    return loop(t, layout.register.length - fixed, [], (pass) => {
      for (let first = 0; first < 1 << fixed; first += vector) {
        const at = (k: number): Index => index(first + k);
        const walked = vectorIndex(t, pass, op, at(0));
        const offset = walked ?? evaluate(t, pass, pointer!, at(0));
        const when =
          mask && !t.assumptions.inRange(op) ? evaluateOperand(t, pass, mask, at(0)) : undefined;
        const values = run.map((k) => evaluate(t, pass, value!, at(k)));
        if (walked === undefined) storeRun(t, op, { offset, mask: when }, values);
        else freeStore(t, op, walked, values);
      }
      return [];
    });
  };
  versioned(t, op, lower);
}

/** A load whose memory may change later: its values stay in an array. */
function loadIntoArray(t: Lowering, op: Operation): void {
  const { result } = op;
  const layout = layoutOf(result);
  const type = memory('private', t.registerTypeOf(result), [registerCount(layout)]);
  const array = t.b.alloc(t.hint(result), type);
  const low = Math.log2(runLength(t, op));
  const index = splitBits(layout, low);
  // The body of an unrolled loop is lowered twice.
  t.checks.forgetEvaluations(op);
  loop(t, layout.register.length - low, [], (pass) => {
    for (let k = 0; k < 1 << low; k++) {
      const value = evaluateLoad(t, pass, op, index(k));
      t.b.store(array, position(t, pass, index(k)), value);
    }
    return [];
  });
  t.setArray(result, array);
}

/** Register bits of a layout that move along an axis, and those that do not. */
function axisBits(layout: Layout, axis: number): { along: number[]; across: number[] } {
  const isAlong = (basis: readonly number[]): boolean => (basis[axis] ?? 0) !== 0;
  return {
    along: layout.register.flatMap((basis, i) => (isAlong(basis) ? [i] : [])),
    across: layout.register.flatMap((basis, i) => (isAlong(basis) ? [] : [i])),
  };
}

/** For each register of a reduction's result, the setting of the operand's bits across the axis. */
function settingsOf(layout: Layout, rank: number, axis: number): Map<string, number> {
  const { across } = axisBits(layout, axis);
  const settings = new Map<string, number>();
  for (let n = 0; n < 1 << across.length; n++) {
    const at = new Array<number>(rank).fill(0);
    across.forEach((bit, i) => {
      if ((n >> i) & 1) layout.register[bit]!.forEach((c, d) => (at[d]! ^= c));
    });
    settings.set(at.filter((_, d) => d !== axis).join(' '), n);
  }
  return settings;
}

function reduceInLoop(t: Lowering, op: Operation): void {
  const axis = numberAttribute(op, 'axis') ?? 0;
  const operand = op.operand(0);
  const layout = layoutOf(operand);
  const { along, across } = axisBits(layout, axis);
  const types = op.operands.map((value) => t.typeOf(elementOf(value.type)));
  const settings = settingsOf(layout, shapeOf(operand.type).length, axis);
  const keys = resultKeys(op.results[0]!);
  // A masked branch for the first iteration costs in every iteration.
  const start = t.machine.masksBranches ? neutral(t, op) : undefined;
  const first = keys.flatMap(() => start ?? types.map((type) => t.b.zero(type)));
  const hints = first.map(() => 'sum');
  const split = (flat: readonly ThreadValue[]): Element[] =>
    keys.map((_, r) => flat.slice(r * types.length, (r + 1) * types.length));
  /** The elements of an iteration for a result, in groups of 2^`group`, each group combined. */
  const partsOf = (pass: Pass, key: string, size: number, group: number): Element[] => {
    const setting = settings.get(key) ?? 0;
    return Array.from({ length: 1 << (size - group) }, (_, g) => {
      const list = Array.from({ length: 1 << group }, (__, k): Element => {
        const index = layout.register.map((___, bit): Bit => {
          const a = along.indexOf(bit);
          if (a >= size) return { counter: a - size };
          if (a >= 0) return (((k + (g << group)) >> a) & 1) as Bit;
          return ((setting >> across.indexOf(bit)) & 1) as Bit;
        });
        return op.operands.map((value) => evaluate(t, pass, value, index));
      });
      return combineAll(t, op, list);
    });
  };
  /** A loop whose iteration takes 2^`size` elements of the axis, in groups of 2^`group`. */
  const lower = (size: number, group: number): readonly ThreadValue[] =>
    loop(
      t,
      along.length - size,
      first,
      (pass, carried) =>
        split(carried).flatMap((sum, r) => {
          const [head, ...others] = partsOf(pass, keys[r]!, size, group);
          const begun = start
            ? combine(t, op, sum, head!)
            : t.b.if(
                t.x`${pass.counter!} == 0u`,
                () => head!,
                () => combine(t, op, sum, head!),
                sum.map(() => 'sum'),
              );
          return others.reduce<Element>((all, part) => combine(t, op, all, part), begun);
        }),
      { hints },
    );
  const size = Math.min(unrolledBits(op), along.length);
  const sums = versioned(
    t,
    op,
    (version) => {
      if (version === 'only') return lower(size, size);
      // Both versions add in the same order, so that no sum depends on which one ran.
      const group = Math.min(size, Math.log2(longestVector(t, op)));
      return lower(version === 'free' ? size : group, group);
    },
    hints,
  );
  finishReduce(t, op, split(sums));
}

/** Register bits of a reduction to many results, by how its loop takes them. */
interface ManyBits {
  /** Bits along the axis whose settings an iteration combines, and those that it counts. */
  readonly unroll: readonly number[];
  readonly looped: readonly number[];
  /** For each bit of the operand's registers, the bit of the result's. */
  readonly ofResult: readonly number[];
  /** Bits of the result's registers whose settings an iteration takes, and those that it counts. */
  readonly together: readonly number[];
  readonly single: readonly number[];
}

/** Results that may lie within one vector of a load are taken together, the others one by one. */
function manyBits(layout: Layout, result: Layout, axis: number, most: number): ManyBits {
  const { along } = axisBits(layout, axis);
  const ofResult = layout.register.map((basis) => {
    const key = basis.filter((_, d) => d !== axis).join(' ');
    return result.register.findIndex((other) => other.join(' ') === key);
  });
  const together = layout.register.flatMap((_, i) =>
    i < most && !along.includes(i) ? [ofResult[i]!] : [],
  );
  return {
    unroll: along.slice(0, most),
    looped: along.slice(most),
    ofResult,
    together,
    single: result.register.flatMap((_, j) => (together.includes(j) ? [] : [j])),
  };
}

/** A bit of the result's register number: of the setting `n` of those together, or counted. */
function resultBit({ together, single, looped }: ManyBits, j: number, n: number): Bit {
  const at = together.indexOf(j);
  return at >= 0 ? (((n >> at) & 1) as Bit) : { counter: looped.length + single.indexOf(j) };
}

/** The elements that an iteration takes of the result of setting `n`, combined. */
function combineForResult(
  t: Lowering,
  op: Operation,
  pass: Pass,
  bits: ManyBits,
  n: number,
): Element {
  const { unroll, looped, ofResult } = bits;
  const list = Array.from({ length: 1 << unroll.length }, (_, k): Element => {
    const index = ofResult.map((j, bit): Bit => {
      const u = unroll.indexOf(bit);
      if (u >= 0) return ((k >> u) & 1) as Bit;
      const l = looped.indexOf(bit);
      return l >= 0 ? { counter: l } : resultBit(bits, j, n);
    });
    return op.operands.map((value) => evaluate(t, pass, value, index));
  });
  return combineAll(t, op, list);
}

/** A reduction to many results: one loop over the results and, within each, over the axis. */
function reduceManyInLoop(t: Lowering, op: Operation): void {
  const { b } = t;
  const result = layoutOf(op.results[0]!);
  const axis = numberAttribute(op, 'axis') ?? 0;
  const bits = manyBits(layoutOf(op.operand(0)), result, axis, unrolledBits(op));
  const types = op.operands.map((value) => t.typeOf(elementOf(value.type)));
  const arrays = types.map((type, i) =>
    b.alloc(t.hint(op.results[i]!), memory('private', type, [registerCount(result)])),
  );
  const settings = Array.from({ length: 1 << bits.together.length }, (_, n) => n);
  const finish = (pass: Pass, sums: readonly Element[]): void => {
    const elements = finishElements(t, op, sums);
    settings.forEach((n) => {
      const index = result.register.map((_, j) => resultBit(bits, j, n));
      elements[n]!.forEach((x, i) => b.store(arrays[i]!, position(t, pass, index), x));
    });
    // The next results go through the same workgroup memory.
    if (crossesSubgroups(op)) t.shared.barrier();
  };
  const first = settings.flatMap(() => types.map((type) => b.zero(type)));
  const split = (flat: readonly ThreadValue[]): Element[] =>
    settings.map((n) => flat.slice(n * types.length, (n + 1) * types.length));
  const steps = 2 ** bits.looped.length;
  const hints = first.map(() => 'sum');
  loop(
    t,
    bits.looped.length + bits.single.length,
    steps === 1 ? [] : first,
    (pass, carried) => {
      const parts = settings.map((n) => combineForResult(t, op, pass, bits, n));
      if (steps === 1) {
        finish(pass, parts);
        return [];
      }
      const step = t.let('step', t.x`${pass.counter!} % ${steps}u`);
      const sums = b.if(
        t.x`${step} == 0u`,
        () => parts.flat(),
        () => split(carried).flatMap((sum, n) => combine(t, op, sum, parts[n]!)),
        hints,
      );
      t.when(t.x`${step} == ${steps - 1}u`, () => finish(pass, split(sums)));
      return sums;
    },
    { hints },
  );
  op.results.forEach((value, i) => t.setArray(value, arrays[i]!));
}
