/**
 * tt.map_elementwise: the region, written out for each register; where that would be long, once, in a
 * loop over arrays of registers. Its branches and loops are those of the thread.
 */
import { walk } from '../../ir/ir';
import type { Operation } from '../../ir/ir';
import { elementOf } from '../../ir/types';
import type { Emission } from '../emission';
import { emitOperation } from '../operations';

/** Operations, in all registers together, from which on a loop is written. */
const MOST_WRITTEN_OUT = 256;

export function emitMap(e: Emission, op: Operation): void {
  const region = op.region(0);
  const inputs = op.operands.map((operand) => e.registers(operand));
  const count = e.count(op.results[0] ?? op.operand(0));
  let size = 0;
  walk(region, () => (size += 1));
  const run = (element: readonly string[]): string[] => {
    element.forEach((register, i) => e.setRegisters(region.args[i]!, [register]));
    for (const inner of region.ops) emitOperation(e, inner);
    return region.terminator.operands.map((value) => e.scalar(value));
  };
  const at = (registers: readonly string[], r: number): string =>
    registers.length === 1 ? registers[0]! : registers[r]!;
  const types = op.results.map((result) => e.typeOf(elementOf(result.type)));

  if (count === 1 || count * size <= MOST_WRITTEN_OUT) {
    const out = op.results.map((): string[] => []);
    for (let r = 0; r < count; r++) {
      const values = run(inputs.map((registers) => at(registers, r)));
      values.forEach((value, k) => out[k]!.push(value));
    }
    op.results.forEach((result, k) => e.setRegisters(result, out[k]!));
    return;
  }
  const sources = op.operands.map((operand, i) => {
    const registers = inputs[i]!;
    if (e.sameEverywhere(operand)) return (): string => registers[0]!;
    const type = `array<${e.registerTypeOf(operand)}, ${count}>`;
    const name = e.variable('inputs', type, `${type}(${registers.join(', ')})`);
    return (index: string): string => `${name}[${index}]`;
  });
  const outputs = types.map((type) => e.variable('outputs', `array<${type}, ${count}>`));
  const index = e.names.fresh('i');
  e.writer.block(`for (var ${index} = 0u; ${index} < ${count}u; ${index}++)`, () => {
    const values = run(sources.map((source) => e.let('element', source(index))));
    values.forEach((value, k) => e.writer.line(`${outputs[k]}[${index}] = ${value};`));
  });
  op.results.forEach((result, k) => {
    const hint = e.hint(result);
    const registers = Array.from({ length: count }, (_, r) => e.let(hint, `${outputs[k]}[${r}]`));
    e.setRegisters(result, registers);
  });
}
