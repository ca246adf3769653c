/**
 * Reuse of a cache in the order of a launch's programs: each program's accesses are traced once,
 * line by line of a cache, and then followed for any cache and any number of programs that run at
 * once.
 *
 * A model, not a measurement: one cache for all programs, fully associative, which drops the line
 * used least recently and keeps what is stored; programs start in the order of their linear index,
 * so many at once, and those make their accesses in turn.
 */
import { isMaskedOff } from '../ir/access';
import type { Func } from '../ir/ir';
import { byteSize, elementOf } from '../ir/types';
import { traceAddresses } from '../proof/slice';
import { CACHED, HIT, MISSED, SEGMENT_BYTES, STORED } from './constants';
import { argumentValues, memoryOf, type LaunchInputs } from './launch';
import { bytesOfAccess, EnoughSeen, type TraceEnd } from './trace';

export interface ReuseTensor {
  readonly parameter: number;
  readonly name: string;
  readonly shape: readonly number[] | null;
  readonly strides: readonly number[] | null;
  readonly elementBytes: number;
  readonly elements: number;
}

export interface ReuseReport {
  /** Programs that were traced, from the first one on. */
  readonly programs: number;
  readonly of: number;
  readonly end: TraceEnd;
  /** Bytes of the lines that they touch. */
  readonly touchedBytes: number;
  readonly tensors: readonly ReuseTensor[];
}

/** A cache, and programs that run at once. */
export interface ReuseModel {
  readonly bytes: number;
  readonly atOnce: number;
}

/** Lines that programs requested, and those of them that were not in the cache. */
export interface Requests {
  readonly lines: number;
  readonly missed: number;
}

export interface ReuseFrame {
  /** Requests of the wave itself, and of all up to its end. */
  readonly wave: Requests;
  readonly until: Requests;
  /** Requests of the whole launch. */
  readonly total: Requests;
  /** By tensor of the report, `FRAME_CELLS` × `FRAME_CELLS` cells or fewer. */
  readonly grids: readonly FrameGrid[];
}
export interface FrameGrid {
  readonly rows: number;
  readonly columns: number;
  readonly flags: Uint8Array;
}

/** A model that has run up to a wave. */
interface Run {
  readonly model: ReuseModel;
  readonly cache: Cache;
  next: number;
  until: Requests;
}

const FRAME_CELLS = 96;
const MOST_PROGRAMS = 4096;
/** Lines that are kept; the trace ends where there are more. */
const MOST_LINES = 3_000_000;
const BUDGET = 60_000_000;
/** Milliseconds of a trace: the worker answers nothing else meanwhile. */
const MOST_MILLISECONDS = 1500;

export class ReuseMap {
  readonly report: ReuseReport;
  /** Numbers of lines in the order of their accesses; an access requests a line once. */
  readonly #lines: Uint32Array;
  /** By line of all storages, its number in the order of first accesses, from 1; 0: none. */
  readonly #numbers: Uint32Array;
  #numbered = 0;
  /** Beginnings of the accesses in `#lines`, with a last entry behind all. */
  readonly #accesses: Uint32Array;
  /** Whether it stores. */
  readonly #stores: Uint8Array;
  /** Beginnings of the programs in `#accesses`, with a last entry behind all. */
  readonly #programs: Uint32Array;
  /** The first line of each storage. */
  readonly #bases: readonly number[];
  readonly #inputs: LaunchInputs;
  /** The requests of a whole launch, for the model that was asked for last. */
  #total: { readonly model: ReuseModel; readonly requests: Requests } | null = null;
  #run: Run | null = null;

  constructor(func: Func, inputs: LaunchInputs, milliseconds = MOST_MILLISECONDS) {
    this.#inputs = inputs;
    const of = inputs.grid.reduce((a, b) => a * b, 1);
    const bases: number[] = [];
    let all = 0;
    for (const { byteLength } of inputs.storages) {
      bases.push(all);
      // A view may begin within a line.
      all += Math.ceil(byteLength / SEGMENT_BYTES) + 1;
    }
    this.#bases = bases;
    this.#numbers = new Uint32Array(all);
    /** By line, the access that requested it last, from 1. */
    const requested = new Uint32Array(all);
    const until = performance.now() + milliseconds;
    const lines = new Growing();
    const [accesses, stores, programs] = [new Growing(), new Growing(), new Growing()];
    let current = -1;
    const end = traceAddresses({
      func,
      args: argumentValues(inputs),
      memory: memoryOf(inputs),
      grid: inputs.grid,
      range: { first: 0, end: Math.min(of, MOST_PROGRAMS) },
      budget: BUDGET,
      onAccess: (op, addresses, mask, [x, y, z]) => {
        const program = x + inputs.grid[0] * (y + inputs.grid[1] * z);
        if (lines.count > MOST_LINES || performance.now() > until) throw new EnoughSeen();
        for (; current < program; current++) programs.push(accesses.count);
        accesses.push(lines.count);
        stores.push(op.name === 'tt.load' ? 0 : 1);
        const size = bytesOfAccess(op);
        for (let i = 0; i < addresses.length; i++) {
          if (isMaskedOff(mask, i)) continue;
          const line = this.#lineOf(addresses[i]!, size);
          if (line === null || requested[line] === accesses.count) continue;
          requested[line] = accesses.count;
          lines.push((this.#numbers[line] ||= ++this.#numbered));
        }
      },
    });
    // The last program of a trace that ended early may lack accesses.
    const traced = end.kind === 'complete' ? Math.min(of, MOST_PROGRAMS) : Math.max(0, current);
    while (programs.count <= traced) programs.push(accesses.count);
    this.#programs = programs.values().subarray(0, traced + 1);
    accesses.push(lines.count);
    this.#accesses = accesses.values();
    this.#stores = Uint8Array.from(stores.values());
    this.#lines = lines.values();
    const own = this.#lines.subarray(0, this.#accesses[this.#programs[traced]!]);
    const touched = own.reduce((most, line) => Math.max(most, line), 0);
    this.report = {
      programs: traced,
      of,
      end,
      touchedBytes: touched * SEGMENT_BYTES,
      tensors: func.body.args.flatMap((value, parameter): ReuseTensor | [] => {
        const arg = inputs.args[parameter];
        const element = elementOf(value.type);
        if (arg?.kind !== 'pointer' || element.kind !== 'pointer') return [];
        const storage = inputs.storages[arg.storage]!;
        const elementBytes = byteSize(element.pointee);
        const rest = storage.address + storage.byteLength - arg.address;
        const { shape, strides } = arg;
        const name = value.name ?? `argument ${parameter}`;
        const elements = shape?.reduce((a, b) => a * b, 1) ?? Math.floor(rest / elementBytes);
        return { parameter, name, shape, strides, elementBytes, elements };
      }),
    };
  }

  /** Null outside of all tensors. */
  #lineOf(address: number, size: number): number | null {
    const { storages } = this.#inputs;
    for (let i = 0; i < storages.length; i++) {
      const { address: begin, byteLength } = storages[i]!;
      if (address < begin || address + size > begin + byteLength) continue;
      return this.#bases[i]! + Math.floor((address - begin) / SEGMENT_BYTES);
    }
    return null;
  }

  /** How many waves a model has: so many times `atOnce` programs, the last perhaps fewer. */
  waves({ atOnce }: ReuseModel): number {
    return Math.ceil(this.report.programs / atOnce);
  }

  /** The cache at the end of a wave, counted from 0, and what the wave did. */
  frame(model: ReuseModel, wave: number): ReuseFrame {
    const same =
      this.#total?.model.bytes === model.bytes && this.#total.model.atOnce === model.atOnce;
    if (!same) {
      const run = this.#begin(model);
      while (run.next < this.waves(model)) this.#advance(run, null);
      this.#total = { model, requests: run.until };
      this.#run = null;
    }
    let run = this.#run;
    // A later wave goes on from the one before: an animation follows each access once.
    if (!run || run.next > wave) run = this.#begin(model);
    while (run.next < wave) this.#advance(run, null);
    const marks = new Uint8Array(this.#numbered + 1);
    const own = this.#advance(run, marks);
    this.#run = run;
    const { cache, until } = run;
    const grids = this.report.tensors.map((tensor) => this.#grid(tensor, cache, marks));
    return { wave: own, until, total: this.#total!.requests, grids };
  }

  #begin(model: ReuseModel): Run {
    const size = Math.max(1, Math.floor(model.bytes / SEGMENT_BYTES));
    return {
      model,
      next: 0,
      cache: new Cache(size, this.#numbered),
      until: { lines: 0, missed: 0 },
    };
  }

  #advance(run: Run, marks: Uint8Array | null): Requests {
    const own = this.#wave(run.model, run.next++, run.cache, marks);
    run.until = { lines: run.until.lines + own.lines, missed: run.until.missed + own.missed };
    return own;
  }

  /** Accesses of a wave's programs, in turn: the first of each, then the second of each … */
  #wave(model: ReuseModel, wave: number, cache: Cache, marks: Uint8Array | null): Requests {
    const first = wave * model.atOnce;
    const end = Math.min(first + model.atOnce, this.report.programs);
    let [lines, missed, going] = [0, 0, true];
    for (let turn = 0; going; turn++) {
      going = false;
      for (let program = first; program < end; program++) {
        const access = this.#programs[program]! + turn;
        if (access >= this.#programs[program + 1]!) continue;
        going = true;
        const stores = this.#stores[access] === 1;
        for (let i = this.#accesses[access]!; i < this.#accesses[access + 1]!; i++) {
          const line = this.#lines[i]!;
          const hit = cache.touch(line);
          if (!stores) {
            lines++;
            if (!hit) missed++;
          }
          if (marks) marks[line]! |= stores ? STORED : hit ? HIT : MISSED;
        }
      }
    }
    return { lines, missed };
  }

  #grid(tensor: ReuseTensor, cache: Cache, marks: Uint8Array): FrameGrid {
    const { shape, strides, elements, elementBytes, parameter } = tensor;
    const arg = this.#inputs.args[parameter]!;
    const address = arg.kind === 'pointer' ? arg.address : 0;
    const matrix = shape !== null && strides !== null && shape.length >= 2;
    const square = 2 ** Math.ceil(Math.log2(Math.max(1, elements)) / 2);
    const width = matrix ? shape.at(-1)! : square;
    const height = Math.max(1, Math.ceil(elements / Math.max(1, width)));
    const [rows, columns] = [Math.min(FRAME_CELLS, height), Math.min(FRAME_CELLS, width)];
    const flags = new Uint8Array(rows * columns);
    for (let y = 0; y < rows; y++)
      for (let x = 0; x < columns; x++) {
        const at = Math.floor((y * height) / rows) * width + Math.floor((x * width) / columns);
        if (at >= elements) continue;
        const place = matrix ? strided(at, shape, strides) : at;
        const line = this.#lineOf(address + place * elementBytes, elementBytes);
        const number = line === null ? 0 : this.#numbers[line]!;
        if (number > 0) flags[y * columns + x] = (cache.has(number) ? CACHED : 0) | marks[number]!;
      }
    return { rows, columns, flags };
  }
}

/** Elements from the first one to the element of this index. */
function strided(index: number, shape: readonly number[], strides: readonly number[]): number {
  let [rest, place] = [index, 0];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    place += (rest % shape[axis]!) * strides[axis]!;
    rest = Math.floor(rest / shape[axis]!);
  }
  return place;
}

/** Neighbour of the oldest and of the newest line, and of a line that is not held. */
const NONE = 0;
const ABSENT = -1;

/** Drops the line used least recently: a list of lines, from 1, in the order of their last use. */
class Cache {
  readonly #older: Int32Array;
  readonly #newer: Int32Array;
  #oldest = NONE;
  #newest = NONE;
  #held = 0;

  constructor(
    private readonly size: number,
    lines: number,
  ) {
    this.#older = new Int32Array(lines + 1).fill(ABSENT);
    this.#newer = new Int32Array(lines + 1);
  }

  has(line: number): boolean {
    return this.#older[line] !== ABSENT;
  }
  /** Uses a line. @returns whether it was there. */
  touch(line: number): boolean {
    if (line === this.#newest) return true;
    const hit = this.has(line);
    if (hit) this.#drop(line);
    this.#older[line] = this.#newest;
    this.#newer[line] = NONE;
    if (this.#newest === NONE) this.#oldest = line;
    else this.#newer[this.#newest] = line;
    this.#newest = line;
    if (++this.#held > this.size) this.#drop(this.#oldest);
    return hit;
  }
  #drop(line: number): void {
    const [older, newer] = [this.#older[line]!, this.#newer[line]!];
    if (older === NONE) this.#oldest = newer;
    else this.#newer[older] = newer;
    if (newer === NONE) this.#newest = older;
    else this.#older[newer] = older;
    this.#older[line] = ABSENT;
    this.#held--;
  }
}

/** Whole numbers, appended. */
class Growing {
  count = 0;
  #values = new Uint32Array(1024);
  push(value: number): void {
    if (this.count === this.#values.length) {
      const grown = new Uint32Array(this.count * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.count++] = value;
  }
  values(): Uint32Array {
    return this.#values.subarray(0, this.count);
  }
}
