/**
 * Accesses out of range and races of one launch, found by evaluating the addresses of its programs
 * on the interpreter: the fallback where the form of an address does not decide, and the
 * confirmation of every counterexample.
 */
import { type AccessKind, accessKind, isMaskedOff } from '../ir/access';
import type { Func, Operation } from '../ir/ir';
import { dtypeOf, shapeOf } from '../ir/types';
import {
  argumentValues,
  linearProgram,
  memoryOf,
  programCount,
  type LaunchInputs,
} from '../inspect/launch';
import { RaceMap, type Race } from '../inspect/races';
import { bytesOfAccess, EnoughSeen, parameterOf, type OnAccess } from '../inspect/trace';
import type { StoredValues } from '../inspect/lanes';
import type { TraceOptions, TraceEnd } from '../inspect/trace';
import { scalarFromBits } from '../ir/numbers';
import { accessesOf } from './accesses';
import { traceAddresses } from './slice';

type Program = readonly [number, number, number];

/** Operations of the interpreter, and elements of accesses, that one check may take. */
const MOST_OPERATIONS = 20_000_000;
const MOST_ELEMENTS = 60_000_000;

/** The first element of an access that lies outside of its tensor. */
export interface Outside {
  readonly program: Program;
  /** The position in the tile. */
  readonly lane: readonly number[];
  readonly address: number;
  /** Elements from the first one of the tensor; from address 0 where that is unknown. */
  readonly element: number;
  /** Elements that there are from there on; null where the tensor is unknown. */
  readonly elements: number | null;
  /** Index of the argument; null where it is unknown. */
  readonly argument: number | null;
}

export interface BoundsCheck {
  readonly outside: ReadonlyMap<Operation, Outside>;
  /** Programs that were run. */
  readonly programs: number;
  readonly end: TraceEnd;
}

export function checkBounds(func: Func, inputs: LaunchInputs): BoundsCheck {
  const outside = new Map<Operation, Outside>();
  let [left, linear] = [MOST_ELEMENTS, -1];
  const onAccess: OnAccess = (op, addresses, mask, program) => {
    linear = linearProgram(inputs.grid, program);
    left -= addresses.length;
    if (left < 0) throw new EnoughSeen();
    if (outside.has(op)) return;
    const found = firstOutside(op, addresses, mask, program, func, inputs);
    if (found) outside.set(op, found);
  };
  const end = traceAddresses(optionsFor(func, inputs, onAccess));
  const all = programCount(inputs);
  return { outside, programs: end.kind === 'complete' ? all : Math.max(0, linear), end };
}

function optionsFor(func: Func, inputs: LaunchInputs, onAccess: OnAccess): TraceOptions {
  return {
    func,
    args: argumentValues(inputs),
    memory: memoryOf(inputs),
    grid: inputs.grid,
    range: { first: 0, end: programCount(inputs) },
    budget: MOST_OPERATIONS,
    onAccess,
  };
}

function firstOutside(
  op: Operation,
  addresses: Float64Array,
  mask: Uint8Array | undefined,
  program: Program,
  func: Func,
  inputs: LaunchInputs,
): Outside | undefined {
  const argument = parameterOf(op, func);
  const view = argument === null ? undefined : inputs.args[argument];
  const storages =
    view?.kind === 'pointer' ? [inputs.storages[view.storage]!] : [...inputs.storages];
  const bytes = bytesOfAccess(op);
  for (let i = 0; i < addresses.length; i++) {
    if (isMaskedOff(mask, i)) continue;
    const address = addresses[i]!;
    const inside = storages.some(
      (each) => address >= each.address && address + bytes <= each.address + each.byteLength,
    );
    if (inside) continue;
    const lane = positionOf(i, shapeOf(op.operand(0).type));
    const at = [program[0], program[1], program[2]] as const;
    if (view?.kind !== 'pointer')
      return { program: at, lane, address, element: address / bytes, elements: null, argument };
    const { address: begin, byteLength } = storages[0]!;
    const elements = Math.floor((begin + byteLength - view.address) / bytes);
    const element = (address - view.address) / bytes;
    return { program: at, lane, address, element, elements, argument };
  }
  return undefined;
}

function positionOf(index: number, shape: readonly number[]): number[] {
  const position: number[] = [];
  let rest = index;
  for (const size of [...shape].reverse()) {
    position.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return position;
}

/** One side of a race: an access of one program. */
export interface Side {
  readonly op: Operation;
  readonly program: Program;
  readonly kind: AccessKind;
  /** The value of a store, where there is one. */
  readonly value: number | bigint | null;
}

export interface FoundRace {
  readonly argument: number;
  readonly element: number;
  readonly sides: readonly [Side, Side];
}

export interface RaceCheck {
  readonly races: readonly FoundRace[];
  /** Elements that programs touch, and leave the same value in, whatever their order. */
  readonly harmless: number;
  /** Elements that programs race for, of which the accesses were not found again. */
  readonly unexplained: number;
  readonly programs: number;
  readonly end: TraceEnd;
}

export function checkRaces(func: Func, inputs: LaunchInputs): RaceCheck {
  const count = programCount(inputs);
  const map = new RaceMap(func, inputs, 0, count, traceAddresses);
  const { shown, programs, end } = map.report;
  const accesses = accessesOf(func);
  const races: FoundRace[] = [];
  const seen = new Set<string>();
  let [harmless, unexplained] = [0, 0];
  for (const race of shown) {
    if (race.kind === 'lanes') continue;
    const sides = sidesOf(func, inputs, race);
    if (!sides) {
      unexplained++;
      continue;
    }
    const key = sides.map(({ op }) => accesses.indexOf(op)).join();
    if (seen.has(key)) continue;
    if (isHarmless(sides, race, inputs)) {
      harmless++;
      continue;
    }
    seen.add(key);
    races.push({ argument: race.parameter, element: race.element, sides });
  }
  return { races, harmless, unexplained, programs, end };
}

/** The accesses by which two programs touch the element, each on memory as it was before. */
function sidesOf(func: Func, inputs: LaunchInputs, race: Race): readonly [Side, Side] | undefined {
  const [first, second] = race.programs.map((program) => touching(func, inputs, race, program)) as [
    Side[],
    Side[],
  ];
  for (const a of first)
    for (const b of second) {
      const writes = a.kind !== 'load' || b.kind !== 'load';
      if (writes && !(a.kind === 'atomic' && b.kind === 'atomic')) return [a, b];
    }
  return undefined;
}

function touching(func: Func, inputs: LaunchInputs, race: Race, program: number): Side[] {
  const view = inputs.args[race.parameter];
  if (view?.kind !== 'pointer') return [];
  const sides: Side[] = [];
  const onAccess = (
    op: Operation,
    addresses: Float64Array,
    mask: Uint8Array | undefined,
    id: Program,
    values: StoredValues | undefined,
  ): void => {
    const argument = parameterOf(op, func);
    const own = argument === null ? undefined : inputs.args[argument];
    if (own?.kind !== 'pointer' || own.storage !== view.storage) return;
    const size = bytesOfAccess(op);
    for (let i = 0; i < addresses.length; i++) {
      if (isMaskedOff(mask, i)) continue;
      if (Math.floor((addresses[i]! - view.address) / size) !== race.element) continue;
      const value = values ? (values[values.length === 1 ? 0 : i] ?? null) : null;
      sides.push({ op, program: [id[0], id[1], id[2]], kind: accessKind(op)!, value });
      return;
    }
  };
  const options = optionsFor(func, inputs, onAccess);
  traceAddresses({ ...options, range: { first: program, end: program + 1 } }, true);
  return sides;
}

/** Whether the order of the two changes nothing: both leave the same value there. */
function isHarmless(sides: readonly [Side, Side], race: Race, inputs: LaunchInputs): boolean {
  const [a, b] = sides;
  if (a.kind === 'store' && b.kind === 'store') return isSame(a.value, b.value);
  if (a.kind === 'atomic' || b.kind === 'atomic') return false;
  const written = a.kind === 'store' ? a : b;
  return isSame(written.value, valueBefore(race, inputs, written.op));
}
/** A value that is not known may be the same: no program is accused for it. */
function isSame(a: Side['value'], b: Side['value']): boolean {
  return a === null || b === null || Object.is(Number(a), Number(b));
}

/** The element as the launch found it; null where its memory was not kept. */
function valueBefore(race: Race, inputs: LaunchInputs, op: Operation): number | bigint | null {
  const view = inputs.args[race.parameter];
  const dtype = dtypeOf(op.operand(1).type);
  if (view?.kind !== 'pointer' || !dtype) return null;
  const { contents, address } = inputs.storages[view.storage]!;
  if (contents === null) return null;
  const bytes = bytesOfAccess(op);
  const begin = view.address - address + race.element * bytes;
  const memory = memoryOf(inputs)[view.storage]!.bytes;
  let bits = 0n;
  for (let i = bytes - 1; i >= 0; i--) bits = (bits << 8n) | BigInt(memory[begin + i] ?? 0);
  const value = scalarFromBits(dtype, bits);
  return typeof value === 'boolean' ? Number(value) : value;
}
