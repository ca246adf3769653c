/**
 * Accesses of one program of a launch, element by element: built from a trace, queried for
 * summaries and for rasters of a window, so that a tensor of any size can be drawn at the size of a
 * screen.
 */
import { type AccessKind, accessKind, isMaskedOff } from '../ir/access';
import type { Func, Operation } from '../ir/ir';
import type { Location } from '../ir/location';
import { elementOf, byteSize, shapeOf } from '../ir/types';
import { printFunc, printType } from '../ir/printer';
import { argumentValues, memoryOf, type LaunchInputs } from './launch';
import { ATOMIC, MASKED, OUTSIDE, READ, WRITTEN } from './constants';
import { ownPlace } from './places';
import { bytesOfAccess, EnoughSeen, parameterOf, traceAccesses, type TraceEnd } from './trace';

/** A tensor of the launch, as the kernel sees it. */
export interface TensorReport {
  /** Index of the kernel's parameter. */
  readonly parameter: number;
  readonly name: string;
  readonly type: string;
  readonly elementBytes: number;
  readonly shape: readonly number[] | null;
  readonly strides: readonly number[] | null;
  /** Elements of its storage before and from its first one on. */
  readonly before: number;
  readonly elements: number;
  /** Accesses of elements, and how many different ones. */
  readonly reads: number;
  readonly writes: number;
  readonly distinctReads: number;
  readonly distinctWrites: number;
  readonly masked: number;
  readonly outside: number;
  /** Elements from the first to the last that is touched; null where none is. */
  readonly span: readonly [number, number] | null;
}

export interface AccessReport {
  readonly index: number;
  readonly kind: AccessKind;
  readonly location: Location;
  /** 1-based line of the IR. */
  readonly line: number;
  /** Null where the pointer does not come from one parameter. */
  readonly parameter: number | null;
  readonly elementBytes: number;
  readonly shape: readonly number[];
  readonly executions: number;
  readonly active: number;
  readonly masked: number;
  readonly outside: number;
  /** The first elements out of range, in elements of the tensor; with their places in the tile. */
  readonly firstOutside: readonly { readonly element: number; readonly at: number }[];
}

export interface MemoryReport {
  readonly program: readonly [number, number, number];
  readonly end: TraceEnd;
  readonly tensors: readonly TensorReport[];
  readonly accesses: readonly AccessReport[];
}

/** Touches that are kept; more are not recorded, and the report says so. */
const MOST_TOUCHES = 16_000_000;
const MOST_OUTSIDE = 16;
const BUDGET = 20_000_000;

/** The touches of one access through one parameter. */
class Touches {
  element = new Int32Array(1024);
  flags = new Uint8Array(1024);
  execution = new Int32Array(1024);
  count = 0;

  push(element: number, flags: number, execution: number): void {
    if (this.count === this.element.length) this.#grow();
    this.element[this.count] = element;
    this.flags[this.count] = flags;
    this.execution[this.count] = execution;
    this.count++;
  }
  #grow(): void {
    const size = this.count * 2;
    const grown = <T extends Int32Array | Uint8Array>(old: T, made: T): T => {
      made.set(old);
      return made;
    };
    this.element = grown(this.element, new Int32Array(size));
    this.flags = grown(this.flags, new Uint8Array(size));
    this.execution = grown(this.execution, new Int32Array(size));
  }
}

interface Access {
  readonly op: Operation;
  readonly kind: AccessKind;
  readonly parameter: number | null;
  readonly touches: Touches;
  executions: number;
  active: number;
  masked: number;
  outside: number;
  readonly firstOutside: { element: number; at: number }[];
}

/** Which touches count: of some accesses, and of one of their executions. */
export interface TouchFilter {
  /** Indices of accesses; null: all. */
  readonly accesses: readonly number[] | null;
  /** Counted from 0; null: all. */
  readonly execution: number | null;
}
/** A part of the tensor's grid: rows of `pitch` elements. May reach beyond the tensor's ends. */
export interface RasterWindow {
  readonly pitch: number;
  readonly row: number;
  readonly column: number;
  readonly rows: number;
  readonly columns: number;
  /** Cells of the answer. */
  readonly height: number;
  readonly width: number;
}
export interface Raster {
  readonly height: number;
  readonly width: number;
  /** The bits of the elements in each cell, together. */
  readonly flags: Uint8Array;
  /** Touches in each cell, masked ones left out; at most 65535. */
  readonly counts: Uint16Array;
}

export class MemoryMap {
  readonly #accesses: Access[] = [];
  #end: TraceEnd = { kind: 'complete' };
  readonly #names: ReadonlyMap<Operation, number>;

  constructor(
    private readonly func: Func,
    private readonly inputs: LaunchInputs,
    private readonly program: readonly [number, number, number],
    linear: number,
  ) {
    this.#names = printFunc(func).lines;
    const byOp = new Map<Operation, Access>();
    let total = 0;
    this.#end = traceAccesses({
      func,
      args: argumentValues(inputs),
      memory: memoryOf(inputs),
      grid: inputs.grid,
      range: { first: linear, end: linear + 1 },
      budget: BUDGET,
      onAccess: (op, addresses, mask) => {
        total += addresses.length;
        if (total > MOST_TOUCHES) throw new EnoughSeen();
        let access = byOp.get(op);
        if (!access) {
          access = {
            op,
            kind: accessKind(op)!,
            parameter: parameterOf(op, func),
            touches: new Touches(),
            executions: 0,
            active: 0,
            masked: 0,
            outside: 0,
            firstOutside: [],
          };
          byOp.set(op, access);
          this.#accesses.push(access);
        }
        this.#record(access, addresses, mask);
      },
    });
  }

  #record(access: Access, addresses: Float64Array, mask: Uint8Array | undefined): void {
    const execution = access.executions++;
    const size = bytesOfAccess(access.op);
    const arg = access.parameter === null ? undefined : this.inputs.args[access.parameter];
    const pointer = arg?.kind === 'pointer' ? arg : undefined;
    const storage = pointer && this.inputs.storages[pointer.storage];
    const base = pointer?.address ?? 0;
    const end = storage ? storage.address + storage.byteLength - size : Infinity;
    const begin = storage?.address ?? -Infinity;
    const bit = access.kind === 'load' ? READ : access.kind === 'store' ? WRITTEN : ATOMIC;
    for (let i = 0; i < addresses.length; i++) {
      const address = addresses[i]!;
      const element = Math.floor((address - base) / size);
      const off = isMaskedOff(mask, i);
      const outside = address < begin || address > end;
      if (off) access.masked++;
      else if (outside) {
        access.outside++;
        if (access.firstOutside.length < MOST_OUTSIDE) access.firstOutside.push({ element, at: i });
      } else access.active++;
      if (!pointer || Math.abs(element) > 2 ** 31 - 1) continue;
      const flags = off ? MASKED : outside ? bit | OUTSIDE : bit;
      access.touches.push(element, flags, execution);
    }
  }

  report(): MemoryReport {
    return {
      program: this.program,
      end: this.#end,
      tensors: this.func.body.args.flatMap((_, parameter) => this.#tensor(parameter) ?? []),
      accesses: this.#accesses.map((access, index) => ({
        index,
        kind: access.kind,
        location: ownPlace(access.op.location, this.inputs.request.program.files),
        line: this.#names.get(access.op) ?? 1,
        parameter: access.parameter,
        elementBytes: bytesOfAccess(access.op),
        shape: shapeOf(access.op.operand(0).type),
        executions: access.executions,
        active: access.active,
        masked: access.masked,
        outside: access.outside,
        firstOutside: access.firstOutside,
      })),
    };
  }

  #tensor(parameter: number): TensorReport | undefined {
    const value = this.func.body.args[parameter]!;
    const arg = this.inputs.args[parameter];
    const element = elementOf(value.type);
    if (arg?.kind !== 'pointer' || element.kind !== 'pointer') return undefined;
    const storage = this.inputs.storages[arg.storage]!;
    const size = byteSize(element.pointee);
    const [readOnes, writtenOnes] = [new Set<number>(), new Set<number>()];
    let [reads, writes, masked, outside, low, high] = [0, 0, 0, 0, Infinity, -Infinity];
    for (const { parameter: own, touches } of this.#accesses) {
      if (own !== parameter) continue;
      for (let i = 0; i < touches.count; i++) {
        const flags = touches.flags[i]!;
        const at = touches.element[i]!;
        if (flags & MASKED) {
          masked++;
          continue;
        }
        low = Math.min(low, at);
        high = Math.max(high, at);
        if (flags & OUTSIDE) {
          outside++;
          continue;
        }
        if (flags & (READ | ATOMIC)) {
          reads++;
          readOnes.add(at);
        }
        if (flags & (WRITTEN | ATOMIC)) {
          writes++;
          writtenOnes.add(at);
        }
      }
    }
    return {
      parameter,
      name: value.name ?? `argument ${parameter}`,
      type: printType(value.type),
      elementBytes: size,
      shape: arg.shape,
      strides: arg.strides,
      before: Math.floor((arg.address - storage.address) / size),
      elements: Math.floor((storage.address + storage.byteLength - arg.address) / size),
      reads,
      writes,
      distinctReads: readOnes.size,
      distinctWrites: writtenOnes.size,
      masked,
      outside,
      span: low <= high ? [low, high] : null,
    };
  }

  raster(parameter: number, window: RasterWindow, filter: TouchFilter): Raster {
    const raster = emptyRaster(window);
    this.#accesses.forEach((access, index) => {
      if (access.parameter !== parameter) return;
      if (filter.accesses && !filter.accesses.includes(index)) return;
      const { element, flags, execution, count } = access.touches;
      for (let i = 0; i < count; i++) {
        if (filter.execution !== null && execution[i] !== filter.execution) continue;
        mark(raster, window, element[i]!, flags[i]!);
      }
    });
    return raster;
  }

  /** History of one element, access by access. */
  at(parameter: number, wanted: number): ElementReport[] {
    const found: ElementReport[] = [];
    this.#accesses.forEach((access, index) => {
      if (access.parameter !== parameter) return;
      const { element, flags, execution, count } = access.touches;
      const executions: number[] = [];
      let [bits, times] = [0, 0];
      for (let i = 0; i < count; i++) {
        if (element[i] !== wanted) continue;
        bits |= flags[i]!;
        times++;
        if (executions.at(-1) !== execution[i] && executions.length < 4)
          executions.push(execution[i]!);
      }
      if (times > 0) found.push({ access: index, flags: bits, times, executions });
    });
    return found;
  }
}

export interface ElementReport {
  readonly access: number;
  readonly flags: number;
  readonly times: number;
  /** The first of them. */
  readonly executions: readonly number[];
}

export function emptyRaster({ height, width }: RasterWindow): Raster {
  const cells = height * width;
  return { height, width, flags: new Uint8Array(cells), counts: new Uint16Array(cells) };
}

/** Adds a touch of an element, where the window shows it. */
export function mark(raster: Raster, window: RasterWindow, element: number, flags: number): void {
  const row = Math.floor(element / window.pitch);
  const column = element - row * window.pitch;
  // Multiplied first: a quotient would be rounded, and leave rows out.
  const y = Math.floor(((row - window.row) * window.height) / window.rows);
  const x = Math.floor(((column - window.column) * window.width) / window.columns);
  if (y < 0 || x < 0 || y >= window.height || x >= window.width) return;
  const cell = y * window.width + x;
  raster.flags[cell]! |= flags;
  if (!(flags & MASKED) && raster.counts[cell]! < 65535) raster.counts[cell]!++;
}
