/**
 * Which values of thread IR are the same in all threads of a workgroup, or of a subgroup, and
 * whether the control flow around operations that threads do together is. Follows WGSL's uniformity
 * analysis: what is loaded from memory that the kernel writes counts as different in every
 * subgroup. A subgroup's lanes read one word at once, so that a scalar is one value for all of
 * them.
 */
import type { ThreadBlock, ThreadFunc, ThreadOp, ThreadValue } from './ir';
import { hasThreadTrait } from './ops';

/** The same in a workgroup, the same in a subgroup, or anything. */
export const enum Varies {
  Workgroup,
  Subgroup,
  Lane,
}

export interface Uniformity {
  of(value: ThreadValue): Varies;
  /** The control flow around an operation. */
  around(op: ThreadOp): Varies;
}

export function analyzeUniformity(func: ThreadFunc): Uniformity {
  return new Analysis(func);
}

/** Optimistic: everything is uniform until something says no, so loops get the best answer. */
class Analysis implements Uniformity {
  readonly #varies = new Map<ThreadValue, Varies>();
  /** For a thread's own memory: the most that any store put into it. */
  readonly #stored = new Map<ThreadValue, Varies>();
  readonly #around = new Map<ThreadOp, Varies>();
  readonly #readOnly: ReadonlySet<ThreadValue>;
  /** Programs that share a workgroup go their own ways. */
  readonly #programs: Varies;
  #changed = true;

  constructor(func: ThreadFunc) {
    const { body, parameters, attributes } = func;
    this.#readOnly = new Set(
      body.args.filter((_, i) => {
        const parameter = parameters[i]!;
        return parameter.kind === 'buffer' && !parameter.written;
      }),
    );
    this.#programs = Number(attributes['programs'] ?? 1) > 1 ? Varies.Lane : Varies.Workgroup;
    while (this.#changed) {
      this.#changed = false;
      this.#block(body, this.#programs);
    }
  }

  of(value: ThreadValue): Varies {
    return this.#varies.get(value) ?? Varies.Workgroup;
  }
  around(op: ThreadOp): Varies {
    return this.#around.get(op) ?? Varies.Workgroup;
  }

  #raise<K>(map: Map<K, Varies>, key: K, to: Varies): void {
    // Nothing is less than uniform.
    if (to === Varies.Workgroup || (map.get(key) ?? Varies.Workgroup) >= to) return;
    map.set(key, to);
    this.#changed = true;
  }
  #most(values: readonly ThreadValue[], least: Varies = Varies.Workgroup): Varies {
    let most = least;
    for (const value of values) most = Math.max(most, this.of(value));
    return most;
  }

  #block(block: ThreadBlock, flow: Varies): void {
    for (const op of block.ops) {
      this.#raise(this.#around, op, flow);
      switch (op.name) {
        case 'thread.if':
          this.#if(op, flow);
          break;
        case 'thread.for':
          this.#for(op, flow);
          break;
        case 'thread.while':
          this.#while(op, flow);
          break;
        default: {
          const varies = this.#result(op, flow);
          for (const result of op.results) this.#raise(this.#varies, result, varies);
        }
      }
    }
  }
  #if(op: ThreadOp, flow: Varies): void {
    const condition = this.of(op.operand(0));
    for (const region of op.regions) {
      this.#block(region, Math.max(flow, condition));
      op.results.forEach((result, i) =>
        this.#raise(this.#varies, result, this.#most([endOf(region, i)], condition)),
      );
    }
  }
  #for(op: ThreadOp, flow: Varies): void {
    const trips = this.of(op.operand(0));
    op.results.forEach((result, i) => {
      const ends = op.regions.map((region) => endOf(region, i));
      const varies = this.#most([op.operand(i + 1), ...ends], trips);
      this.#raise(this.#varies, result, varies);
      for (const { args } of op.regions) this.#raise(this.#varies, args[i + 1]!, varies);
    });
    for (const region of op.regions) {
      this.#raise(this.#varies, region.args[0]!, trips);
      this.#block(region, Math.max(flow, trips));
    }
  }
  #while(op: ThreadOp, flow: Varies): void {
    const [before, after] = [op.region(0), op.region(1)];
    const [condition, ...forwarded] = before.terminator.operands;
    const go = this.of(condition!);
    before.args.forEach((arg, i) =>
      this.#raise(this.#varies, arg, this.#most([op.operand(i), endOf(after, i)], go)),
    );
    forwarded.forEach((value, i) => {
      const varies = this.#most([value], go);
      this.#raise(this.#varies, after.args[i]!, varies);
      this.#raise(this.#varies, op.results[i]!, varies);
    });
    for (const region of op.regions) this.#block(region, Math.max(flow, go));
  }

  #result(op: ThreadOp, flow: Varies): Varies {
    switch (op.name) {
      case 'thread.program_id':
        return this.#programs;
      case 'thread.thread_id':
        return Varies.Lane;
      case 'thread.subgroup_id':
        return Varies.Subgroup;
      case 'thread.workgroup_uniform':
      case 'thread.array_length':
        return Varies.Workgroup;
      case 'thread.load_report':
        return Varies.Subgroup;
      case 'thread.subgroup_shuffle':
        return this.of(op.operand(1)) <= Varies.Subgroup ? Varies.Subgroup : Varies.Lane;
      // Which threads count decides no result.
      case 'thread.guard':
        return this.#most(op.operands.filter((_, i) => i !== 1));
      case 'thread.alloc':
        this.#raise(this.#stored, op.result, this.#most(op.operands));
        return Varies.Workgroup;
      case 'thread.load':
      case 'thread.load_component':
      case 'thread.atomic_load':
        return this.#loaded(op);
      case 'thread.store':
      case 'thread.store_component':
        this.#raise(this.#stored, op.operand(0), this.#most(op.operands.slice(1), flow));
        return Varies.Workgroup;
      default:
        if (hasThreadTrait(op.name, 'reads')) return Varies.Lane;
        return this.#most(op.operands);
    }
  }
  #loaded(op: ThreadOp): Varies {
    const memory = op.operand(0);
    const { type } = memory;
    const indices = this.#most(op.operands.slice(1));
    if (this.#readOnly.has(memory)) return indices;
    // Lanes of a subgroup that read one word do so at once.
    if (type.kind !== 'memory' || type.space !== 'private')
      return Math.max(indices, Varies.Subgroup);
    return Math.max(indices, this.#stored.get(memory) ?? Varies.Workgroup);
  }
}

/** The value that a region yields at an index. */
function endOf(region: ThreadBlock, i: number): ThreadValue {
  return region.terminator.operand(i);
}

/** The fault of the control flow around an operation, or of its operands; undefined if none. */
export function uniformityProblem(uniformity: Uniformity, op: ThreadOp): string | undefined {
  if (!hasThreadTrait(op.name, 'convergent')) return undefined;
  const around = uniformity.around(op);
  if (hasThreadTrait(op.name, 'barrier'))
    return around > Varies.Workgroup
      ? 'stands in control flow that threads may not share'
      : undefined;
  if (around > Varies.Subgroup) return 'stands in control flow that lanes may not share';
  const varying = op.operands.some(
    (value, i) => isPlace(op, i) && uniformity.of(value) > Varies.Subgroup,
  );
  return varying ? 'a place of a matrix, or a mask, differs between lanes' : undefined;
}
/** Operands that must be the same for all lanes of a subgroup. */
function isPlace(op: ThreadOp, index: number): boolean {
  switch (op.name) {
    case 'thread.subgroup_shuffle_xor':
      return index === 1;
    case 'thread.matrix_load':
    case 'thread.matrix_store':
      return op.operand(index).type.kind === 'number';
    default:
      return false;
  }
}
