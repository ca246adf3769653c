/**
 * Dots without staging, for what workgroup memory does not hold, and for f64 and i64: a loop along
 * K that gathers a column and a row, in chunks through as little scratch as there is. Slow, for
 * tiles of thousands of rows or batches that nobody multiplies.
 */
import type { Builder } from '../../ir/builder';
import type { Operation, Value } from '../../ir/ir';
import { restrictTo } from '../../ir/layoutAlgebra';
import type { OpName } from '../../ir/ops';
import {
  bitWidth,
  dtypeOf,
  I32,
  isInteger,
  type ScalarType,
  shapeOf,
  tensor,
  withElement,
} from '../../ir/types';
import { layoutOf } from '../layoutRules';

export function dotStepByStep(
  builder: Builder,
  dot: Operation,
  element: ScalarType,
  start: Value,
): Value {
  const layout = layoutOf(start)!;
  const shape = shapeOf(start.type);
  const rank = shape.length;
  const sources = ([0, 1] as const).map((side) => convert(builder, dot.operand(side), element));
  const [sum] = builder.forLoop(
    builder.i32(0),
    builder.i32(shapeOf(dot.operand(0).type).at(-1)!),
    builder.i32(1),
    [start],
    (k, [acc]) => {
      const [x, y] = ([0, 1] as const).map((side) => {
        const axis = rank - 1 - side;
        const line = shape.map((size, d) => (d === axis ? 1 : size));
        const at = restrictTo(layout, line);
        const indices = builder.value('tt.splat', [k], tensor(line, I32, at));
        const type = tensor(line, element, at);
        const one = builder.value('tt.gather', [sources[side]!, indices], type, { axis });
        return builder.value('tt.broadcast', [one], tensor(shape, element, layout));
      });
      if (!isInteger(element.dtype)) return [builder.value('math.fma', [x!, y!, acc!])];
      return [builder.binary('arith.addi', builder.binary('arith.muli', x!, y!), acc!)];
    },
  );
  return sum!;
}

/** Between number types of a dot's operands and accumulators; exact when it widens. */
export function convert(builder: Builder, value: Value, element: ScalarType): Value {
  const from = dtypeOf(value.type);
  if (!from || from === element.dtype) return value;
  const widens = bitWidth(from) < bitWidth(element.dtype);
  const name: OpName = isInteger(from)
    ? widens
      ? 'arith.extsi'
      : 'arith.trunci'
    : widens
      ? from.startsWith('f8')
        ? 'tt.fp_to_fp'
        : 'arith.extf'
      : 'arith.truncf';
  return builder.value(name, [value], withElement(value.type, element));
}
