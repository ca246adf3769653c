/**
 * How well the accesses of global memory coalesce: for each load and store of the distributed
 * kernel, the 128-byte segments that a subgroup touches with one instruction. Addresses are those
 * that the interpreter computes for a program of a real launch; the layout gives the lane that
 * holds an element.
 */
import { type AccessKind, accessKind, isMaskedOff } from '../ir/access';
import type { Func, Operation } from '../ir/ir';
import type { Layout } from '../ir/layout';
import { registerCount } from '../ir/layout';
import { coordinates, freeThreadMask, isOwner } from '../ir/layoutAlgebra';
import type { Location } from '../ir/location';
import { shapeOf } from '../ir/types';
import { ASSUMED_SUBGROUP, SEGMENT_BYTES } from './constants';
import type { SegmentCounts } from './efficiency';
import { lanePattern, PatternCount, type LanePattern } from './lanePattern';
import { bytesOfAccess, EnoughSeen } from './trace';

/** One instruction of one subgroup: the first bytes of its lanes' accesses. */
export interface Instruction {
  readonly subgroup: number;
  readonly register: number;
  /** By lane; null: masked off, or another thread stores it. */
  readonly addresses: readonly (number | null)[];
  /** Addresses of the segments touched, in order. */
  readonly segments: readonly number[];
}

export interface Coalescing extends SegmentCounts {
  readonly kind: AccessKind;
  readonly location: Location;
  readonly elementBytes: number;
  /** Elements that a thread moves at once. */
  readonly vector: number;
  /** Times that the access was reached by the program. */
  readonly executions: number;
  readonly instructions: number;
  /** Different bytes touched, summed over instructions. */
  readonly bytes: number;
  /** As if one instruction moved the tile: poor where the program's addresses themselves are. */
  readonly tile: SegmentCounts;
  /** The one that costs most segments; null: no instruction moves more than it needs. */
  readonly pattern: LanePattern | null;
  /** The first instructions, to be drawn. */
  readonly shown: readonly Instruction[];
}

const MOST_SHOWN = 64;
/** Addresses that are kept until the other programs of a workgroup have run, too. */
const MOST_KEPT = 4_000_000;

/** One execution of an access by one program. */
interface Execution {
  readonly addresses: Float64Array;
  readonly mask: Uint8Array | undefined;
}

export interface CounterOptions {
  /** Bytes that the shader moves at once through this access's binding. */
  readonly widest: (op: Operation) => number;
  /** Programs of a workgroup, one thread each: its lanes. 1: the lanes are a program's threads. */
  readonly programs: number;
}

export class CoalescingCounter {
  readonly #sums = new Map<Operation, Counted>();
  readonly #widest: CounterOptions['widest'];
  readonly #programs: number;
  readonly #threads: number;
  /** Lanes of a subgroup. */
  readonly lanes: number;
  #kept = 0;

  constructor(func: Func, { widest, programs }: CounterOptions) {
    const subgroupSize = Number(func.attributes['subgroupSize']);
    this.#widest = widest;
    this.#programs = programs;
    this.#threads = Number(func.attributes['threads']);
    const threads = programs > 1 ? programs : this.#threads;
    this.lanes = subgroupSize > 1 ? subgroupSize : Math.min(ASSUMED_SUBGROUP, threads);
  }

  /** @param program its place in the workgroup, where that runs several. */
  add(op: Operation, addresses: Float64Array, mask: Uint8Array | undefined, program = 0): void {
    let counted = this.#sums.get(op);
    if (!counted) this.#sums.set(op, (counted = new Counted(op, this.#threads, this.#widest(op))));
    if (this.#programs > 1) {
      this.#kept += addresses.length;
      if (this.#kept > MOST_KEPT) throw new EnoughSeen();
      return counted.keep(program, { addresses: addresses.slice(), mask: mask?.slice() });
    }
    const execution = { addresses, mask };
    counted.begin(execution);
    for (let begin = 0; begin < this.#threads; begin += this.lanes)
      for (let r = 0; r < counted.registers; r += counted.vector)
        counted.count(
          begin / this.lanes,
          r,
          Array.from({ length: this.lanes }, (_, i) => counted.addressOf(r, begin + i, execution)),
        );
  }

  get results(): ReadonlyMap<Operation, Coalescing> {
    for (const counted of this.#sums.values()) counted.countKept(this.lanes);
    return new Map([...this.#sums].map(([op, counted]) => [op, counted.result]));
  }
}

/** Segments touched, and the least that their bytes would take. */
class SegmentSum {
  #segments = 0;
  #least = 0;

  /** @returns how many segments are more than the least. */
  add(segments: number, bytes: number): number {
    const least = Math.ceil(bytes / SEGMENT_BYTES);
    this.#segments += segments;
    this.#least += least;
    return segments - least;
  }
  get sum(): { readonly segments: number; readonly least: number } {
    return { segments: this.#segments, least: this.#least };
  }
}

/** Sums over one operation, with who holds which element worked out once. */
class Counted {
  readonly vector: number;
  readonly registers: number;
  readonly #bytesOf: number;
  /** Coordinates of the tile, from the first lane's element to the second's. */
  readonly #step: number;
  #executions = 0;
  #instructions = 0;
  #bytes = 0;
  /** Segments that instructions of subgroups touch, and that whole tiles do. */
  readonly #segments = new SegmentSum();
  readonly #tile = new SegmentSum();
  readonly #patterns = new PatternCount();
  readonly #shown: Instruction[] = [];
  /** By program, its executions, where programs are lanes. */
  #kept: Execution[][] = [];
  /** Flat element of register and thread; -1: another thread's. */
  readonly #elements: Int32Array;

  constructor(
    private readonly op: Operation,
    private readonly threads: number,
    widest: number,
  ) {
    const pointer = op.operand(0).type;
    const layout: Layout | undefined = pointer.kind === 'tensor' ? pointer.layout : undefined;
    const shape = shapeOf(pointer);
    this.#bytesOf = bytesOfAccess(op);
    this.registers = layout ? registerCount(layout) : 1;
    const wanted = layout ? Math.min(this.registers, Number(op.attributes['vector'] ?? 1)) : 1;
    this.vector = Math.max(1, Math.min(wanted, Math.floor(widest / this.#bytesOf)));
    this.#step = Math.max(1, ...(layout?.lane[0] ?? []));
    this.#elements = new Int32Array(this.registers * threads);
    const writes = accessKind(op) !== 'load';
    for (let thread = 0; thread < threads; thread++)
      for (let r = 0; r < this.registers; r++) {
        let flat = 0;
        if (layout && writes && freeThreadMask(layout) !== 0 && !isOwner(layout, thread)) flat = -1;
        else if (layout)
          coordinates(layout, r, thread).forEach((c, d) => (flat = flat * shape[d]! + c));
        // A scalar is stored by one thread, and read by all.
        else if (writes && thread > 0) flat = -1;
        this.#elements[r * threads + thread] = flat;
      }
  }

  /** Null where the thread takes no part. */
  addressOf(register: number, thread: number, { addresses, mask }: Execution): number | null {
    const flat = this.#elements[register * this.threads + thread]!;
    if (flat < 0 || isMaskedOff(mask, flat)) return null;
    return addresses[addresses.length === 1 ? 0 : flat]!;
  }

  /** The access is reached; its instructions follow. */
  begin({ addresses, mask }: Execution): void {
    this.#executions++;
    const touched = new Set<number>();
    for (let i = 0; i < addresses.length; i++)
      if (!isMaskedOff(mask, i)) touched.add(addresses[i]!);
    const segments = new Set<number>();
    for (const address of touched) segments.add(Math.floor(address / SEGMENT_BYTES));
    this.#tile.add(segments.size, touched.size * this.#bytesOf);
  }

  /** One instruction of one subgroup. */
  count(subgroup: number, register: number, addresses: readonly (number | null)[]): void {
    const size = this.#bytesOf * this.vector;
    const touched = new Set<number>();
    const segments = new Set<number>();
    for (const address of addresses) {
      if (address === null) continue;
      for (let b = 0; b < size; b++) touched.add(address + b);
      for (let s = Math.floor(address / SEGMENT_BYTES); s * SEGMENT_BYTES < address + size; s++)
        segments.add(s * SEGMENT_BYTES);
    }
    if (segments.size === 0) return;
    this.#instructions++;
    this.#bytes += touched.size;
    const surplus = this.#segments.add(segments.size, touched.size);
    if (surplus > 0)
      this.#patterns.add(
        lanePattern(addresses, {
          elementBytes: this.#bytesOf,
          vector: this.vector,
          step: this.#step,
        }),
        surplus,
      );
    if (this.#shown.length >= MOST_SHOWN) return;
    const inOrder = [...segments].sort((a, b) => a - b);
    this.#shown.push({ subgroup, register, addresses, segments: inOrder });
  }

  keep(program: number, execution: Execution): void {
    (this.#kept[program] ??= []).push(execution);
  }
  /** The programs' executions of the same number are in step. */
  countKept(lanes: number): void {
    const kept = this.#kept;
    this.#kept = [];
    for (let nth = 0; kept.some((executions) => nth < executions.length); nth++) {
      const [first] = kept.flatMap((executions) => executions[nth] ?? []);
      this.begin(first!);
      for (let begin = 0; begin < kept.length; begin += lanes)
        for (let r = 0; r < this.registers; r += this.vector)
          this.count(
            begin / lanes,
            r,
            Array.from({ length: lanes }, (_, i) => {
              const execution = kept[begin + i]?.[nth];
              return execution ? this.addressOf(r, 0, execution) : null;
            }),
          );
    }
  }

  get result(): Coalescing {
    return {
      kind: accessKind(this.op)!,
      location: this.op.location,
      elementBytes: this.#bytesOf,
      vector: this.vector,
      executions: this.#executions,
      instructions: this.#instructions,
      ...this.#segments.sum,
      bytes: this.#bytes,
      tile: this.#tile.sum,
      pattern: this.#patterns.worst,
      shown: this.#shown,
    };
  }
}
