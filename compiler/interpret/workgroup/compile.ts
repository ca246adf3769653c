/**
 * Thread IR to steps that run a workgroup's lanes together: a closure an operation, over planes of
 * registers. Planes of a value go to others once nothing reads it any more.
 */
import type { ThreadBlock, ThreadOp, ThreadValue } from '../../ir/thread/ir';
import { hasThreadTrait } from '../../ir/thread/ops';
import type { UniformWord } from '../../program';
import { accessStep } from './access';
import { forStep, ifStep, whileStep } from './control';
import type { Finding } from './findings';
import { guardStep } from './guards';
import { barrierStep, matrixStep, shuffleStep, uniformStep } from './groups';
import { bySubgroup, Planes } from './lanes';
import type { Fragment, Register, Step } from './lanes';
import { Memory } from './memory';
import { recordStep } from './records';
import { some, type WorkgroupState } from './state';
import { Shadow } from './shadow';
import { inOrder, valueStep } from './values';

/** The kernel's arguments in a launch. */
export interface Arguments {
  /** The bytes of a binding. */
  buffer(group: number | 'shared'): Uint8Array;
  word(word: UniformWord): number;
}

export const nothing: Step = () => undefined;

export class WorkgroupCompiler {
  readonly #planes: Planes;
  readonly #held = new Map<ThreadValue, Register | Fragment>();
  readonly #memories = new Map<ThreadValue, Memory>();
  readonly #all: Int32Array;

  constructor(
    readonly state: WorkgroupState,
    private readonly args: Arguments,
    /** Barriers that are left out, to see what they are for. */
    private readonly without: ReadonlySet<ThreadOp> = new Set(),
    /** Counts executions by lanes. */
    private readonly executions?: Map<ThreadOp, number>,
  ) {
    this.#planes = new Planes(state.lanes);
    this.#all = Int32Array.from({ length: state.lanes }, (_, i) => i);
  }

  /** The whole kernel. */
  kernel(): Step {
    this.bindParameters();
    return this.block(this.state.kernel.func.body);
  }
  /** Gives the kernel's parameters their memory and their words. */
  bindParameters(): void {
    const { func } = this.state.kernel;
    func.parameters.forEach((parameter, i) => {
      const arg = func.body.args[i]!;
      if (parameter.kind === 'buffer') {
        const bytes = this.args.buffer(parameter.group);
        const shared = parameter.group === 'shared';
        const watched = parameter.written && this.state.watchTensors;
        this.#addMemory(arg, bytes, shared ? false : watched || undefined);
      } else this.register(arg).planes[0]!.fill(this.args.word(parameter.word));
    });
  }

  /** @param initialized undefined where nothing has to be watched. */
  #addMemory(
    value: ThreadValue,
    bytes: Uint8Array | undefined,
    initialized: boolean | undefined,
  ): Memory {
    if (value.type.kind !== 'memory') throw new Error('no memory');
    const { lanes } = this.state;
    const made = new Memory(value.type, value.name ?? 'an array', lanes, bytes);
    if (initialized !== undefined)
      made.shadow = new Shadow(made.words, initialized, (hazard, word, op, before, agents) =>
        this.state.findings.add(
          hazard,
          op,
          this.#describe(hazard, word, made, agents),
          made,
          before,
        ),
      );
    this.#memories.set(value, made);
    this.state.memories.push(made);
    return made;
  }
  #describe(
    hazard: Finding['kind'],
    word: number,
    { name }: Memory,
    agents: readonly [number, number],
  ): string {
    const at = `word ${word} of ${name}`;
    if (hazard === 'uninitialized') return `thread ${agents[0]} reads ${at}, which nobody wrote`;
    const [first, second] = agents.map((agent) => this.#agent(agent));
    return `${hazard} hazard at ${at} between ${first} and ${second}: no barrier`;
  }
  #agent(agent: number): string {
    if (agent < 0) return 'other threads';
    return agent < this.state.lanes ? `thread ${agent}` : 'a matrix operation';
  }

  // ── values
  // ──────────────────────────────────────────────────────────────────────────────────────
  held(value: ThreadValue): Register | Fragment {
    let found = this.#held.get(value);
    if (!found) this.#held.set(value, (found = this.#newHeld(value.type)));
    return found;
  }
  #newHeld(type: ThreadValue['type'], own = false): Register | Fragment {
    if (type.kind === 'memory') throw new Error('a memory is no register');
    if (type.kind === 'number') return own ? this.#planes.own(type) : this.#planes.register(type);
    const subgroups = Math.ceil(this.state.lanes / this.state.subgroup);
    const size = subgroups * type.rows * type.columns;
    const float = type.scalar === 'f32' || type.scalar === 'f16';
    return { kind: 'fragment', type, data: float ? new Float32Array(size) : new Int32Array(size) };
  }
  register(value: ThreadValue): Register {
    const held = this.held(value);
    if (held.kind !== 'register') throw new Error('a fragment is no register');
    return held;
  }
  fragment(value: ThreadValue): Fragment {
    const held = this.held(value);
    if (held.kind !== 'fragment') throw new Error('a register is no fragment');
    return held;
  }
  memory(value: ThreadValue): Memory {
    const found = this.#memories.get(value);
    if (!found) throw new Error(`${value.name ?? 'a memory'} is not declared`);
    return found;
  }
  operands(op: ThreadOp): Register[] {
    return op.operands.map((value) => this.register(value));
  }
  result(op: ThreadOp): Register {
    return this.register(op.result);
  }
  /** Gives a value the register of another. */
  alias(value: ThreadValue, held: Register | Fragment): void {
    this.#held.set(value, held);
  }
  /** A register like another, which nobody else gets. */
  copyOf({ type }: Register | Fragment): Register | Fragment {
    return this.#newHeld(type, true);
  }

  // ── operations
  // ──────────────────────────────────────────────────────────────────────────────────
  block(block: ThreadBlock): Step {
    const dies = deaths(block);
    const steps: Step[] = [];
    /** Indices of steps that all subgroups take together. */
    const together = new Set<number>();
    for (const op of block.ops) {
      const step = this.#counted(op, this.step(op));
      if (step !== nothing && this.#synchronizes(op)) together.add(steps.length);
      if (step !== nothing) steps.push(step);
      for (const value of dies.get(op) ?? []) {
        const held = this.#held.get(value);
        if (held?.kind === 'register') this.#planes.release(held);
      }
    }
    const { tick, inTurn, subgroup } = this.state;
    const run: Step = inTurn ? bySubgroup(steps, together, subgroup) : inOrder(steps);
    return (lanes, n) => {
      tick(steps.length * n);
      run(lanes, n);
    };
  }
  #counted(op: ThreadOp, step: Step): Step {
    const counts = this.executions;
    if (!counts || step === nothing) return step;
    counts.set(op, 0);
    return (lanes, n) => {
      counts.set(op, counts.get(op)! + n);
      step(lanes, n);
    };
  }
  /** Whether a barrier stands in an operation, or it is one. */
  #synchronizes(op: ThreadOp): boolean {
    const isBarrier = (each: ThreadOp): boolean =>
      each.name === 'thread.workgroup_uniform' ||
      (each.name === 'thread.barrier' && !this.without.has(each));
    return isBarrier(op) || op.regions.some((region) => some(region, isBarrier));
  }

  /** A closure that runs an operation for the listed lanes; `nothing` where it was done at once. */
  step(op: ThreadOp): Step {
    switch (op.name) {
      case 'thread.constant':
        for (const plane of this.#written(op).planes) plane.fill(Number(op.attributes['value']));
        return nothing;
      case 'thread.extract': {
        const { type } = op.result;
        if (type.kind !== 'number') throw new Error('extracts a number');
        const plane = this.register(op.operand(0)).planes[Number(op.attributes['index'])]!;
        this.alias(op.result, { kind: 'register', type, planes: [plane] });
        return nothing;
      }
      case 'thread.yield':
      case 'thread.condition':
      case 'thread.return':
        return nothing;
      case 'thread.if':
        return ifStep(this, op);
      case 'thread.for':
        return forStep(this, op);
      case 'thread.while':
        return whileStep(this, op);
      case 'thread.alloc':
        return this.#alloc(op);
      case 'thread.barrier':
        return this.without.has(op) ? nothing : barrierStep(this, op);
      case 'thread.workgroup_uniform':
        return uniformStep(this, op);
      case 'thread.subgroup_shuffle':
      case 'thread.subgroup_shuffle_xor':
        return shuffleStep(this, op);
      case 'thread.copy':
        return op.result.type.kind === 'number' ? valueStep(this, op) : matrixStep(this, op);
      case 'thread.matrix_zero':
      case 'thread.matrix_load':
      case 'thread.matrix_store':
      case 'thread.matrix_multiply_accumulate':
        return matrixStep(this, op);
      case 'thread.report_guards':
        return nothing;
      case 'thread.guard':
        return guardStep(this, op);
      case 'thread.report_bounds':
      case 'thread.load_report':
      case 'thread.print_record':
      case 'thread.print_iteration':
      case 'thread.assert_record':
        return recordStep(this, op);
      case 'thread.program_id':
      case 'thread.workgroup_id':
      case 'thread.thread_id':
      case 'thread.subgroup_id':
      case 'thread.array_length':
        return this.#place(op);
      default:
        return hasThreadTrait(op.name, 'pure') ? valueStep(this, op) : accessStep(this, op);
    }
  }
  /** The register of a value that is written before the kernel runs. */
  #written(op: ThreadOp): Register {
    const made = this.#newHeld(op.result.type, true);
    this.alias(op.result, made);
    return this.result(op);
  }
  #place(op: ThreadOp): Step {
    const [out] = (op.name === 'thread.program_id' ? this.result(op) : this.#written(op)).planes;
    const { programId, kernel, subgroup, lanes } = this.state;
    const fill = (value: (lane: number) => number): Step => {
      for (let i = 0; i < lanes; i++) out![i] = value(i);
      return nothing;
    };
    switch (op.name) {
      case 'thread.program_id': {
        const ids = programId[Number(op.attributes['axis']) as 0 | 1 | 2];
        return (lanes, n) => {
          for (let k = 0; k < n; k++) out![lanes[k]!] = ids[lanes[k]!]!;
        };
      }
      // Each workgroup is a dispatch of its own.
      case 'thread.workgroup_id':
        return fill(() => 0);
      case 'thread.thread_id':
        return fill((lane) => (kernel.programs > 1 ? 0 : lane % kernel.threads));
      case 'thread.subgroup_id':
        return fill((lane) => Math.floor(lane / subgroup));
      default:
        return fill(() => this.memory(op.operand(0)).count);
    }
  }
  /** A variable takes its first value, or zeros, whenever its declaration is reached. */
  #alloc(op: ThreadOp): Step {
    const { type } = op.result;
    if (type.kind !== 'memory') throw new Error('declares a memory');
    const made = this.#addMemory(
      op.result,
      undefined,
      type.space === 'workgroup' ? false : undefined,
    );
    if (type.space !== 'private') return nothing;
    const [initial] = this.operands(op);
    return (lanes, n) => {
      for (let k = 0; k < n; k++) {
        const first = lanes[k]! * made.laneStride;
        made.view.fill(0, first, first + made.laneStride);
        initial?.planes.forEach((plane, i) => made.set(first + i, plane[lanes[k]!]!));
      }
    };
  }

  /** Runs a kernel's step for the first `n` lanes. */
  run(step: Step, n: number): void {
    step(this.#all, n);
  }
}

/** For each operation of a block the values of the block that nothing reads after it. */
function deaths(block: ThreadBlock): Map<ThreadOp, ThreadValue[]> {
  const order = new Map<ThreadOp, number>(block.ops.map((op, i) => [op, i]));
  const dies = new Map<ThreadOp, ThreadValue[]>();
  const { ops } = block;
  ops.forEach((op, at) => {
    // A constant is written once; a component stands in the planes of its vector.
    if (op.name === 'thread.constant' || op.name === 'thread.extract') return;
    if (isPlaced(op)) return;
    for (const value of op.results) {
      if (value.type.kind !== 'number') continue;
      const last = lastUse(value, block, order, at);
      if (last === undefined) continue;
      const list = dies.get(ops[last]!);
      if (list) list.push(value);
      else dies.set(ops[last]!, [value]);
    }
  });
  return dies;
}
/** Values written before the kernel runs. */
function isPlaced({ name }: ThreadOp): boolean {
  return /^thread\.(workgroup_id|thread_id|subgroup_id|array_length)$/.test(name);
}
function lastUse(
  value: ThreadValue,
  block: ThreadBlock,
  order: ReadonlyMap<ThreadOp, number>,
  from: number,
): number | undefined {
  let last = from;
  for (const user of value.uses) {
    let own: ThreadOp | undefined = user;
    while (own && own.parent !== block) own = own.parent?.parent;
    const at = own && order.get(own);
    if (at === undefined) return undefined;
    last = Math.max(last, at);
    if (user.name !== 'thread.extract') continue;
    const later = lastUse(user.result, block, order, at);
    if (later === undefined) return undefined;
    last = Math.max(last, later);
  }
  return last;
}
