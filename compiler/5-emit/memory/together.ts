/**
 * Loads that are issued ahead side by side, with one test for all of their runs: whether none is masked and none
 * is out of range, as almost always. Only where that fails has each run a branch of its own, and what is out of
 * range is remembered. Nothing is read, and nothing reported, that each load by itself would not.
 */
import { type Operation, type Value, walk } from '../../ir/ir';
import { components, vectorOf, wholeVector } from '../dot/pack';
import { UNNEEDED } from '../emission';
import type { Emission } from '../emission';
import type { GroupPlan } from './groups';
import { zeroOf } from '../registers';
import { type Bounds, boundsOf, report, type Suspect } from './bounds';
import { accessDtype, readRun, runLength } from './runs';

interface Run {
  readonly op: Operation;
  readonly offset: string;
  readonly mask: string | undefined;
  /** That it lies inside, where it is asked by itself. */
  inside?: string;
  /** Variables that begin as what is there instead, and their registers. */
  readonly registers: readonly string[];
}

/**
 * Of a load in a loop whose runs begin at a scalar and offsets that the loop does not change: `u32(base + from) <
 * room` says that all of them are inside. `from` is the least offset, counted from the buffer's first; `room` is what the
 * buffer has beyond the reach of the others.
 */
export interface Reach {
  readonly base: Value;
  readonly from: string;
  readonly room: string;
}

/** Before a loop: how far the loads in it reach that have one test together. */
export function prepareTogether(e: Emission, loop: Operation): void {
  walk(loop.region(0), (op) => {
    if (!isTogether(op) || e.reaches.has(op)) return;
    const range = boundsOfLoad(e, op)?.range;
    const pointers = op.operands[0]?.definition;
    const base = pointers?.operands[0]?.definition;
    if (!range || pointers?.name !== 'tt.addptr' || base?.name !== 'tt.splat') return;
    // What the loop computes has no registers yet.
    const named = new Set(e.named(pointers.operand(1)));
    const offsets = [...named].filter((offset) => offset !== UNNEEDED);
    if (offsets.length === 0) return;
    const all = (name: string): string => offsets.reduce((x, y) => `${name}(${x}, ${y})`);
    const least = e.let('least', all('min'));
    const span = e.let('span', `u32(${all('max')} - ${least})`);
    const { begin, length } = range;
    const room = e.let('room', `select(0u, ${length} - ${span}, ${span} < ${length})`);
    e.reaches.set(op, { base: base.operand(0), from: e.let('from', `${least} - ${begin}`), room });
  });
}

/** The loads from `first` on that have one test together; none, where it has tests of its own. */
export function loadsTogether(first: Operation): Operation[] {
  const out: Operation[] = [];
  for (let op: Operation | undefined = first; op && isTogether(op); op = op.next) out.push(op);
  return out;
}
function isTogether(op: Operation): boolean {
  return op.name === 'tt.load' && op.attributes['together'] === true;
}

export function emitTogether(e: Emission, ops: readonly Operation[]): void {
  const loads = ops.map((op) => ({
    bounds: boundsOfLoad(e, op),
    reach: e.reaches.get(op),
    runs: runsOf(e, op),
  }));
  const conditions = new Set<string>();
  for (const { bounds, reach, runs } of loads) {
    if (bounds && reach) {
      const base = e.scalar(reach.base);
      conditions.add(e.let('within', `u32(${base} + ${reach.from}) < ${reach.room}`));
    } else if (bounds) askEach(e, bounds, runs);
    for (const run of runs) for (const text of conditionsOf(run)) conditions.add(text);
  }
  const readAll = (): void => loads.forEach(({ runs }) => runs.forEach((run) => read(e, run)));
  if (conditions.size === 0) return readAll();
  e.writer.ifElse([...conditions].join(' & '), readAll, () => {
    for (const { bounds, reach, runs } of loads) {
      if (bounds && reach) askEach(e, bounds, runs);
      for (const run of runs) {
        const needed = conditionsOf(run);
        if (needed.length === 0) read(e, run);
        else e.writer.block(`if (${needed.join(' & ')})`, () => read(e, run));
      }
      if (bounds) report(e, bounds, runs.flatMap(suspectOf));
    }
  });
}

/** Names, for each run, whether it lies inside. */
function askEach(e: Emission, bounds: Bounds, runs: readonly Run[]): void {
  for (const run of runs) run.inside = e.let('inside', bounds.inside(run.offset));
}

const boundsOfLoad = (e: Emission, op: Operation): Bounds | undefined =>
  boundsOf(e, op, 'load', runLength(e, op));

/** Declares what a load's runs are read into, and gives its result these registers. */
function runsOf(e: Emission, op: Operation): Run[] {
  const [pointers, masks, others] = op.operands.map((operand) => e.registers(operand));
  const vector = runLength(e, op);
  const type = e.registerTypeOf(op.result);
  const whole = isWhole(e, op);
  const hint = e.hint(op.result);
  const runs = new Map<string, Run>();
  const out: string[] = [];
  for (let r = 0; r < pointers!.length; r += vector) {
    const offset = pointers![r]!;
    const mask = masks?.[r];
    const start = others?.slice(r, r + vector) ?? new Array<string>(vector).fill(zeroOf(type));
    const key = `${offset}|${mask ?? ''}|${start.join(',')}`;
    let run = runs.get(key);
    if (!run) {
      const registers: string[] = [];
      for (let i = 0; i < vector; i += whole ? 4 : 1) {
        if (!whole) registers.push(e.variable(hint, type, start[i]!));
        else {
          const first = vectorOf(type, start.slice(i, i + 4));
          registers.push(...components(e.variable(hint, `vec4<${type}>`, first)));
        }
      }
      run = { op, offset, mask, registers };
      runs.set(key, run);
    }
    out.push(...run.registers);
  }
  e.setRegisters(op.result, out);
  return [...runs.values()];
}

const isWhole = (e: Emission, op: Operation): boolean =>
  runLength(e, op) % 4 === 0 && e.registerTypeOf(op.result) !== 'vec2<u32>';

function conditionsOf({ mask, inside }: Run): string[] {
  return [...(mask === undefined ? [] : [`(${mask})`]), ...(inside === undefined ? [] : [inside])];
}
function suspectOf({ mask, inside, offset }: Run): Suspect[] {
  if (inside === undefined) return [];
  return [{ bad: mask === undefined ? `!${inside}` : `(${mask}) & !${inside}`, offset }];
}

function read(e: Emission, { op, offset, registers }: Run): void {
  const group: GroupPlan = e.memory.of(op).group;
  const type = e.registerTypeOf(op.result);
  const values = readRun(e, group, accessDtype(op), offset, registers.length);
  if (!isWhole(e, op)) {
    values.forEach((value, i) => e.writer.line(`${registers[i]} = ${value};`));
    return;
  }
  for (let i = 0; i < values.length; i += 4) {
    const name = wholeVector(registers.slice(i, i + 4))!;
    e.writer.line(`${name} = ${vectorOf(type, values.slice(i, i + 4))};`);
  }
}
