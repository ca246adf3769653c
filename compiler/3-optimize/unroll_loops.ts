/**
 * Unrolls loops by the factor of `tl.range(loop_unroll_factor=)`: a loop over groups of `factor`
 * iterations, then the loop as it was over the rest. Iterations keep their order, and a loop
 * without iterations has none. As in Triton, the loop over the rest is not pipelined.
 *
 * The loop over groups carries the counter of the iteration behind it, so that nothing is divided.
 * Its bound is (factor − 1) steps below the loop's; where that may leave the counter's type it is
 * computed in i64, and a loop of i64 stays as it is.
 */
import { Builder, cloneOps, constantOf, type ValueMap } from '../ir/builder';
import { Block, type Func, type Operation, type Value, walk } from '../ir/ir';
import { wholeRange } from '../ir/ops/range';
import { bitWidth, dtypeOf, I64 } from '../ir/types';
import { Ranges } from './ranges';

export function unroll_loops(func: Func): boolean {
  const loops: Operation[] = [];
  walk(func.body, (op) => {
    if (op.name === 'scf.for' && op.attributes['tt.loop_unroll_factor'] !== undefined)
      loops.push(op);
  });
  // Inner loops first: copies of an outer loop's body then hold loops that are done.
  for (const loop of loops.reverse()) unroll(loop, new Ranges(func));
  return loops.length > 0;
}

function unroll(loop: Operation, ranges: Ranges): void {
  const { 'tt.loop_unroll_factor': given, ...attributes } = loop.attributes;
  loop.attributes = attributes;
  const factor = Number(given);
  const count = knownCount(loop);
  if (factor < 2 || (count !== undefined && count < factor)) return;
  const outside = Builder.before(loop);
  const bound = boundOfGroups(outside, loop, factor, ranges);
  if (!bound) return;
  const groups = loopOverGroups(outside, loop, bound, factor);
  const [next, ...carried] = groups.results;
  if (count !== undefined && count % factor === 0) {
    loop.results.forEach((result, i) => result.replaceAllUsesWith(carried[i]!));
    loop.erase();
    return;
  }
  loop.operands = [next!, loop.operand(1), loop.operand(2), ...carried];
  loop.attributes = { ...attributes, 'tt.num_stages': 1 };
  if (count === undefined) return;
  const skipped = times(outside, loop.operand(2), count - (count % factor));
  loop.setOperand(0, outside.binary('arith.addi', groups.operand(0), skipped));
}

/** `step` · `count`, in the type of `step`. */
function times(builder: Builder, step: Value, count: number): Value {
  const by = constantOf(step);
  if (by === undefined && count === 1) return step;
  if (by === undefined)
    return builder.binary('arith.muli', step, builder.constant(step.type, BigInt(count)));
  return builder.constant(step.type, BigInt(by) * BigInt(count));
}

/** Iterations, where bounds and step are constants. */
function knownCount(loop: Operation): number | undefined {
  const [lower, upper, step] = loop.operands.slice(0, 3).map((value) => constantOf(value));
  if (lower === undefined || upper === undefined || step === undefined) return undefined;
  return Math.max(0, Math.ceil((Number(upper) - Number(lower)) / Number(step)));
}

/**
 * A group begins at every counter below it: upper − (factor − 1) · step, or nothing where upper is
 * not above lower. Undefined where it may leave the counter's type, and i64 is no wider.
 */
function boundOfGroups(
  builder: Builder,
  loop: Operation,
  factor: number,
  ranges: Ranges,
): Value | undefined {
  const [lower, upper, step] = loop.operands as [Value, Value, Value];
  const by = constantOf(step);
  const dtype = dtypeOf(lower.type)!;
  const { low, high } = wholeRange(dtype);
  const span = by === undefined ? undefined : Number(by) * (factor - 1);
  if (span !== undefined && span + Number(by) <= high) {
    // Doubles beyond 2⁵³ would hide that it leaves i64.
    const least = ranges.of(lower).low - span;
    if (least >= low && Number.isSafeInteger(least))
      return builder.binary(
        'arith.subi',
        builder.binary('arith.maxsi', upper, lower),
        builder.constant(lower.type, BigInt(span)),
      );
  }
  if (bitWidth(dtype) > 32) return undefined;
  const wide = (value: Value): Value => {
    const constant = constantOf(value);
    if (constant !== undefined) return builder.constant(I64, BigInt(constant));
    return builder.cast('arith.extsi', value, I64);
  };
  const steps = times(builder, wide(step), factor - 1);
  const end = builder.binary('arith.maxsi', wide(upper), wide(lower));
  const bound = builder.binary('arith.subi', end, steps);
  const least = builder.constant(I64, BigInt(low));
  return builder.value('arith.trunci', [builder.binary('arith.maxsi', bound, least)], lower.type);
}

/** Its first result is the counter of the first iteration that is in no group. */
function loopOverGroups(
  builder: Builder,
  loop: Operation,
  bound: Value,
  factor: number,
): Operation {
  const [lower, , step, ...inits] = loop.operands as [Value, Value, Value, ...Value[]];
  const strides = Array.from({ length: factor - 1 }, (_, i) => times(builder, step, i + 1));
  const group = times(builder, step, factor);
  const [counter, ...args] = loop.region(0).args;
  const body = new Block();
  const first = body.addArg(counter!.type, counter!.name);
  body.addArg(counter!.type);
  let carried: readonly Value[] = args.map((arg) => body.addArg(arg.type, arg.name));
  builder.inside(body, () => {
    for (let i = 0; i < factor; i++) {
      const map: ValueMap = new Map();
      const at = i === 0 ? first : builder.binary('arith.addi', first, strides[i - 1]!);
      if (counter!.name !== undefined) at.name ??= counter!.name;
      map.set(counter!, at);
      args.forEach((arg, j) => map.set(arg, carried[j]!));
      const { terminator, ops } = loop.region(0);
      cloneOps(
        ops.filter((op) => op !== terminator),
        body,
        map,
      );
      carried = terminator.operands.map((value) => map.get(value) ?? value);
    }
    builder.yield([builder.binary('arith.addi', first, group), ...carried]);
  });
  const types = [lower.type, ...inits.map((value) => value.type)];
  const operands = [lower, bound, group, lower, ...inits];
  const groups = builder.create('scf.for', operands, types, { ...loop.attributes }, [body]);
  loop.results.forEach((result, i) => (groups.results[i + 1]!.name = result.name));
  return groups;
}
