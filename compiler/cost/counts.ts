/**
 * What one operation of tile IR computes and moves when it runs once, every mask counted as full. An
 * arithmetic operation counts as one an element, a fused multiply-add as two, a dot as 2·M·N·K;
 * conversions, comparisons of floats and what only rearranges a tile count as nothing.
 */
import { rootOf } from '../ir/access';
import type { Block, Operation, Value } from '../ir/ir';
import { walk } from '../ir/ir';
import { bitWidth, type DType, dtypeOf, elementCount, elementOf, shapeOf } from '../ir/types';

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

const FREE = /^arith\.(constant|select|cmpf|ext|trunc|sitofp|uitofp|fpto|bitcast|negf)|^math\.abs/;

/** Adds what `op` itself does; regions of loops and branches are not part of it. */
export function countOperation(op: Operation, tally: Tally, parameters: readonly Value[]): void {
  switch (op.name) {
    case 'tt.load':
      tally.read(rootOf(op.operand(0), parameters), bytesOf(op.operand(0)));
      return;
    case 'tt.store':
      tally.write(rootOf(op.operand(0), parameters), bytesOf(op.operand(0)));
      return;
    case 'tt.atomic_rmw':
    case 'tt.atomic_cas': {
      const root = rootOf(op.operand(0), parameters);
      const bytes = bytesOf(op.operand(0));
      tally.read(root, bytes);
      tally.write(root, bytes);
      return;
    }
    case 'tt.dot': {
      const depth = shapeOf(op.operand(0).type).at(-1) ?? 1;
      const kind = kindOf(dtypeOf(op.operand(0).type) ?? 'f32');
      tally.compute(kind, 2 * depth * elementCount(op.result.type));
      return;
    }
    case 'tt.reduce': {
      const [input] = op.operands;
      const [result] = op.results;
      if (!input || !result) return;
      countRegion(op.region(0), elementCount(input.type) - elementCount(result.type), tally);
      return;
    }
    case 'tt.scan': {
      const [input] = op.operands;
      if (!input) return;
      const length = shapeOf(input.type)[Number(op.attributes['axis'])] ?? 1;
      const elements = elementCount(input.type);
      countRegion(op.region(0), elements - elements / length, tally);
      return;
    }
    case 'tt.map_elementwise':
      countRegion(op.region(0), elementCount(op.operand(0).type), tally);
      return;
    default:
      countArithmetic(op, 1, tally);
  }
}

function countRegion(region: Block, times: number, tally: Tally): void {
  walk(region, (op) => countArithmetic(op, times, tally));
}

function countArithmetic(op: Operation, times: number, tally: Tally): void {
  const arithmetic = /^(arith|math)\.|^tt\.(clampf|precise_|mulhiui)/.test(op.name);
  if (!arithmetic || FREE.test(op.name)) return;
  const [result] = op.results;
  const dtype = op.operands[0] && dtypeOf(op.operands[0].type);
  if (!result || !dtype) return;
  const each = op.name === 'math.fma' ? 2 : 1;
  tally.compute(kindOf(dtype), each * times * elementCount(result.type));
}

/** Bytes that a pointer, or a tile of pointers, points to. */
function bytesOf(pointers: Value): number {
  const element = elementOf(pointers.type);
  if (element.kind !== 'pointer') return 0;
  const { pointee } = element;
  const each = pointee.kind === 'pointer' ? 8 : Math.max(1, bitWidth(pointee.dtype) / 8);
  return each * elementCount(pointers.type);
}
