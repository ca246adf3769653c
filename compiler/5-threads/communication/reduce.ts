/**
 * tt.reduce: first the registers of each thread, as a tree; then lanes, by butterfly shuffles; then
 * subgroups, through workgroup memory, up to eight partial results read at a time. All threads end
 * with the result. Elements keep their order along the axis as far as the layout's bits do.
 */
import type { Operation, Value } from '../../ir/ir';
import type { Layout } from '../../ir/layout';
import { registerCount } from '../../ir/layout';
import { elementOf, shapeOf } from '../../ir/types';
import { combineAll, combineOrdered } from './combine';
import type { Element } from './combine';
import type { ThreadValue } from '../../ir/thread/ir';
import type { NumberType } from '../../ir/thread/types';
import { layoutOf, numberAttribute } from '../context';
import type { Lowering } from '../context';
import { registerCoordinate, threadSum } from '../layouts';
import { readShared, shuffleXor, wordsOf, writeShared } from './scratch';
import type { Region } from './scratch';

/** Thread bits read in one trip through workgroup memory: 2³ partial results. */
const RADIX_BITS = 3;

export function lowerReduce(t: Lowering, op: Operation): void {
  const axis = numberAttribute(op, 'axis') ?? 0;
  finishReduce(t, op, reduceRegisters(t, op, layoutOf(op.operand(0)), axis));
}

/** The rest of a reduction, once each thread has one element a register of the result. */
export function finishReduce(t: Lowering, op: Operation, perThread: readonly Element[]): void {
  const elements = finishElements(t, op, perThread);
  op.results.forEach((result, i) =>
    t.setRegisters(
      result,
      elements.map((element) => element[i]!),
    ),
  );
}

/** As `finishReduce`, for some registers of the result; names nothing. */
export function finishElements(
  t: Lowering,
  op: Operation,
  perThread: readonly Element[],
): Element[] {
  const axis = numberAttribute(op, 'axis') ?? 0;
  const layout = layoutOf(op.operand(0));
  const elements = perThread.map((element) => reduceLanes(t, op, layout, axis, element));
  return reduceSubgroups(t, op, layout, axis, elements);
}

/** For each register of the result, the combination of this thread's elements. */
function reduceRegisters(t: Lowering, op: Operation, layout: Layout, axis: number): Element[] {
  const rank = shapeOf(op.operand(0).type).length;
  const groups = new Map<string, { readonly at: number; readonly element: Element }[]>();
  const inputs = op.operands.map((operand) => t.registers(operand));
  for (let r = 0; r < registerCount(layout); r++) {
    const at = Array.from({ length: rank }, (_, d) => registerCoordinate(layout, r, d));
    const key = at.filter((_, d) => d !== axis).join(' ');
    const list = groups.get(key) ?? [];
    groups.set(key, list);
    list.push({ at: at[axis]!, element: inputs.map((registers) => registers[r]!) });
  }
  return resultKeys(op.results[0]!).map((key) => {
    const list = groups.get(key) ?? [];
    list.sort((a, b) => a.at - b.at);
    return combineAll(
      t,
      op,
      list.map(({ element }) => element),
    );
  });
}

/** The coordinates of each register of the result. */
export function resultKeys(result: Value): string[] {
  if (result.type.kind !== 'tensor') return [''];
  const layout = layoutOf(result);
  const rank = result.type.shape.length;
  return Array.from({ length: registerCount(layout) }, (_, r) =>
    Array.from({ length: rank }, (__, d) => registerCoordinate(layout, r, d)).join(' '),
  );
}

function reduceLanes(
  t: Lowering,
  op: Operation,
  layout: Layout,
  axis: number,
  element: Element,
): Element {
  let out = element;
  layout.lane.forEach((basis, i) => {
    if ((basis[axis] ?? 0) === 0) return;
    const other = out.map((x) => shuffleXor(t, x, 1 << i));
    out = combineOrdered(t, op, out, other, threadBit(t, i));
  });
  return out;
}

/** Whether bit `bit` of the thread's number is set. */
export function threadBit(t: Lowering, bit: number): ThreadValue {
  return t.b.prelude(`bit ${bit}`, 'upper', () => t.x`(tid & ${2 ** bit}u) != 0u`);
}

function reduceSubgroups(
  t: Lowering,
  op: Operation,
  layout: Layout,
  axis: number,
  elements: Element[],
): Element[] {
  const lanes = layout.lane.length;
  const bits = layout.subgroup.flatMap((basis, i) => ((basis[axis] ?? 0) === 0 ? [] : [lanes + i]));
  if (bits.length === 0) return elements;
  const types = op.operands.map((operand) => t.typeOf(elementOf(operand.type)));
  const words = types.reduce((sum, type) => sum + wordsOf(type), 0);
  const start = numberAttribute(op, 'scratch') ?? 0;
  const bytesEach = t.threads * words * 4;
  const room = Math.max(1, Math.floor((numberAttribute(op, 'scratchBytes') ?? 0) / bytesEach));
  const regions = (slot: number): Region[] => {
    let first = start / 4 + slot * t.threads * words;
    return types.map((type) => {
      const region = { first, stride: t.threads };
      first += t.threads * wordsOf(type);
      return region;
    });
  };
  // Every lane of a subgroup holds the same: then the lanes can share the reading of the partials.
  const sameLanes =
    lanes > 0 && layout.lane.every((basis) => basis.every((c, d) => c === 0 || d === axis));
  const spread = sameLanes && bits.length > 1 && bits.length <= lanes;
  const steps: number[][] = [];
  if (spread) steps.push(bits);
  else for (let i = 0; i < bits.length; i += RADIX_BITS) steps.push(bits.slice(i, i + RADIX_BITS));

  const out = [...elements];
  let dirty = false;
  for (let from = 0; from < out.length; from += room) {
    const slots = Math.min(room, out.length - from);
    t.shared.needBytes(start + slots * bytesEach);
    for (const step of steps) {
      // The last trip's readers must be done.
      if (dirty) t.shared.barrier();
      dirty = true;
      for (let s = 0; s < slots; s++) {
        const places = regions(s);
        out[from + s]!.forEach((x, k) => writeShared(t, places[k]!, t.b.threadId(), x));
      }
      t.shared.barrier();
      for (let s = 0; s < slots; s++) {
        const places = regions(s);
        out[from + s] = spread
          ? readSpread(t, op, places, types, step)
          : readPartials(t, op, places, types, step);
      }
    }
  }
  return out;
}

type Types = readonly NumberType[];

/** The thread's number with these bits cleared. */
function without(t: Lowering, bits: readonly number[]): ThreadValue {
  const count = 31 - Math.clz32(t.threads);
  return threadSum(
    t,
    Array.from({ length: count }, (_, i) => (bits.includes(i) ? 0 : 2 ** i)),
  );
}

function readPartials(
  t: Lowering,
  op: Operation,
  places: readonly Region[],
  types: Types,
  bits: readonly number[],
): Element {
  const base = without(t, bits);
  const list: Element[] = [];
  for (let n = 0; n < 1 << bits.length; n++) {
    const offset = bits.reduce((sum, bit, i) => sum + ((n >> i) & 1) * 2 ** bit, 0);
    list.push(
      types.map((type, k) => {
        const place = { ...places[k]!, first: places[k]!.first + offset };
        return readShared(t, place, type, base, 'partial');
      }),
    );
  }
  return combineAll(t, op, list);
}

/** Lane i reads the partial result of the i-th subgroup, and the lanes combine them. */
function readSpread(
  t: Lowering,
  op: Operation,
  places: readonly Region[],
  types: Types,
  bits: readonly number[],
): Element {
  const count = 31 - Math.clz32(t.threads);
  const weights = Array.from({ length: count }, (_, i) =>
    i < bits.length ? 2 ** bits[i]! : bits.includes(i) || i < layoutLanes(t) ? 0 : 2 ** i,
  );
  const index = threadSum(t, weights);
  let out: Element = types.map((type, k) => readShared(t, places[k]!, type, index, 'partial'));
  bits.forEach((_, i) => {
    const other = out.map((x) => shuffleXor(t, x, 1 << i));
    out = combineOrdered(t, op, out, other, threadBit(t, i));
  });
  return out;
}

function layoutLanes(t: Lowering): number {
  return t.subgroupSize > 0 ? 31 - Math.clz32(t.subgroupSize) : 0;
}
