/**
 * Races of a launch: an element that two programs write, or that one writes and another reads, and
 * one that two lanes of one store write with different values. On a GPU programs and lanes run in
 * any order and at once, so such a result depends on luck. Atomics do not race with atomics. Beside
 * them, stores to elements of a storage that the view passed to the kernel does not have: legal,
 * and hardly ever meant.
 */
import { type AccessKind, accessKind, isMaskedOff } from '../ir/access';
import type { Func, Operation } from '../ir/ir';
import { elementOf, byteSize } from '../ir/types';
import {
  argumentValues,
  linearProgram,
  memoryOf,
  type LaunchArgument,
  type LaunchInputs,
} from './launch';
import { RACE } from './constants';
import { isInView, LaneConflicts, type StoredValues } from './lanes';
import { emptyRaster, mark, type Raster, type RasterWindow } from './memoryMap';
import { bytesOfAccess, EnoughSeen, parameterOf, traceAccesses, type TraceEnd } from './trace';

export interface Race {
  readonly parameter: number;
  readonly element: number;
  readonly kind: 'write-write' | 'read-write' | 'lanes';
  /** Two of the programs, by linear index; of `lanes` the same one twice. */
  readonly programs: readonly [number, number];
}

export interface RaceReport {
  readonly first: number;
  /** Programs that were run, from `first` on. */
  readonly programs: number;
  readonly end: TraceEnd;
  /** For the kernel's parameters. */
  readonly names: readonly string[];
  readonly writeWrite: number;
  readonly readWrite: number;
  readonly lanes: number;
  /** Elements beside their view that were stored to, and the first of them. */
  readonly besideView: number;
  readonly firstBeside: { readonly parameter: number; readonly element: number } | null;
  /** The first ones, of each tensor. */
  readonly shown: readonly Race[];
}

const MOST_SHOWN = 20;
const MOST_KEPT = 1_000_000;
/** Accesses of elements, over all programs. */
const MOST_TOUCHES = 100_000_000;
const BUDGET = 40_000_000;
/** Elements of a storage that can be watched. */
const MOST_ELEMENTS = 64 * 1024 * 1024;

/** Who touched each element of one storage; programs count from 1, 0 is nobody. */
interface Watch {
  readonly size: number;
  readonly begin: number;
  readonly writer: Int32Array;
  readonly atomic: Uint8Array;
  readonly reader: Int32Array;
  readonly manyReaders: Uint8Array;
  /** From the first store on. */
  lanes: LaneConflicts | null;
}

type PointerArgument = Extract<LaunchArgument, { kind: 'pointer' }>;

/** An access by one program, which reads or writes some elements of a storage. */
interface Access {
  readonly kind: AccessKind;
  readonly parameter: number;
  readonly view: PointerArgument;
  readonly watch: Watch;
  /** The program, counted from 1. */
  readonly me: number;
  /** Watched units per element. */
  readonly units: number;
  /** The unit that the view's first element begins at. */
  readonly offset: number;
  /** The values of a store. */
  readonly values: StoredValues | undefined;
}

export class RaceMap {
  readonly report: RaceReport;
  /** By parameter and element. */
  readonly #races = new Map<number, Map<number, Race>>();
  readonly #counts = { 'write-write': 0, 'read-write': 0, lanes: 0 };
  readonly #beside = new Set<string>();
  #firstBeside: RaceReport['firstBeside'] = null;

  constructor(
    private readonly func: Func,
    private readonly inputs: LaunchInputs,
    first: number,
    end: number,
    /** Runs the programs; one that gives no values of stores finds no races of lanes. */
    trace: typeof traceAccesses = traceAccesses,
  ) {
    const watches = this.#watches();
    let touches = 0;
    let programs = 0;
    let last = -1;
    const ended = trace({
      func,
      args: argumentValues(inputs),
      memory: memoryOf(inputs),
      grid: inputs.grid,
      range: { first, end },
      budget: BUDGET,
      onAccess: (op, addresses, mask, program, values) => {
        touches += addresses.length;
        if (touches > MOST_TOUCHES) throw new EnoughSeen();
        const linear = linearProgram(inputs.grid, program);
        if (linear !== last) programs++;
        last = linear;
        const access = this.#access(op, watches, linear + 1, values);
        if (access) this.#elements(access, addresses, mask);
      },
    });
    this.report = {
      first,
      programs: ended.kind === 'complete' ? end - first : programs,
      end: ended,
      names: func.body.args.map(({ name }, i) => name ?? `argument ${i}`),
      writeWrite: this.#counts['write-write'],
      readWrite: this.#counts['read-write'],
      lanes: this.#counts.lanes,
      besideView: this.#beside.size,
      firstBeside: this.#firstBeside,
      shown: [...this.#races.values()].flatMap((races) => [...races.values()].slice(0, MOST_SHOWN)),
    };
  }

  #watches(): Map<number, Watch> {
    const sizes = new Map<number, number>();
    this.func.body.args.forEach((value, i) => {
      const arg = this.inputs.args[i];
      const element = elementOf(value.type);
      if (arg?.kind !== 'pointer' || element.kind !== 'pointer') return;
      const size = byteSize(element.pointee);
      sizes.set(arg.storage, Math.min(size, sizes.get(arg.storage) ?? size));
    });
    const watches = new Map<number, Watch>();
    for (const [index, size] of sizes) {
      const storage = this.inputs.storages[index]!;
      const count = Math.ceil(storage.byteLength / size);
      if (count > MOST_ELEMENTS) continue;
      watches.set(index, {
        size,
        begin: storage.address,
        writer: new Int32Array(count),
        atomic: new Uint8Array(count),
        reader: new Int32Array(count),
        manyReaders: new Uint8Array(count),
        lanes: null,
      });
    }
    return watches;
  }

  /** Undefined if the storage is unknown or not watched. */
  #access(
    op: Operation,
    watches: ReadonlyMap<number, Watch>,
    me: number,
    values: StoredValues | undefined,
  ): Access | undefined {
    const parameter = parameterOf(op, this.func);
    const view = parameter === null ? undefined : this.inputs.args[parameter];
    if (parameter === null || view?.kind !== 'pointer') return undefined;
    const watch = watches.get(view.storage);
    if (!watch) return undefined;
    const units = Math.max(1, bytesOfAccess(op) / watch.size);
    const offset = (view.address - watch.begin) / watch.size;
    return { kind: accessKind(op)!, parameter, view, watch, me, units, offset, values };
  }

  /** Records the elements at the addresses, and reports those that race. */
  #elements(access: Access, addresses: Float64Array, mask: Uint8Array | undefined): void {
    const { watch, units, offset, values } = access;
    if (values) (watch.lanes ??= new LaneConflicts(watch.writer.length)).begin();
    for (let lane = 0; lane < addresses.length; lane++) {
      if (isMaskedOff(mask, lane)) continue;
      const at = (addresses[lane]! - watch.begin) / watch.size;
      if (at < 0 || at >= watch.writer.length) continue;
      if (values) this.#checkView(access, Math.floor((at - offset) / units));
      for (let unit = Math.floor(at); unit < at + units; unit++)
        if (access.kind === 'load') this.#read(access, unit);
        else this.#write(access, unit, lane);
    }
  }

  /** Notes a store to an element beside the view. */
  #checkView({ parameter, view }: Access, element: number): void {
    const { shape, strides } = view;
    if (!shape || !strides || isInView(element, shape, strides)) return;
    if (this.#beside.size < MOST_KEPT) this.#beside.add(`${parameter} ${element}`);
    this.#firstBeside ??= { parameter, element };
  }

  #read(access: Access, unit: number): void {
    const { watch, me } = access;
    const writer = watch.writer[unit]!;
    if (writer !== 0 && writer !== me) this.#found(access, unit, 'read-write', writer);
    if (watch.reader[unit] === 0) watch.reader[unit] = me;
    else if (watch.reader[unit] !== me) watch.manyReaders[unit] = 1;
  }

  #write(access: Access, unit: number, lane: number): void {
    const { watch, me, values } = access;
    const atomic = access.kind === 'atomic';
    const writer = watch.writer[unit]!;
    if (writer !== 0 && writer !== me && !(atomic && watch.atomic[unit] === 1))
      this.#found(access, unit, 'write-write', writer);
    if (values && watch.lanes?.write(unit, lane, values)) this.#found(access, unit, 'lanes', me);
    const reader = watch.reader[unit]!;
    if (reader !== 0 && (reader !== me || watch.manyReaders[unit] === 1))
      this.#found(access, unit, 'read-write', reader);
    watch.writer[unit] = me;
    watch.atomic[unit] = atomic ? 1 : 0;
  }

  /** Notes that the access races with one of the program `other`. Each element counts once. */
  #found(access: Access, unit: number, kind: Race['kind'], other: number): void {
    const { parameter, me, units, offset } = access;
    const element = Math.floor((unit - offset) / units);
    let races = this.#races.get(parameter);
    if (!races) this.#races.set(parameter, (races = new Map()));
    if (races.has(element)) return;
    this.#counts[kind]++;
    if (races.size < MOST_KEPT)
      races.set(element, { parameter, element, kind, programs: [other - 1, me - 1] });
  }

  raster(parameter: number, window: RasterWindow): Raster {
    const raster = emptyRaster(window);
    for (const element of this.#races.get(parameter)?.keys() ?? [])
      mark(raster, window, element, RACE);
    return raster;
  }
  at(parameter: number, element: number): Race | null {
    return this.#races.get(parameter)?.get(element) ?? null;
  }
}
