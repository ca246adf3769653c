/**
 * Writes `vector` on accesses to global memory: how many consecutive registers of a thread are one
 * aligned run of addresses under one mask, at most 16 bytes. `run` is the same whatever the mask,
 * where that is longer: words of narrow elements that one thread owns.
 */
import { type Func, type Operation, walk } from '../ir/ir';
import { registerRun } from '../ir/layoutAlgebra';
import { shapeOf } from '../ir/types';
import { AxisAnalysis } from './axis_analysis';
import { layoutOf } from './layoutRules';
import { alignedRun } from './memoryLayouts';

export function set_vector_width(func: Func): boolean {
  const axes = new AxisAnalysis(func);
  let changed = false;
  walk(func.body, (op) => {
    if (op.name !== 'tt.load' && op.name !== 'tt.store') return;
    const vector = vectorOf(op, axes, false);
    const run = vectorOf(op, axes, true);
    changed ||= op.attributes['vector'] !== vector;
    op.attributes = { ...op.attributes, vector, ...(run > vector ? { run } : {}) };
  });
  return changed;
}

function vectorOf(op: Operation, axes: AxisAnalysis, anyMask: boolean): number {
  const pointer = op.operand(0);
  const layout = layoutOf(pointer);
  if (!layout) return 1;
  const widths = shapeOf(pointer.type).map((_, dim) =>
    Math.min(registerRun(layout, dim), alignedRun(op, axes, dim, anyMask)),
  );
  return Math.max(1, ...widths);
}
