/**
 * The accesses of the programs that run, one after the other: which lanes of one program touch the
 * same element with no barrier between, one of them storing.
 */
import type { LaunchInputs } from '../inspect/launch';
import { bytesOfAccess, EnoughSeen, parameterOf } from '../inspect/trace';
import type { Step } from '../interpret/compile';
import type { MemoryStorage } from '../interpret/index';
import { isMaskedOff, maskOf } from '../ir/access';
import type { Func, Operation } from '../ir/ir';
import { scalarFromBits } from '../ir/numbers';
import { elementAt } from '../ir/tile';
import { dtypeOf, shapeOf } from '../ir/types';
import type { LaneRace } from './lanes';
import type { AccessInRun, Program } from './launchRun';
import type { Reordered } from './reordered';

/** Elements of watched accesses. */
const MOST_ELEMENTS = 400_000;
/** Loads of an element between barriers; pairs of a load and a store, and loads of a pair. */
const MOST_LOADS = 64;
const MOST_PAIRS = 16;
const MOST_REORDERED = 4096;

type Value = number | bigint;

/** An access of an element, by one lane. */
interface Touch {
  readonly op: Operation;
  readonly lane: number;
  readonly value: Value;
}
interface Load extends Touch {
  /** Executions of the operation until then. */
  readonly execution: number;
}
/** The last store of an element. */
interface Store extends Touch {
  /** Executions of accesses until then, and barriers. */
  readonly execution: number;
  readonly epoch: number;
  /** The element before any store since the last barrier; null where it is not known. */
  readonly old: Value | null;
}

/** NaN equals NaN, and 0 equals −0. */
const isSame = (a: Value, b: Value): boolean => a === b || (Number.isNaN(a) && Number.isNaN(b));

export const isOne = (op: Operation): boolean =>
  shapeOf(op.operand(0).type).every((size) => size === 1);

/** Positions of one shape are one thread; a scalar's is that of a tile's first position. */
export function isSameThread(
  a: Pick<Touch, 'op' | 'lane'>,
  b: Pick<Touch, 'op' | 'lane'>,
): boolean {
  if (a.lane !== b.lane) return false;
  if (a.lane === 0 && (isOne(a.op) || isOne(b.op))) return true;
  return shapeOf(a.op.operand(0).type).join() === shapeOf(b.op.operand(0).type).join();
}

const placeOf = ({ name, location }: Operation): string =>
  `${name} ${location.file}:${location.line}:${location.column}`;

export class Watch {
  /** By the places of the two accesses. */
  readonly races = new Map<string, LaneRace>();
  /** Loads and stores whose order is open, likewise. */
  readonly reordered = new Map<string, Reordered[]>();
  readonly #stores = new Map<number, Store>();
  /** Since the last barrier, by address. */
  readonly #loads = new Map<number, Load[]>();
  #left = MOST_ELEMENTS;
  #execution = 0;
  #epoch = 0;
  #program = '';

  constructor(
    private readonly func: Func,
    private readonly inputs: LaunchInputs,
    private readonly memory: readonly MemoryStorage[],
  ) {}

  synchronizing(step: Step | undefined): Step {
    return () => {
      this.#epoch++;
      this.#loads.clear();
      step?.();
    };
  }

  /** The step of a load or a store. */
  access({ op, kind, step, compiler }: AccessInRun): Step {
    const addresses = compiler.tile(op.operand(0)).data;
    const masked = maskOf(op);
    const mask = masked && compiler.tile(masked).data;
    const tile = compiler.tile(kind === 'store' ? op.operand(1) : op.result);
    let executions = 0;
    return () => {
      this.#begin(compiler.program, addresses.length);
      const execution = executions++;
      if (kind === 'load') step();
      for (let lane = 0; lane < addresses.length; lane++) {
        if (isMaskedOff(mask, lane)) continue;
        const touch = { op, lane, value: elementAt(tile, tile.count === 1 ? 0 : lane) };
        if (kind === 'store') this.#store(touch, addresses[lane]!, compiler.program);
        else this.#load({ ...touch, execution }, addresses[lane]!, compiler.program);
      }
      if (kind === 'store') step();
    };
  }
  #begin([x, y, z]: Program, elements: number): void {
    this.#left -= elements;
    if (this.#left < 0) throw new EnoughSeen();
    const program = `${x} ${y} ${z}`;
    if (program !== this.#program) {
      this.#stores.clear();
      this.#loads.clear();
    }
    this.#program = program;
    this.#execution++;
  }

  #load(load: Load, address: number, program: Program): void {
    const loads = this.#loads.get(address);
    if (!loads) this.#loads.set(address, [load]);
    else if (loads.length < MOST_LOADS) loads.push(load);
    const store = this.#stores.get(address);
    if (store?.epoch !== this.#epoch || store.old === null) return;
    this.#reorder(load, store, [store.old, store.value], address, program);
  }

  #store(touch: Touch, address: number, program: Program): void {
    const before = this.#stores.get(address);
    const isRecent = before?.epoch === this.#epoch;
    if (isRecent && !isSame(before.value, touch.value) && this.#areApart(before, touch)) {
      const values = [String(before.value), String(touch.value)] as const;
      this.add({ first: before.op, second: touch.op, program, address, values });
    }
    for (const load of this.#loads.get(address) ?? [])
      this.#reorder(load, touch, [load.value, touch.value], address, program);
    const old = isRecent ? before.old : this.#valueAt(address, touch.op);
    const [execution, epoch] = [this.#execution, this.#epoch];
    this.#stores.set(address, { ...touch, execution, epoch, old });
  }
  #areApart(before: Store, { op, lane }: Touch): boolean {
    if (before.execution === this.#execution) return before.lane !== lane;
    return !isSameThread(before, { op, lane });
  }

  /** Notes a load that another lane's store may come before or after. */
  #reorder(
    { op: load, lane, execution }: Load,
    store: Touch | Store,
    values: Reordered['values'],
    address: number,
    [x, y, z]: Program,
  ): void {
    const isScalar = isOne(load);
    const isKnown = dtypeOf(load.result.type) === dtypeOf(store.op.operand(1).type);
    if (!isKnown || isSame(...values)) return;
    if (!isScalar && isSameThread({ op: load, lane }, store)) return;
    const isStoreFirst = 'old' in store;
    const key = `${placeOf(load)} ${placeOf(store.op)} ${isStoreFirst}`;
    const list = this.reordered.get(key) ?? [];
    if (list.length === 0 && this.reordered.size >= MOST_PAIRS) return;
    this.reordered.set(key, list);
    if (list.length >= MOST_REORDERED) return;
    const program = [x, y, z] as const;
    const place = { program, address, execution, lane, by: store.lane };
    list.push({ load, store: store.op, isStoreFirst, ...place, values, isScalar });
  }

  /** The element before a store of the program; null where it lies outside of all tensors. */
  #valueAt(address: number, op: Operation): Value | null {
    const dtype = dtypeOf(op.operand(1).type);
    const size = bytesOfAccess(op);
    const storage = this.memory.find(
      (one) => address >= one.address && address + size <= one.address + one.bytes.length,
    );
    if (!storage || !dtype) return null;
    let bits = 0n;
    for (let i = size - 1; i >= 0; i--)
      bits = (bits << 8n) | BigInt(storage.bytes[address - storage.address + i]!);
    const value = scalarFromBits(dtype, bits);
    return typeof value === 'boolean' ? Number(value) : value;
  }

  add(race: Omit<LaneRace, 'argument' | 'element'> & { readonly address: number }): void {
    const { first, second, address, values } = race;
    const [x, y, z] = race.program;
    const key = `${placeOf(first)} ${placeOf(second)}`;
    if (this.races.has(key)) return;
    const argument = parameterOf(second, this.func);
    const view = argument === null ? undefined : this.inputs.args[argument];
    const begin = view?.kind === 'pointer' ? view.address : 0;
    const element = (address - begin) / bytesOfAccess(second);
    this.races.set(key, { first, second, program: [x, y, z], values, argument, element });
  }
}
