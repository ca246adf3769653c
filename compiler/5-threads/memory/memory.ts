/**
 * Loads and stores of global memory. An access of `vector` registers is one read or write of the
 * widest kind that the group's declaration has. Masked lanes have no effect; out-of-range lanes
 * report themselves and have none (with `checkBounds`). One thread stores a tile that several
 * threads hold.
 */
import type { Operation, Value } from '../../ir/ir';
import { wholeVector } from '../../ir/thread/builder';
import { isZero } from '../../ir/thread/folding';
import type { ThreadValue } from '../../ir/thread/ir';
import type { NumberType } from '../../ir/thread/types';
import { layoutOf } from '../context';
import type { Lowering } from '../context';
import { ownerCondition } from '../owners';
import { PAIR } from '../registers';
import { type Bounds, boundsOf, type GuardOptions, maskGuard, type Run } from './bounds';
import { lowerPartialLoad, lowerPartialStore, wordElements } from './narrow';
import { accessDtype, range, readRun, runLength, writeRun } from './runs';

/** One run of an access that needs no guard, at a place that is counted in whole vectors. */
export function freeLoad(
  t: Lowering,
  op: Operation,
  vector: ThreadValue,
  count: number,
): ThreadValue[] {
  return readRun(t, t.memory.of(op).group, accessDtype(op), { vector }, count);
}
export function freeStore(
  t: Lowering,
  op: Operation,
  vector: ThreadValue,
  values: readonly ThreadValue[],
): void {
  t.when(ownerCondition(t, op.operand(0)), () =>
    writeRun(t, t.memory.of(op).group, accessDtype(op), { vector }, values),
  );
}

export interface LoadedRun extends Run {
  readonly others: readonly ThreadValue[] | undefined;
  readonly vector: number;
  readonly guard: GuardOptions;
}

/** Runs of a tile that each element has, where a thread holds it several times. */
function copiesInThread(value: Value): number {
  if (value.type.kind !== 'tensor') return 1;
  const { register } = layoutOf(value);
  return 2 ** register.filter((basis) => basis.every((c) => c === 0)).length;
}

/** The values of a run where nothing is read: those of `other`, or zeros. */
function startOf(
  t: Lowering,
  op: Operation,
  others: readonly ThreadValue[] | undefined,
  vector: number,
): readonly ThreadValue[] {
  return others ?? new Array<ThreadValue>(vector).fill(t.b.zero(t.registerTypeOf(op.result)));
}

/** A run as vectors of four where it is made of such. */
function packRun(t: Lowering, values: readonly ThreadValue[]): ThreadValue[] {
  if (values.length % 4 !== 0 || values[0]!.type === PAIR) return [...values];
  return range(values.length / 4).map((i) => t.b.vector(values.slice(4 * i, 4 * i + 4)));
}
function unpackRun(t: Lowering, values: readonly ThreadValue[]): ThreadValue[] {
  return values.flatMap((value) => (value.type === PAIR ? [value] : t.b.components(value)));
}

/** One run of a load from an offset: its registers. */
export function loadRun(t: Lowering, op: Operation, run: LoadedRun): readonly ThreadValue[] {
  return unpackRun(t, readGuarded(t, op, run));
}

/** Reads a run where its mask holds and some of it is in range; packed. */
function readGuarded(t: Lowering, op: Operation, run: LoadedRun): readonly ThreadValue[] {
  const { offset, mask, others, vector } = run;
  const { group, computed } = t.memory.of(op);
  const bounds = boundsOf(t, op, vector);
  const read = (): ThreadValue[] =>
    packRun(t, readRun(t, group, accessDtype(op), { offset }, vector));
  if (!bounds && mask === undefined) return read();
  const prefetched = op.attributes['prefetched'] === true;
  if (t.machine.masksBranches && !computed && !prefetched) return selectedRun(t, op, bounds, run);
  const start = startOf(t, op, others, vector);
  const before = packRun(t, start);
  const hints = before.map(() => t.hint(op.result));
  const condition = bounds ? bounds.guard(run, run.guard).some : maskGuard(t, mask!, run.guard);
  /** A run out of range is 0; a masked one has the values of `other`. */
  const instead = (): readonly ThreadValue[] => {
    if (!bounds || start.every(isZero)) return before;
    const zeros = before.map(({ type }) => t.b.zero(type as NumberType));
    return mask ? before.map((x, i) => t.select(mask, zeros[i]!, x)) : zeros;
  };
  const results = t.b.if(condition, read, instead, hints);
  const branch = results[0]!.definition;
  // For `predicate_loads`.
  if (prefetched && branch?.name === 'thread.if') branch.attributes = { prefetched };
  return results;
}

/**
 * One run of a load where branches are masked: SwiftShader merges every value that one changes
 * twice. So a run that must not be read is read from
 * the buffer's beginning and dropped: a sixth of paged decoding.
 */
function selectedRun(
  t: Lowering,
  op: Operation,
  bounds: Bounds | undefined,
  { offset, mask, others, vector, guard }: LoadedRun,
): readonly ThreadValue[] {
  const hint = t.hint(op.result);
  const ok = t.let(
    'ok',
    bounds ? bounds.guard({ offset, mask }, guard).some : maskGuard(t, mask!, guard),
  );
  const at = t.let('at', t.x`select(0i, ${offset}, ${ok})`);
  const place = { offset: at };
  const values = readRun(t, t.memory.of(op).group, accessDtype(op), place, vector);
  const start = startOf(t, op, others, vector);
  const chosen: ThreadValue[] = [];
  for (let i = 0; i < vector; i += 4) {
    const [four, rest] = [values.slice(i, i + 4), start.slice(i, i + 4)];
    // A lane out of range is 0; a masked lane has the value of `other`.
    const both = bounds && !rest.every(isZero);
    const choose = (x: ThreadValue, instead: ThreadValue): ThreadValue => {
      if (!both) return t.let(hint, t.select(ok, x, instead));
      const zero = t.b.zero(x.type as NumberType);
      const inside = t.select(ok, x, zero);
      return t.let(hint, mask ? t.select(mask, inside, instead) : inside);
    };
    const whole = four.length === 4 ? wholeVector(four) : undefined;
    if (whole) chosen.push(choose(whole, t.b.vector(rest)));
    else chosen.push(...four.map((x, k) => choose(x, rest[k]!)));
  }
  return chosen;
}

/**
 * The different runs of a load, and which of them each run of the thread is: equal ones are read
 * once.
 */
function runsOf(
  t: Lowering,
  op: Operation,
): { readonly runs: readonly LoadedRun[]; readonly order: readonly number[] } {
  const [pointers, masks, others] = op.operands.map((operand) => t.registers(operand));
  const vector = runLength(t, op);
  const copies = copiesInThread(op.result);
  const runs: Omit<LoadedRun, 'guard'>[] = [];
  const times: number[] = [];
  const index = new Map<string, number>();
  const order: number[] = [];
  for (let r = 0; r < pointers!.length; r += vector) {
    const [offset, mask, other] = [pointers![r]!, masks?.[r], others?.slice(r, r + vector)];
    const key = [offset, mask, ...(other ?? [])].map((x) => (x ? t.b.idOf(x) : '')).join(' ');
    const found = index.get(key) ?? runs.push({ offset, mask, others: other, vector }) - 1;
    index.set(key, found);
    times[found] = (times[found] ?? 0) + 1;
    order.push(found);
  }
  const operation = t.checks.nextGuard();
  const guarded = runs.map((run, i) => ({
    ...run,
    guard: { operation, times: times[i]! / copies, section: sectionOf(t, op) },
  }));
  return { runs: guarded, order };
}

/** The number of the loads side by side whose guards may share a test; undefined for others. */
function sectionOf(t: Lowering, op: Operation): number | undefined {
  const isMerged = (each: Operation | undefined): boolean =>
    each?.name === 'tt.load' && each.attributes['mergedGuard'] === true;
  if (!isMerged(op)) return undefined;
  let first = op;
  while (isMerged(first.previous)) first = first.previous!;
  return t.idOf(first.result);
}

export function lowerLoad(t: Lowering, op: Operation): void {
  const vector = runLength(t, op);
  const bounds = boundsOf(t, op, vector);
  const merged = op.attributes['mergedGuard'] === true;
  const word = wordElements(t, op, vector, t.count(op.operand(0)));
  if (word > vector && !merged) return lowerPartialLoad(t, op, bounds, word);
  const { runs, order } = runsOf(t, op);
  const values = runs.map((run) => loadRun(t, op, run));
  t.setRegisters(
    op.result,
    order.flatMap((i) => values[i]!),
  );
}

/** One run of a store, by the thread that owns it. */
function writeGuarded(
  t: Lowering,
  op: Operation,
  { offset, mask }: Run,
  values: readonly ThreadValue[],
  operation: number,
): void {
  const { group } = t.memory.of(op);
  const bounds = boundsOf(t, op, values.length);
  const condition = t.every([ownerCondition(t, op.operand(0)), mask]);
  const write = (list: readonly ThreadValue[]): void =>
    writeRun(t, group, accessDtype(op), { offset }, list);
  if (!bounds) return t.when(condition, () => write(values));
  const guard = bounds.guard({ offset, mask: condition }, { operation });
  /** Writes 0 past the end, where it stands already. */
  const writePart = (): void => {
    const zero = t.b.zero(values[0]!.type as NumberType);
    const { has } = guard;
    write(has ? values.map((value, k) => (k > 0 ? t.select(has(k), value, zero) : value)) : values);
  };
  t.when(guard.some, writePart);
}

/** One run of a store, with its report. */
export function storeRun(
  t: Lowering,
  op: Operation,
  run: Run,
  values: readonly ThreadValue[],
): void {
  writeGuarded(t, op, run, values, t.checks.nextGuard());
}

export function lowerStore(t: Lowering, op: Operation): void {
  const pointers = t.registers(op.operand(0));
  const values = t.registers(op.operand(1));
  const masks = op.operands[2] && t.registers(op.operands[2]);
  const vector = runLength(t, op);
  const word = wordElements(t, op, vector, pointers.length);
  if (word > vector) return lowerPartialStore(t, op, boundsOf(t, op, vector), word);
  // Offsets that wait for one test of all runs take registers.
  const each = t.func.attributes['sinkIntoEpilogue'] === true;
  const all = t.checks.nextGuard();
  for (let r = 0; r < pointers.length; r += vector) {
    const run = { offset: pointers[r]!, mask: masks?.[r] };
    writeGuarded(t, op, run, values.slice(r, r + vector), each ? t.checks.nextGuard() : all);
  }
}
