/**
 * The values that follow from a thread's number alone, for every thread of a program: what
 * addresses of shared memory are made of. Loops stand at their first iteration. Read from thread
 * IR, without a launch.
 *
 * Guarantee: a value is either exact for every thread, by the operations' own `evaluate`, or null:
 * where it depends on memory, on the launch, or on what a loop leaves.
 */
import { hasThreadTrait, THREAD_OPS } from '../ir/thread/ops';
import type { ThreadBlock, ThreadOp, ThreadValue } from '../ir/thread/ir';
import type { ThreadKernel } from '../ir/thread/kernel';
import type { NumberType } from '../ir/thread/types';
import { newPlane, type Plane } from '../interpret/workgroup/lanes';
import { roundHalf, scalarFunction } from '../interpret/workgroup/components';

/** A number for every thread, for each component; truth values are 1 and 0. */
type Planes = readonly Plane[];

export class LaneValues {
  readonly #known = new Map<ThreadValue, Planes | null>();

  /** @param subgroup lanes of a subgroup. */
  constructor(
    private readonly kernel: ThreadKernel,
    private readonly subgroup: number,
  ) {}

  /** The components of a value. */
  of(value: ThreadValue): Planes | null {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const op = value.definition;
    const found = op ? this.#result(op, value) : this.#argument(value);
    this.#known.set(value, found);
    return found;
  }
  /** The one number of a scalar. */
  scalar(value: ThreadValue): Plane | null {
    return this.of(value)?.[0] ?? null;
  }

  #result(op: ThreadOp, value: ThreadValue): Planes | null {
    const { type } = value;
    if (type.kind !== 'number') return null;
    switch (op.name) {
      case 'thread.constant':
        return this.#fill(type, () => Number(op.attributes['value']));
      case 'thread.thread_id':
        return this.#fill(type, (thread) => thread);
      case 'thread.subgroup_id':
        return this.#fill(type, (thread) => Math.floor(thread / this.subgroup));
      case 'thread.if':
        return this.#branch(op, op.results.indexOf(value), type);
      default:
        return hasThreadTrait(op.name, 'pure') ? this.#pure(op, type) : null;
    }
  }

  #argument(value: ThreadValue): Planes | null {
    const block = value.owner as ThreadBlock;
    const loop = block.parent;
    if (!loop || value.type.kind !== 'number') return null;
    const region = loop.regions.indexOf(block);
    const index = block.args.indexOf(value);
    const before = loop.regions[region - 1];
    switch (loop.name) {
      // The regions are iterations that follow each other.
      case 'thread.for':
        if (index === 0) return this.#fill(value.type, () => region);
        return this.of(before ? before.terminator.operand(index - 1) : loop.operand(index));
      case 'thread.while':
        return this.of(before ? before.terminator.operand(index + 1) : loop.operand(index));
      default:
        return null;
    }
  }

  #pure(op: ThreadOp, type: NumberType): Planes | null {
    const operands: Planes[] = [];
    const types: NumberType[] = [];
    for (const operand of op.operands) {
      const planes = this.of(operand);
      if (!planes || operand.type.kind !== 'number') return null;
      operands.push(planes);
      types.push(operand.type);
    }
    const [first] = operands;
    switch (op.name) {
      case 'thread.construct':
        return operands.flat();
      case 'thread.splat':
        return Array.from({ length: type.size }, () => first![0]!);
      case 'thread.extract':
        return [first![Number(op.attributes['index'])]!];
      case 'thread.swizzle':
        return (op.attributes['indices'] as readonly number[]).map((i) => first![i]!);
      case 'thread.extract_dynamic':
      case 'thread.call':
        return null;
      default:
        return THREAD_OPS[op.name].whole ? null : this.#operation(op, types, operands, type);
    }
  }
  #operation(
    op: ThreadOp,
    types: readonly NumberType[],
    operands: readonly Planes[],
    type: NumberType,
  ): Planes | null {
    const evaluate = scalarFunction(op.name, types, type);
    if (!evaluate) return null;
    const round = type.scalar === 'f16' ? roundHalf : (x: number): number => x;
    return this.#fill(type, (thread, component) => {
      const [x, y, z] = operands.map(
        (planes) => planes[planes.length > 1 ? component : 0]![thread]!,
      );
      return round(evaluate(x!, y ?? 0, z ?? 0));
    });
  }

  #branch(op: ThreadOp, index: number, type: NumberType): Planes | null {
    const condition = this.scalar(op.operand(0));
    const [yes, no] = op.regions.map((region) => this.of(region.terminator.operand(index)));
    if (!condition || !yes || !no) return null;
    return this.#fill(
      type,
      (thread, component) => (condition[thread] === 1 ? yes : no)[component]![thread]!,
    );
  }

  #fill(
    { scalar, size }: NumberType,
    value: (thread: number, component: number) => number,
  ): Planes {
    const { threads } = this.kernel;
    return Array.from({ length: size }, (_, component) => {
      const plane = newPlane(scalar, threads);
      for (let thread = 0; thread < threads; thread++) plane[thread] = value(thread, component);
      return plane;
    });
  }
}
