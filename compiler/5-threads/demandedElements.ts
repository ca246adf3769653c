/**
 * Which registers of each value are used at all. A load of four neighbours reads one address: the
 * other three need not be computed, nor carried around a loop. Found backwards, to a fixed point.
 */
import { walk } from '../ir/ir';
import type { Block, Func, Operation, Value } from '../ir/ir';
import { registerCount } from '../ir/layout';
import { hasTrait } from '../ir/ops';
import { numberAttribute } from './context';
import { coordinateBack, registerMap } from './registerMap';

export type Demanded = 'all' | ReadonlySet<number>;

const RENAMINGS = new Set([
  'tt.broadcast',
  'tt.expand_dims',
  'tt.reshape',
  'tt.trans',
  'ttg.extract_slice',
]);
/** Nothing here is worth tracking register by register. */
const TRACKED_LIMIT = 1024;

export function demandedRegisters(func: Func): (value: Value) => Demanded {
  /** `all` as soon as that is known: most values, and then there is nothing more to find. */
  const sets = new Map<Value, Set<number> | 'all'>();
  let changed = true;
  const countOf = (value: Value): number =>
    value.type.kind === 'tensor' && value.type.layout ? registerCount(value.type.layout) : 1;
  const demand = (value: Value | undefined, registers: Iterable<number> | 'all'): void => {
    if (!value) return;
    let set = sets.get(value);
    if (set === 'all') return;
    if (registers === 'all') {
      sets.set(value, 'all');
      changed = true;
      return;
    }
    if (!set) sets.set(value, (set = new Set()));
    const before = set.size;
    for (const r of registers) set.add(r);
    if (set.size === before) return;
    changed = true;
    if (set.size === countOf(value)) sets.set(value, 'all');
  };
  const all = (value: Value | undefined): void => demand(value, 'all');
  const NONE: ReadonlySet<number> = new Set();
  const of = (value: Value | undefined): ReadonlySet<number> | 'all' =>
    (value && sets.get(value)) ?? NONE;
  const visit = (op: Operation): void => {
    for (const region of op.regions) visitBlock(region);
    const vector = numberAttribute(op, 'vector') ?? 1;
    const firsts = (value: Value): number[] | 'all' =>
      vector === 1 ? 'all' : range(countOf(value)).filter((r) => r % vector === 0);
    if (op.name === 'tt.load' || op.name === 'tt.store') {
      const [pointer, second, third] = op.operands;
      demand(pointer, firsts(pointer!));
      if (op.name === 'tt.load') {
        if (second) demand(second, firsts(second));
        all(third);
      } else {
        all(second);
        if (third) demand(third, firsts(third));
      }
    } else if (op.name === 'scf.for') {
      op.operands.slice(0, 3).forEach(all);
      const body = op.region(0);
      op.results.forEach((result, i) => {
        const arg = body.args[i + 1]!;
        demand(arg, of(result));
        demand(op.operands[i + 3], of(arg));
        demand(body.ops.at(-1)?.operands[i], of(arg));
      });
    } else if (op.name === 'scf.if') {
      all(op.operand(0));
      op.results.forEach((result, i) => {
        for (const region of op.regions) demand(region.ops.at(-1)?.operands[i], of(result));
      });
    } else if (op.name === 'scf.yield') {
      // Demanded by the operation around it.
      if (op.parent?.parent?.name !== 'scf.for' && op.parent?.parent?.name !== 'scf.if')
        op.operands.forEach(all);
    } else if (hasTrait(op.name, 'elementwise') && op.results.length === 1) {
      for (const operand of op.operands) {
        if (countOf(operand) === 1) {
          const found = of(op.results[0]);
          if (found === 'all' || found.size > 0) demand(operand, [0]);
        } else demand(operand, of(op.results[0]));
      }
    } else if (RENAMINGS.has(op.name) && op.result.type.kind === 'tensor') {
      const operand = op.operand(0);
      if (sets.get(operand) === 'all') return;
      if (operand.type.kind !== 'tensor' || countOf(op.result) > TRACKED_LIMIT) all(operand);
      else {
        let map = maps.get(op);
        if (!map) maps.set(op, (map = registerMap(op.result, operand, coordinateBack(op))));
        const found = map;
        const demanded = of(op.result);
        const registers = demanded === 'all' ? range(countOf(op.result)) : [...demanded];
        demand(
          operand,
          registers.map((r) => found[r] ?? 0),
        );
      }
    } else op.operands.forEach(all);
  };
  const maps = new Map<Operation, (number | undefined)[]>();
  const visitBlock = (block: Block): void => {
    for (const op of [...block.ops].reverse()) visit(op);
  };
  while (changed) {
    changed = false;
    visitBlock(func.body);
  }
  const every = new Map<Value, Demanded>();
  walk(func.body, (op) => {
    for (const value of [...op.results, ...op.regions.flatMap((region) => region.args)]) {
      every.set(value, sets.get(value) ?? NONE);
    }
  });
  return (value) => every.get(value) ?? 'all';
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
