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
import { layoutOf, numberAttribute } from '../emission';
import type { Emission } from '../emission';
import { registerCoordinate, threadSum } from '../layouts';
import { readShared, shuffleXor, wordsOf, writeShared } from './scratch';
import type { Region } from './scratch';

/** Thread bits read in one trip through workgroup memory: 2³ partial results. */
const RADIX_BITS = 3;

export function emitReduce(e: Emission, op: Operation): void {
  const axis = numberAttribute(op, 'axis') ?? 0;
  finishReduce(e, op, reduceRegisters(e, op, layoutOf(op.operand(0)), axis));
}

/** The rest of a reduction, once each thread has one element a register of the result. */
export function finishReduce(e: Emission, op: Operation, perThread: readonly Element[]): void {
  const elements = finishElements(e, op, perThread);
  op.results.forEach((result, i) =>
    e.setRegisters(
      result,
      elements.map((element) => element[i]!),
    ),
  );
}

/** As `finishReduce`, for some registers of the result; names nothing. */
export function finishElements(
  e: Emission,
  op: Operation,
  perThread: readonly Element[],
): Element[] {
  const axis = numberAttribute(op, 'axis') ?? 0;
  const layout = layoutOf(op.operand(0));
  const elements = perThread.map((element) => reduceLanes(e, op, layout, axis, element));
  return reduceSubgroups(e, op, layout, axis, elements);
}

/** For each register of the result, the combination of this thread's elements. */
function reduceRegisters(e: Emission, op: Operation, layout: Layout, axis: number): Element[] {
  const rank = shapeOf(op.operand(0).type).length;
  const groups = new Map<string, { readonly at: number; readonly element: Element }[]>();
  const inputs = op.operands.map((operand) => e.registers(operand));
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
      e,
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
  e: Emission,
  op: Operation,
  layout: Layout,
  axis: number,
  element: Element,
): Element {
  let out = element;
  const types = op.operands.map((operand) => e.typeOf(elementOf(operand.type)));
  layout.lane.forEach((basis, i) => {
    if ((basis[axis] ?? 0) === 0) return;
    const other = out.map((x, k) => shuffleXor(e, types[k]!, x, 1 << i));
    out = combineOrdered(e, op, out, other, threadBit(e, i));
  });
  return out;
}

/** Whether bit `bit` of the thread's number is set. */
export function threadBit(e: Emission, bit: number): string {
  return e.prelude(`bit ${bit}`, 'upper', () => `(tid & ${2 ** bit}u) != 0u`);
}

function reduceSubgroups(
  e: Emission,
  op: Operation,
  layout: Layout,
  axis: number,
  elements: Element[],
): Element[] {
  const lanes = layout.lane.length;
  const bits = layout.subgroup.flatMap((basis, i) => ((basis[axis] ?? 0) === 0 ? [] : [lanes + i]));
  if (bits.length === 0) return elements;
  const types = op.operands.map((operand) => e.typeOf(elementOf(operand.type)));
  const words = types.reduce((sum, type) => sum + wordsOf(type), 0);
  const start = numberAttribute(op, 'scratch') ?? 0;
  const bytesEach = e.threads * words * 4;
  const room = Math.max(1, Math.floor((numberAttribute(op, 'scratchBytes') ?? 0) / bytesEach));
  const regions = (slot: number): Region[] => {
    let first = start / 4 + slot * e.threads * words;
    return types.map((type) => {
      const region = { first, stride: e.threads };
      first += e.threads * wordsOf(type);
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
    e.needBytes(start + slots * bytesEach);
    for (const step of steps) {
      // The last trip's readers must be done.
      if (dirty) e.barrier();
      dirty = true;
      for (let s = 0; s < slots; s++) {
        const places = regions(s);
        out[from + s]!.forEach((x, k) => writeShared(e, places[k]!, types[k]!, 'tid', x));
      }
      e.barrier();
      for (let s = 0; s < slots; s++) {
        const places = regions(s);
        out[from + s] = spread
          ? readSpread(e, op, places, types, step)
          : readPartials(e, op, places, types, step);
      }
    }
  }
  return out;
}

type Types = readonly ReturnType<Emission['typeOf']>[];

/** The thread's number with these bits cleared. */
function without(e: Emission, bits: readonly number[]): string {
  const count = 31 - Math.clz32(e.threads);
  return threadSum(
    e,
    Array.from({ length: count }, (_, i) => (bits.includes(i) ? 0 : 2 ** i)),
  );
}

function readPartials(
  e: Emission,
  op: Operation,
  places: readonly Region[],
  types: Types,
  bits: readonly number[],
): Element {
  const base = without(e, bits);
  const list: Element[] = [];
  for (let n = 0; n < 1 << bits.length; n++) {
    const offset = bits.reduce((sum, bit, i) => sum + ((n >> i) & 1) * 2 ** bit, 0);
    list.push(
      types.map((type, k) => {
        const place = { ...places[k]!, first: places[k]!.first + offset };
        return readShared(e, place, type, base, 'partial');
      }),
    );
  }
  return combineAll(e, op, list);
}

/** Lane i reads the partial result of the i-th subgroup, and the lanes combine them. */
function readSpread(
  e: Emission,
  op: Operation,
  places: readonly Region[],
  types: Types,
  bits: readonly number[],
): Element {
  const count = 31 - Math.clz32(e.threads);
  const weights = Array.from({ length: count }, (_, i) =>
    i < bits.length ? 2 ** bits[i]! : bits.includes(i) || i < layoutLanes(e) ? 0 : 2 ** i,
  );
  const index = threadSum(e, weights);
  let out: Element = types.map((type, k) => readShared(e, places[k]!, type, index, 'partial'));
  bits.forEach((_, i) => {
    const other = out.map((x, k) => shuffleXor(e, types[k]!, x, 1 << i));
    out = combineOrdered(e, op, out, other, threadBit(e, i));
  });
  return out;
}

function layoutLanes(e: Emission): number {
  return e.subgroupSize > 0 ? 31 - Math.clz32(e.subgroupSize) : 0;
}
