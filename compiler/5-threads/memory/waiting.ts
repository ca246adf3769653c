/**
 * Kernels whose programs wait for each other: a loop that reads memory until another program has
 * answered (the spin lock of the layer norm tutorial, stream-K). WebGPU promises neither that the
 * other program ever runs beside this one nor that its plain stores are seen here. So the programs
 * of such a kernel run one at a time, in order (`CompiledKernel.oneByOne`): a lock is then always
 * free, and what was stored under it is in memory. A program that waits for a later one would wait
 * forever: its loop gives up after `MOST_TRIES` and reports that.
 *
 * A loop waits if its condition hangs on an exchange, on an atomic that changes nothing (a read in
 * disguise), or, where the loop itself writes nothing, on a load from an address that stays the
 * same. A loop that draws its work from a counter (`atomic_add(counter, 1)`) does not wait.
 */
import { type Func, type Operation, type Value, walk } from '../../ir/ir';
import { hasTrait } from '../../ir/ops';
import { isSerialized } from './wideAtomics';

/** Nothing that another program does can come between two tries, so few are enough. */
export const MOST_TRIES = 4096;

/** The access that a loop waits on, if it waits. */
export function waitsOn(loop: Operation): Operation | undefined {
  if (loop.name !== 'scf.while') return undefined;
  const inside = new Set<Operation>();
  for (const region of loop.regions) walk(region, (op) => inside.add(op));
  const idle = [...inside].every((op) => !hasTrait(op.name, 'writes'));
  return [...decides(loop, inside)].find((op) => {
    switch (op.name) {
      case 'tt.atomic_cas':
        return true;
      case 'tt.atomic_rmw':
        return op.attributes['kind'] === 'exch' || isZero(op.operand(1));
      case 'tt.load':
        return idle && isFixed(op.operand(0), inside);
      default:
        return false;
    }
  });
}

/** Whether programs of the kernel wait for each other. */
export function waits(func: Func): boolean {
  let found = false;
  walk(func.body, (op) => {
    found ||= waitsOn(op) !== undefined;
  });
  return found;
}

/** Whether its programs must run one at a time: they wait, or update 64 bits in one step. */
export function runsAlone(func: Func): boolean {
  let found = waits(func);
  walk(func.body, (op) => {
    found ||= isSerialized(op);
  });
  return found;
}

/** The operations of a loop that its condition is computed from, carried values included. */
function decides(loop: Operation, inside: ReadonlySet<Operation>): Set<Operation> {
  const [before, after] = [loop.region(0), loop.region(1)];
  const found = new Set<Operation>();
  const seen = new Set<Value>();
  const rest: Value[] = [before.terminator.operand(0)];
  for (let value = rest.pop(); value; value = rest.pop()) {
    if (seen.has(value)) continue;
    seen.add(value);
    const { definition } = value;
    if (definition) {
      if (!inside.has(definition)) continue;
      found.add(definition);
      rest.push(...definition.operands);
      for (const region of definition.regions) rest.push(...region.terminator.operands);
      continue;
    }
    const carried = before.args.indexOf(value);
    if (carried >= 0) rest.push(after.terminator.operand(carried));
    const forwarded = after.args.indexOf(value);
    if (forwarded >= 0) rest.push(before.terminator.operand(forwarded + 1));
  }
  return found;
}

/** Computed outside of the loop, or in it from nothing but such values. */
function isFixed(value: Value, inside: ReadonlySet<Operation>): boolean {
  const { definition, owner } = value;
  if (definition) {
    if (!inside.has(definition)) return true;
    return (
      hasTrait(definition.name, 'pure') &&
      definition.operands.every((each) => isFixed(each, inside))
    );
  }
  // An argument of a block of the loop changes from iteration to iteration; the kernel's own do
  // not.
  return 'parent' in owner && owner.parent === undefined;
}

function isZero(value: Value): boolean {
  const { definition } = value;
  if (definition?.name === 'tt.splat') return isZero(definition.operand(0));
  return definition?.name === 'arith.constant' && Number(definition.attributes['value']) === 0;
}
