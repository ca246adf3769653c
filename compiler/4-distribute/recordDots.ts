/**
 * Records what is decided of each dot once its plan is final: the accumulator tile and the warp
 * grid as they stand in layouts and fragments, and the K slice with its unrolling. It reads what
 * `propagate_layouts` and `stage_operands` decided, and decides nothing.
 */
import { type Func, type Operation, walk } from '../ir/ir';
import type { Layout } from '../ir/layout';
import { type FragmentsType, shapeOf } from '../ir/types';
import type { Schedule } from '../schedule';
import type { ChoiceReasons } from './choices';
import { planOf } from './dots/index';
import { layoutOf } from './layoutRules';
import type { Cutting } from './stagedDot';

export function recordDots(
  func: Func,
  cuts: readonly { readonly dot: Operation; readonly cutting: Cutting }[],
  schedule: Schedule,
  reasons: ChoiceReasons = {},
): void {
  for (const { dot, cutting } of cuts) {
    if (cutting.withoutPlan !== null)
      schedule.decide('dot path', dot, 'fma', { why: cutting.withoutPlan, next: null });
    recordSlice(dot, cutting, schedule, reasons);
  }
  walk(func.body, (op) => {
    if (op.name !== 'tt.dot') return;
    const fragments = planOf(op).staging?.fragments;
    const layout = layoutOf(op.result);
    if (fragments) recordFragments(op, fragments, schedule);
    else if (layout) recordRegisters(op, layout, schedule);
  });
}

function recordSlice(
  dot: Operation,
  { k, slice, bytes, limit, why, unroll }: Cutting,
  schedule: Schedule,
  reasons: ChoiceReasons,
): void {
  if (slice === null) {
    schedule.decide('K slice', dot, 'none: no operand is staged', { why, next: null });
    return;
  }
  const whole = slice === k;
  const size = `${bytes} of ${limit} bytes of shared memory`;
  const set = reasons.kSlice ? `${reasons.kSlice.why}; ` : '';
  schedule.decide('K slice', dot, whole ? `${k}: all of K` : `${slice} of ${k}`, {
    why: `${set}${why}: ${size}`,
    next: whole
      ? slice > 1
        ? `${slice / 2}: half the memory, and twice the slices`
        : null
      : `${slice * 2}: ${2 * bytes} bytes, and half the slices`,
  });
  if (unroll === null) return;
  schedule.decide('unroll', dot, `${unroll} ${unroll === 1 ? 'step' : 'steps'} of K`, {
    why:
      reasons.unroll?.why ??
      (unroll === slice ? 'the slice has no more' : 'so many are written out where K is long'),
    next: unroll > 1 ? `${unroll / 2}: less code, and more of the loop’s own` : null,
  });
}

function recordFragments(
  dot: Operation,
  { shape, block, matrix }: FragmentsType,
  schedule: Schedule,
): void {
  const grid = (each: readonly number[]): number[] => each.map((size, d) => shape[d]! / size);
  const count = block.map((size, d) => size / matrix[d]!);
  const other = [
    [block[0] / 2, block[1] * 2],
    [block[0] * 2, block[1] / 2],
  ].find((each) => each.every((size, d) => size % matrix[d]! === 0 && shape[d]! % size === 0));
  const operands = (each: readonly number[]): string =>
    `${each[0]! + each[1]!} operands a step of K`;
  schedule.decide('accumulator tile', dot, `${block.join('×')} a subgroup`, {
    why: `${count.join('×')} fragments of ${matrix.join('×')}, ${operands(block)}`,
    next: other ? `${other.join('×')} a subgroup, ${operands(other)}` : null,
  });
  schedule.decide('warp grid', dot, `${grid(block).join('×')} subgroups`, {
    why: `blocks of ${block.join('×')} side by side cover ${shape.join('×')}`,
    next: other ? `${grid(other).join('×')} subgroups` : null,
  });
}

function recordRegisters(dot: Operation, layout: Layout, schedule: Schedule): void {
  const shape = shapeOf(dot.result.type).slice(-2);
  const rank = shapeOf(dot.result.type).length;
  const along = (bases: Layout['lane']): [number, number] => {
    const count = (dim: number): number => 2 ** bases.filter((basis) => basis[dim] !== 0).length;
    return [count(rank - 2), count(rank - 1)];
  };
  const [rows, columns] = along(layout.register);
  const read = ([m, n]: readonly [number, number]): string =>
    `${m + n} operands for ${m * n} multiply-adds`;
  const [best] = [[rows / 2, columns * 2] as const, [rows * 2, columns / 2] as const]
    .filter((tile) => tile.every((size, d) => size >= 1 && size <= shape[d]!))
    .sort((a, b) => a[0] + a[1] - b[0] - b[1]);
  schedule.decide('accumulator tile', dot, `${rows}×${columns} a thread`, {
    why: `a step of K reads ${read([rows, columns])}`,
    next: best ? `${best.join('×')} a thread: ${read(best)}` : null,
  });
  const [groups, lanes] = [along(layout.subgroup), along(layout.lane)];
  const grid = layout.lane.length > 0 ? `subgroups of ${lanes.join('×')} lanes` : 'threads';
  schedule.decide('warp grid', dot, `${groups.join('×')} ${grid}`, {
    why: `tiles of ${rows}×${columns} side by side cover ${shape.join('×')}`,
    next: null,
  });
}
