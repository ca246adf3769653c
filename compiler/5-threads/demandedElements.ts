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

const NONE: ReadonlySet<number> = new Set();

export function demandedRegisters(func: Func): (value: Value) => Demanded {
  const demands = new Demands();
  do {
    demands.changed = false;
    visitBlock(func.body, demands);
  } while (demands.changed);
  const every = new Map<Value, Demanded>();
  walk(func.body, (op) => {
    for (const value of [...op.results, ...op.regions.flatMap((region) => region.args)]) {
      every.set(value, demands.of(value));
    }
  });
  return (value) => every.get(value) ?? 'all';
}

/** The registers of each value that are found to be used so far. They only grow. */
class Demands {
  /** `all` as soon as that is known: most values, and then there is nothing more to find. */
  readonly #sets = new Map<Value, Set<number> | 'all'>();
  readonly #maps = new Map<Operation, readonly (number | undefined)[]>();
  changed = false;

  of(value: Value | undefined): Demanded {
    return (value && this.#sets.get(value)) ?? NONE;
  }
  add(value: Value | undefined, registers: Iterable<number> | 'all'): void {
    if (!value) return;
    let set = this.#sets.get(value);
    if (set === 'all') return;
    if (registers === 'all') {
      this.#sets.set(value, 'all');
      this.changed = true;
      return;
    }
    if (!set) this.#sets.set(value, (set = new Set()));
    const before = set.size;
    for (const r of registers) set.add(r);
    if (set.size === before) return;
    this.changed = true;
    if (set.size === countOf(value)) this.#sets.set(value, 'all');
  }
  addAll(value: Value | undefined): void {
    this.add(value, 'all');
  }
  /** For each register of a renaming's result, the operand's; computed once. */
  mapOf(op: Operation): readonly (number | undefined)[] {
    const known = this.#maps.get(op);
    if (known) return known;
    const map = registerMap(op.result, op.operand(0), coordinateBack(op));
    this.#maps.set(op, map);
    return map;
  }
}

function visitBlock(block: Block, demands: Demands): void {
  for (const op of [...block.ops].reverse()) visit(op, demands);
}

/** Demands the registers of operands that an operation needs for what is used of its results. */
function visit(op: Operation, demands: Demands): void {
  for (const region of op.regions) visitBlock(region, demands);
  if (op.name === 'tt.load' || op.name === 'tt.store') visitAccess(op, demands);
  else if (op.name === 'scf.for') visitLoop(op, demands);
  else if (op.name === 'scf.if') visitBranch(op, demands);
  else if (op.name === 'scf.yield') visitYield(op, demands);
  else if (hasTrait(op.name, 'elementwise') && op.results.length === 1)
    visitElementwise(op, demands);
  else if (RENAMINGS.has(op.name) && op.result.type.kind === 'tensor') visitRenaming(op, demands);
  else for (const operand of op.operands) demands.addAll(operand);
}

/** The first element of a vector gives the address and the mask for all of it. */
function visitAccess(op: Operation, demands: Demands): void {
  const [pointer, second, third] = op.operands;
  const [mask, value] = op.name === 'tt.load' ? [second, third] : [third, second];
  const vector = numberAttribute(op, 'vector') ?? 1;
  for (const perVector of [pointer, mask])
    if (perVector)
      demands.add(
        perVector,
        vector === 1 ? 'all' : range(countOf(perVector)).filter((r) => r % vector === 0),
      );
  demands.addAll(value);
}

function visitLoop(op: Operation, demands: Demands): void {
  for (const bound of op.operands.slice(0, 3)) demands.addAll(bound);
  const body = op.region(0);
  op.results.forEach((result, i) => {
    const arg = body.args[i + 1]!;
    demands.add(arg, demands.of(result));
    demands.add(op.operands[i + 3], demands.of(arg));
    demands.add(body.ops.at(-1)?.operands[i], demands.of(arg));
  });
}

function visitBranch(op: Operation, demands: Demands): void {
  demands.addAll(op.operand(0));
  op.results.forEach((result, i) => {
    for (const region of op.regions)
      demands.add(region.ops.at(-1)?.operands[i], demands.of(result));
  });
}

/** A loop or branch demands what its body yields; elsewhere all of it is. */
function visitYield(op: Operation, demands: Demands): void {
  const around = op.parent?.parent?.name;
  if (around === 'scf.for' || around === 'scf.if') return;
  for (const operand of op.operands) demands.addAll(operand);
}

function visitElementwise(op: Operation, demands: Demands): void {
  const found = demands.of(op.result);
  for (const operand of op.operands) {
    if (countOf(operand) > 1) demands.add(operand, found);
    else if (found === 'all' || found.size > 0) demands.add(operand, [0]);
  }
}

function visitRenaming(op: Operation, demands: Demands): void {
  const operand = op.operand(0);
  if (demands.of(operand) === 'all') return;
  if (operand.type.kind !== 'tensor' || countOf(op.result) > TRACKED_LIMIT) {
    demands.addAll(operand);
    return;
  }
  const map = demands.mapOf(op);
  const found = demands.of(op.result);
  const registers = found === 'all' ? range(countOf(op.result)) : [...found];
  demands.add(
    operand,
    registers.map((r) => map[r] ?? 0),
  );
}

function countOf({ type }: Value): number {
  return type.kind === 'tensor' && type.layout ? registerCount(type.layout) : 1;
}
function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
