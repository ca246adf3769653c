/**
 * tt.scan, inclusive: each thread scans its own run along the axis; then runs are joined over the
 * bits of the thread's number, each bit combining totals with the thread across, by a shuffle or
 * through workgroup memory. The layout gives each thread one run: register bits are the axis's
 * lowest.
 */
import type { Operation } from '../../ir/ir';
import type { Layout } from '../../ir/layout';
import { registerCount, threadBases } from '../../ir/layout';
import { elementOf, shapeOf } from '../../ir/types';
import { combine, combineOrdered } from './combine';
import type { Element } from './combine';
import type { ThreadValue } from '../../ir/thread/ir';
import { layoutOf, numberAttribute, refuse } from '../context';
import type { Lowering } from '../context';
import { registerCoordinate } from '../layouts';
import { readShared, shuffleXor, wordsOf, writeShared } from './scratch';

/** A run of one thread: its registers in the order of the scan, and what they hold so far. */
interface Run {
  readonly registers: readonly number[];
  readonly elements: Element[];
  total: Element;
  /** The total of the runs before this one; meaningless in the first thread. */
  before: Element;
}

export function lowerScan(t: Lowering, op: Operation): void {
  const axis = numberAttribute(op, 'axis') ?? 0;
  const reverse = op.attributes['reverse'] === true;
  const layout = layoutOf(op.operand(0));
  const bits = axisBits(op, layout, axis);
  const types = op.operands.map((operand) => t.typeOf(elementOf(operand.type)));
  const runs = scanRegisters(t, op, layout, axis, reverse);

  const lanes = layout.lane.length;
  const words = types.reduce((sum, type) => sum + wordsOf(type), 0);
  const start = numberAttribute(op, 'scratch') ?? 0;
  const bytesEach = t.threads * words * 4;
  const room = Math.max(1, Math.floor((numberAttribute(op, 'scratchBytes') ?? 0) / bytesEach));
  let dirty = false;
  let done = 0;
  for (const bit of bits) {
    const mask = 2 ** bit;
    const first = done === 0;
    const behind = second(t, mask, reverse);
    const has = first ? t.b.bool(false) : anyBefore(t, done, reverse);
    const join = (run: Run, other: Element): void => {
      const longer = first ? other : combine(t, op, other, run.before);
      run.before = run.before.map((x, i) => {
        const next = first ? other[i]! : t.let('before', t.select(has, longer[i]!, other[i]!));
        return t.let('before', t.select(behind, next, x));
      });
      run.total = combineOrdered(t, op, run.total, other, behind);
    };
    if (bit < lanes) {
      for (const run of runs) {
        join(
          run,
          run.total.map((x) => shuffleXor(t, x, mask)),
        );
      }
    } else {
      for (let from = 0; from < runs.length; from += room) {
        const batch = runs.slice(from, from + room);
        t.shared.needBytes(start + batch.length * bytesEach);
        const place = (slot: number, input: number): { first: number; stride: number } => {
          const before = types.slice(0, input).reduce((sum, type) => sum + wordsOf(type), 0);
          return {
            first: start / 4 + (slot * words + before) * t.threads,
            stride: t.threads,
          };
        };
        if (dirty) t.shared.barrier();
        dirty = true;
        batch.forEach((run, s) =>
          run.total.forEach((x, i) => writeShared(t, place(s, i), t.b.threadId(), x)),
        );
        t.shared.barrier();
        batch.forEach((run, s) =>
          join(
            run,
            types.map((type, i) => readShared(t, place(s, i), type, t.x`tid ^ ${mask}u`)),
          ),
        );
      }
    }
    done |= mask;
  }

  const out = op.results.map(() => new Array<ThreadValue>(registerCount(layout)));
  for (const run of runs) {
    run.registers.forEach((r, i) => {
      let element = run.elements[i]!;
      if (done !== 0) {
        const joined = combine(t, op, run.before, element);
        const has = anyBefore(t, done, reverse);
        element = element.map((x, k) => t.let('scan', t.select(has, joined[k]!, x)));
      }
      element.forEach((x, k) => (out[k]![r] = x));
    });
  }
  op.results.forEach((result, k) => t.setRegisters(result, out[k]!));
}

/** The bits of the thread's number that move along the axis, by how far. */
function axisBits(op: Operation, layout: Layout, axis: number): number[] {
  const distance = threadBases(layout).map((basis) => basis[axis] ?? 0);
  const bits = distance.flatMap((d, i) => (d === 0 ? [] : [i]));
  bits.sort((a, b) => distance[a]! - distance[b]!);
  const longest = layout.register.reduce((most, basis) => Math.max(most, basis[axis] ?? 0), 0);
  if (bits.length > 0 && longest > distance[bits[0]!]!)
    refuse(op, 'HC0508', 'a scan whose threads hold several runs was not distributed');
  return bits;
}

function scanRegisters(
  t: Lowering,
  op: Operation,
  layout: Layout,
  axis: number,
  reverse: boolean,
): Run[] {
  const rank = shapeOf(op.operand(0).type).length;
  const groups = new Map<string, number[]>();
  for (let r = 0; r < registerCount(layout); r++) {
    const key = Array.from({ length: rank }, (_, d) =>
      d === axis ? '' : registerCoordinate(layout, r, d),
    ).join(' ');
    groups.set(key, [...(groups.get(key) ?? []), r]);
  }
  const inputs = op.operands.map((operand) => t.registers(operand));
  return [...groups.values()].map((list) => {
    const sign = reverse ? -1 : 1;
    list.sort(
      (a, b) => sign * (registerCoordinate(layout, a, axis) - registerCoordinate(layout, b, axis)),
    );
    const elements: Element[] = [];
    for (const r of list) {
      const element = inputs.map((registers) => registers[r]!);
      const last = elements.at(-1);
      elements.push(last ? combine(t, op, last, element) : element);
    }
    const total = elements.at(-1)!;
    return { registers: list, elements, total, before: total };
  });
}

/** Whether this thread's run comes after the one across this bit. */
function second(t: Lowering, mask: number, reverse: boolean): ThreadValue {
  return t.b.prelude(`second ${mask} ${reverse}`, 'second', () =>
    reverse ? t.x`(tid & ${mask}u) == 0u` : t.x`(tid & ${mask}u) != 0u`,
  );
}
/** Whether a run stands before this thread's, among those joined so far. */
function anyBefore(t: Lowering, mask: number, reverse: boolean): ThreadValue {
  return t.b.prelude(`before ${mask} ${reverse}`, 'has', () =>
    reverse ? t.x`(tid & ${mask}u) != ${mask}u` : t.x`(tid & ${mask}u) != 0u`,
  );
}
