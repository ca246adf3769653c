/**
 * How well the accesses of global memory coalesce: for each load and store of the distributed kernel, the
 * 128-byte segments that a subgroup touches with one instruction. Addresses are those that the
 * interpreter computes for a program of a real launch; who holds which element says the layout.
 */
import { accessKind, type AccessKind } from '../ir/access';
import type { Func, Operation } from '../ir/ir';
import type { Layout } from '../ir/layout';
import { registerCount } from '../ir/layout';
import { coordinates, freeThreadMask, isOwner } from '../ir/layoutAlgebra';
import type { Location } from '../ir/location';
import { shapeOf } from '../ir/types';
import { ASSUMED_SUBGROUP, SEGMENT_BYTES } from './constants';
import { bytesOfAccess } from './trace';

/** One instruction of one subgroup: the first bytes of its lanes' accesses. */
export interface Instruction {
  readonly subgroup: number;
  readonly register: number;
  /** By lane; null: masked off, or another thread stores it. */
  readonly addresses: readonly (number | null)[];
  /** Addresses of the segments touched, in order. */
  readonly segments: readonly number[];
}

export interface Coalescing {
  readonly kind: AccessKind;
  readonly location: Location;
  readonly elementBytes: number;
  /** Elements that a thread moves at once. */
  readonly vector: number;
  /** Times that the access was reached by the program. */
  readonly executions: number;
  readonly instructions: number;
  readonly segments: number;
  /** Different bytes asked for, summed over instructions. */
  readonly bytes: number;
  /** The least segments that could hold those bytes. */
  readonly least: number;
  /** The first instructions, to be drawn. */
  readonly shown: readonly Instruction[];
}

const MOST_SHOWN = 64;

export class CoalescingCounter {
  readonly #sums = new Map<Operation, Counted>();
  readonly #size: number;

  /** @param widest bytes that the shader moves at once through this access's binding. */
  constructor(
    func: Func,
    private readonly widest: (op: Operation) => number,
    private readonly threads = Number(func.attributes['threads']),
    subgroupSize = Number(func.attributes['subgroupSize']),
  ) {
    this.#size = subgroupSize > 1 ? subgroupSize : Math.min(ASSUMED_SUBGROUP, threads);
  }

  add(op: Operation, addresses: Float64Array, mask: Uint8Array | undefined): void {
    let counted = this.#sums.get(op);
    if (!counted) this.#sums.set(op, (counted = new Counted(op, this.threads, this.widest(op))));
    counted.executions++;
    const { vector, bytesOf: bytes } = counted;
    for (let begin = 0; begin < this.threads; begin += this.#size) {
      for (let r = 0; r < counted.registers; r += vector) {
        const lanes: (number | null)[] = [];
        const touched = new Set<number>();
        const segments = new Set<number>();
        for (let thread = begin; thread < begin + this.#size; thread++) {
          const index = counted.elementAt(r, thread);
          const on = index !== null && (!mask || mask[mask.length === 1 ? 0 : index]! !== 0);
          const address = on ? addresses[addresses.length === 1 ? 0 : index]! : null;
          lanes.push(address);
          if (address === null) continue;
          for (let b = 0; b < bytes * vector; b++) touched.add(address + b);
          const last = address + bytes * vector - 1;
          for (let s = Math.floor(address / SEGMENT_BYTES); s <= last / SEGMENT_BYTES; s++)
            segments.add(s * SEGMENT_BYTES);
        }
        if (segments.size === 0) continue;
        counted.instructions++;
        counted.segments += segments.size;
        counted.bytesTouched += touched.size;
        counted.least += Math.ceil(touched.size / SEGMENT_BYTES);
        if (counted.shown.length < MOST_SHOWN)
          counted.shown.push({
            subgroup: begin / this.#size,
            register: r,
            addresses: lanes,
            segments: [...segments].sort((a, b) => a - b),
          });
      }
    }
  }

  get results(): ReadonlyMap<Operation, Coalescing> {
    return new Map(
      [...this.#sums].map(([op, sum]) => [
        op,
        {
          kind: accessKind(op)!,
          location: op.location,
          elementBytes: sum.bytesOf,
          vector: sum.vector,
          executions: sum.executions,
          instructions: sum.instructions,
          segments: sum.segments,
          bytes: sum.bytesTouched,
          least: sum.least,
          shown: sum.shown,
        },
      ]),
    );
  }
}

/** Sums over one operation, with who holds which element worked out once. */
class Counted {
  executions = 0;
  instructions = 0;
  segments = 0;
  bytesTouched = 0;
  least = 0;
  readonly shown: Instruction[] = [];
  readonly vector: number;
  readonly registers: number;
  readonly bytesOf: number;
  /** Flat element of register and thread; -1: another thread's. */
  readonly #elements: Int32Array;

  constructor(op: Operation, threads: number, widest: number) {
    const pointer = op.operand(0).type;
    const layout: Layout | undefined = pointer.kind === 'tensor' ? pointer.layout : undefined;
    const shape = shapeOf(pointer);
    this.bytesOf = bytesOfAccess(op);
    this.registers = layout ? registerCount(layout) : 1;
    const wanted = layout ? Math.min(this.registers, Number(op.attributes['vector'] ?? 1)) : 1;
    this.vector = Math.max(1, Math.min(wanted, Math.floor(widest / this.bytesOf)));
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
    this.#threads = threads;
  }
  readonly #threads: number;
  elementAt(register: number, thread: number): number | null {
    const flat = this.#elements[register * this.#threads + thread]!;
    return flat < 0 ? null : flat;
  }
}
