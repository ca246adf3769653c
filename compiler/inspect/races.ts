/**
 * Races of a launch: an element that two programs write, or that one writes and another reads, and
 * one that two lanes of one store write with different values. On a GPU programs and lanes run in
 * any order and at once, so such a result depends on luck. Atomics do not race with atomics. Beside
 * them, stores to elements of a storage that the view passed to the kernel does not have: legal,
 * and hardly ever meant.
 */
import { accessKind } from '../ir/access';
import type { Func } from '../ir/ir';
import { elementOf, byteSize } from '../ir/types';
import { argumentValues, linearProgram, memoryOf, type LaunchInputs } from './launch';
import { RACE } from './constants';
import { isInView, LaneConflicts } from './lanes';
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

export class RaceMap {
  readonly report: RaceReport;
  readonly #races = new Map<number, Map<number, Race>>();

  constructor(
    private readonly func: Func,
    private readonly inputs: LaunchInputs,
    first: number,
    end: number,
  ) {
    const watches = this.#watches();
    const counts = { 'write-write': 0, 'read-write': 0, lanes: 0 };
    const beside = new Set<string>();
    let firstBeside: RaceReport['firstBeside'] = null;
    let touches = 0;
    let programs = 0;
    let last = -1;
    const found = (
      parameter: number,
      element: number,
      kind: Race['kind'],
      a: number,
      b: number,
    ) => {
      let races = this.#races.get(parameter);
      if (!races) this.#races.set(parameter, (races = new Map()));
      if (races.has(element)) return;
      counts[kind]++;
      if (races.size < MOST_KEPT)
        races.set(element, { parameter, element, kind, programs: [a - 1, b - 1] });
    };
    const ended = traceAccesses({
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
        const parameter = parameterOf(op, this.func);
        const arg = parameter === null ? undefined : inputs.args[parameter];
        if (parameter === null || arg?.kind !== 'pointer') return;
        const watch = watches.get(arg.storage);
        if (!watch) return;
        const me = linear + 1;
        const kind = accessKind(op)!;
        const units = Math.max(1, bytesOfAccess(op) / watch.size);
        const offset = (arg.address - watch.begin) / watch.size;
        if (values) (watch.lanes ??= new LaneConflicts(watch.writer.length)).begin();
        const { shape, strides } = arg;
        for (let i = 0; i < addresses.length; i++) {
          if (mask && mask[mask.length === 1 ? 0 : i] === 0) continue;
          const at = (addresses[i]! - watch.begin) / watch.size;
          if (at < 0 || at >= watch.writer.length) continue;
          const own = Math.floor((at - offset) / units);
          if (values && shape && strides && !isInView(own, shape, strides)) {
            if (beside.size < MOST_KEPT) beside.add(`${parameter} ${own}`);
            firstBeside ??= { parameter, element: own };
          }
          for (let u = Math.floor(at); u < at + units; u++) {
            const element = Math.floor((u - offset) / units);
            const writer = watch.writer[u]!;
            if (kind === 'load') {
              if (writer !== 0 && writer !== me)
                found(parameter, element, 'read-write', writer, me);
              if (watch.reader[u] === 0) watch.reader[u] = me;
              else if (watch.reader[u] !== me) watch.manyReaders[u] = 1;
              continue;
            }
            const both = kind === 'atomic' && watch.atomic[u] === 1;
            if (writer !== 0 && writer !== me && !both)
              found(parameter, element, 'write-write', writer, me);
            if (values && watch.lanes?.write(u, i, values))
              found(parameter, element, 'lanes', me, me);
            const reader = watch.reader[u]!;
            if (reader !== 0 && (reader !== me || watch.manyReaders[u] === 1))
              found(parameter, element, 'read-write', reader, me);
            watch.writer[u] = me;
            watch.atomic[u] = kind === 'atomic' ? 1 : 0;
          }
        }
      },
    });
    this.report = {
      first,
      programs: ended.kind === 'complete' ? end - first : programs,
      end: ended,
      names: func.body.args.map(({ name }, i) => name ?? `argument ${i}`),
      writeWrite: counts['write-write'],
      readWrite: counts['read-write'],
      lanes: counts.lanes,
      besideView: beside.size,
      firstBeside,
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
