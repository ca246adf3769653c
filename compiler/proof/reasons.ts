/** Why the form of an address does not decide an access: what else it depends on, with lines. */
import { accessKind } from '../ir/access';
import type { Func, Operation } from '../ir/ir';
import { parameterOf } from '../inspect/trace';
import { decidersOf } from './slice';

const DATA = 'the address depends on values in memory';
const FLOATS = 'the address depends on floats that become integers';
const FORM = 'not decided from the form of the address';
const ROUNDINGS: ReadonlySet<string> = new Set(['arith.fptosi', 'arith.fptoui']);

/** Tensors are named, with the lines that load from them. */
export function whyOpen(func: Func, ops: readonly Operation[]): string {
  const loads = new Map<string, Set<number>>();
  const rounded = new Set<number>();
  for (const { definition } of ops.flatMap((op) => [...decidersOf(op)])) {
    if (!definition) continue;
    const { line } = definition.location;
    if (ROUNDINGS.has(definition.name)) rounded.add(line);
    if (accessKind(definition) === null) continue;
    const argument = parameterOf(definition, func);
    const name =
      argument === null ? 'memory' : (func.body.args[argument]!.name ?? `argument ${argument}`);
    loads.set(name, (loads.get(name) ?? new Set()).add(line));
  }
  if (loads.size > 0)
    return `${DATA}: ${[...loads].map(([name, lines]) => `${name} (${linesOf(lines)})`).join(', ')}`;
  return rounded.size > 0 ? `${FLOATS} (${linesOf(rounded)})` : FORM;
}

const linesOf = (lines: ReadonlySet<number>): string =>
  `line${lines.size > 1 ? 's' : ''} ${[...lines].sort((a, b) => a - b).join(', ')}`;
