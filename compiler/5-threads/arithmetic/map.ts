/**
 * tt.map_elementwise: the region, written out for each register; where that would be long, once, in
 * a loop over arrays of registers. Its branches and loops are those of the thread.
 */
import { walk } from '../../ir/ir';
import type { Operation } from '../../ir/ir';
import type { ThreadValue } from '../../ir/thread/ir';
import { memory } from '../../ir/thread/types';
import { elementOf } from '../../ir/types';
import type { Lowering } from '../context';
import { lowerOperation } from '../operations';

/** Operations, in all registers together, from which on a loop is written. */
const MOST_WRITTEN_OUT = 256;

export function lowerMap(t: Lowering, op: Operation): void {
  const { b } = t;
  const region = op.region(0);
  const inputs = op.operands.map((operand) => t.registers(operand));
  const count = t.count(op.results[0] ?? op.operand(0));
  let size = 0;
  walk(region, () => (size += 1));
  const run = (element: readonly ThreadValue[]): ThreadValue[] => {
    element.forEach((register, i) => t.setRegisters(region.args[i]!, [register]));
    for (const inner of region.ops) lowerOperation(t, inner);
    return region.terminator.operands.map((value) => t.scalar(value));
  };
  const at = (registers: readonly ThreadValue[], r: number): ThreadValue =>
    registers.length === 1 ? registers[0]! : registers[r]!;

  if (count === 1 || count * size <= MOST_WRITTEN_OUT) {
    const out = op.results.map((): ThreadValue[] => []);
    for (let r = 0; r < count; r++) {
      const values = run(inputs.map((registers) => at(registers, r)));
      values.forEach((value, k) => out[k]!.push(value));
    }
    op.results.forEach((result, k) => t.setRegisters(result, out[k]!));
    return;
  }
  const sources = op.operands.map((operand, i) => {
    const registers = inputs[i]!;
    if (t.sameEverywhere(operand)) return (): ThreadValue => registers[0]!;
    const array = b.alloc('inputs', memory('private', t.registerTypeOf(operand), [count]));
    registers.forEach((register, r) => b.store(array, b.u32(r), register));
    return (index: ThreadValue): ThreadValue => t.let('element', b.load(array, index));
  });
  const outputs = op.results.map((result) =>
    b.alloc('outputs', memory('private', t.typeOf(elementOf(result.type)), [count])),
  );
  b.for(
    b.u32(count),
    [],
    (index) => {
      const values = run(sources.map((source) => source(index)));
      values.forEach((value, k) => b.store(outputs[k]!, index, value));
      return [];
    },
    { counter: 'i' },
  );
  op.results.forEach((result, k) => {
    const hint = t.hint(result);
    t.setRegisters(
      result,
      Array.from({ length: count }, (_, r) => t.let(hint, b.load(outputs[k]!, b.u32(r)))),
    );
  });
}
