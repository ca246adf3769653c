/**
 * Operations and bytes of one operation of tile IR when it runs once, every mask counted as full.
 * An arithmetic operation counts as one an element, a fused multiply-add as two, a dot as 2·M·N·K;
 * conversions, comparisons of floats and what only rearranges a tile count as nothing.
 */
import { rootOf } from '../ir/access';
import type { Operation, Value } from '../ir/ir';
import { walk } from '../ir/ir';
import { OPS } from '../ir/ops';
import { bitWidth, type DType, dtypeOf, elementCount, elementOf } from '../ir/types';

/** Kinds of operations, in the order in which `Tally` holds them. */
export const KINDS = ['f64', 'f32', 'f16', 'integer'] as const;

/**
 * Numbers that are added up: the operations by kind, then bytes read through each argument of the
 * function, then bytes written. Slot 0 of either is for pointers that no argument leads to.
 */
export class Tally {
  readonly values: Float64Array;
  constructor(readonly parameters: number) {
    this.values = new Float64Array(KINDS.length + 2 * (parameters + 1));
  }
  add(other: Tally, times: number): void {
    for (let i = 0; i < this.values.length; i++)
      this.values[i] = this.values[i]! + times * other.values[i]!;
  }
  compute(kind: (typeof KINDS)[number], count: number): void {
    this.#add(KINDS.indexOf(kind), count);
  }
  /** @param argument -1 where it is not known. */
  read(argument: number, bytes: number): void {
    this.#add(KINDS.length + argument + 1, bytes);
  }
  write(argument: number, bytes: number): void {
    this.#add(KINDS.length + this.parameters + argument + 2, bytes);
  }
  readThrough(argument: number): number {
    return this.values[KINDS.length + argument + 1] ?? 0;
  }
  writtenThrough(argument: number): number {
    return this.values[KINDS.length + this.parameters + argument + 2] ?? 0;
  }
  computed(kind: (typeof KINDS)[number]): number {
    return this.values[KINDS.indexOf(kind)] ?? 0;
  }
  #add(slot: number, amount: number): void {
    this.values[slot] = (this.values[slot] ?? 0) + amount;
  }
}

/** By which type's rate an operation runs: bf16 and 8-bit floats are computed in f32. */
export function kindOf(dtype: DType): (typeof KINDS)[number] {
  if (dtype === 'f64' || dtype === 'f16') return dtype;
  return dtype === 'f32' || dtype === 'bf16' || dtype.startsWith('f8') ? 'f32' : 'integer';
}

/** Adds what `op` itself does; regions of loops and branches are not part of it. */
export function countOperation(op: Operation, tally: Tally, parameters: readonly Value[]): void {
  const definition = OPS[op.name];
  if (definition.kind === 'elementwise') countArithmetic(op, 1, tally);
  if (definition.kind !== 'tile' && definition.kind !== 'effect') return;
  definition.cost(op, {
    compute: (value, count) => tally.compute(kindOf(dtypeOf(value.type) ?? 'f32'), count),
    read: (pointer) => tally.read(rootOf(pointer, parameters), bytesOf(pointer)),
    write: (pointer) => tally.write(rootOf(pointer, parameters), bytesOf(pointer)),
    region: (block, times) => walk(block, (inner) => countArithmetic(inner, times, tally)),
  });
}

function countArithmetic(op: Operation, times: number, tally: Tally): void {
  const definition = OPS[op.name];
  if (definition.kind !== 'elementwise' || definition.flops === 0) return;
  const dtype = dtypeOf(op.operand(0).type);
  if (!dtype) return;
  tally.compute(kindOf(dtype), definition.flops * times * elementCount(op.result.type));
}

/** Bytes that a pointer, or a tile of pointers, points to. */
function bytesOf(pointers: Value): number {
  const element = elementOf(pointers.type);
  if (element.kind !== 'pointer') return 0;
  const { pointee } = element;
  const each = pointee.kind === 'pointer' ? 8 : Math.max(1, bitWidth(pointee.dtype) / 8);
  return each * elementCount(pointers.type);
}
