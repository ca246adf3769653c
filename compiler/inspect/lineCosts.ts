/**
 * Cost of a launch by source line: what the operations of thread IR that come from each line did in
 * a sample of the launch's programs, counted by the workgroup interpreter after the last pass.
 *
 * Guarantee: everything that the sampled programs execute is counted once, at the innermost line of
 * the program's own files that it comes from; the rest is `elsewhere`. Registers do not add up:
 * a line has the most that are alive at one of its operations.
 */
import type { MemoryType, ThreadType } from '../ir/thread/types';
import type { Value } from '../ir/ir';
import type { Location } from '../ir/location';
import type { ThreadOp } from '../ir/thread/ir';
import { memoryOf as memoryTypeOf } from '../ir/thread/ir';
import type { ThreadKernel } from '../ir/thread/kernel';
import { visitPressure } from '../ir/thread/pressure';
import { BudgetExceeded } from '../interpret/index';
import { runWorkgroups, type BankCount } from '../interpret/workgroup/index';
import { unitBytes } from '../interpret/workgroup/memory';
import { argumentValues, memoryOf, programCount, type LaunchInputs } from './launch';

/** Sums of the sampled programs, but for `registers` and `widest`. */
export interface LineCost {
  readonly file: string;
  readonly line: number;
  /** To and from the tensors' memory, as the threads ask for them. */
  readonly bytes: number;
  /** Floating-point operations; a fused multiply-add counts as two. */
  readonly flops: number;
  /** All threads', by components of vectors: arithmetic, accesses, branches, communication. */
  readonly instructions: number;
  /** Barriers that a program meets. */
  readonly barriers: number;
  /** Bytes to and from shared memory, and between the lanes of a subgroup. */
  readonly exchanged: number;
  /** Transactions of shared memory beyond the least, by warps of 32 lanes and 32 banks. */
  readonly conflicts: number;
  /** The most that a thread holds at an operation of the line. */
  readonly registers: number;
  /** Bytes of the widest access of a thread to the tensors' memory; 0 without any. */
  readonly widest: number;
  /** Integer divisions and remainders among the instructions. */
  readonly divisions: number;
  /** Shuffles between lanes among the instructions. */
  readonly shuffles: number;
  /** The line's barriers, accesses or shuffles stand in a loop. */
  readonly loops: boolean;
}

export interface LineCosts {
  readonly lines: readonly LineCost[];
  /** The cost of code that comes from no line of the program, in the same measures. */
  readonly elsewhere: LineCost;
  readonly total: LineCost;
  /** Programs that were interpreted, and those of the launch. */
  readonly sampled: number;
  readonly programs: number;
  /** Operations were so many that the last program was left before its end. */
  readonly cut: boolean;
}

/** Lane steps of the whole sample: some seconds. */
const BUDGET = 150_000_000;
/** Programs of a sample: the first, the last and those between, evenly. */
const SAMPLE = 4;

export interface LineCostOptions {
  readonly kernel: ThreadKernel;
  /** Parameters of the function in tiles. */
  readonly parameters: readonly Value[];
  readonly inputs: LaunchInputs;
  readonly budget?: number;
}

export function lineCosts(options: LineCostOptions): LineCosts {
  const { kernel, inputs } = options;
  const executions = new Map<ThreadOp, number>();
  const banks = new Map<ThreadOp, BankCount>();
  const programs = programCount(inputs);
  const { sampled, cut } = runSample(options, executions, banks);
  const sums = new Sums(kernel, inputs.request.program.files);
  for (const [op, lanes] of executions) sums.count(op, lanes, banks.get(op));
  visitPressure(kernel.func, (op, registers) => sums.registers(op, registers));
  const { lines, elsewhere, total } = sums.result();
  return { lines, elsewhere, total, sampled, programs, cut };
}

/** Linear indices of the sampled programs' first ones: whole workgroups. */
export function sampleOf(programs: number, together: number): number[] {
  const groups = Math.ceil(programs / together);
  const count = Math.min(SAMPLE, groups);
  const at = (i: number): number => Math.round((i * (groups - 1)) / Math.max(1, count - 1));
  return [...new Set(Array.from({ length: count }, (_, i) => at(i)))].map((g) => g * together);
}

function runSample(
  { kernel, parameters, inputs, budget = BUDGET }: LineCostOptions,
  executions: Map<ThreadOp, number>,
  banks: Map<ThreadOp, BankCount>,
): { readonly sampled: number; readonly cut: boolean } {
  const { specialization } = inputs.request;
  const programs = programCount(inputs);
  const starts = sampleOf(programs, kernel.programs);
  const memory = memoryOf(inputs);
  let sampled = 0;
  for (const first of starts) {
    const end = Math.min(programs, first + kernel.programs);
    const own = new Map<ThreadOp, number>();
    const common = { kernel, parameters, specialization, memory, grid: inputs.grid };
    let cut = false;
    try {
      const found = runWorkgroups({
        ...common,
        args: argumentValues(inputs),
        range: { first, end },
        budget: budget / starts.length,
        countBanks: true,
        executions: own,
      });
      for (const [op, { accesses, conflicts }] of found.banks) {
        const sum = banks.get(op) ?? { accesses: 0, conflicts: 0 };
        sum.accesses += accesses;
        sum.conflicts += conflicts;
        banks.set(op, sum);
      }
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
      cut = true;
    }
    for (const [op, lanes] of own) executions.set(op, (executions.get(op) ?? 0) + lanes);
    sampled += end - first;
    // Another one would take as long.
    if (cut) return { sampled, cut };
  }
  return { sampled, cut: false };
}

type Mutable = { -readonly [K in keyof LineCost]: LineCost[K] };

function emptyLine(file: string, line: number): Mutable {
  return {
    ...{ file, line, bytes: 0, flops: 0, instructions: 0, barriers: 0, exchanged: 0 },
    ...{ conflicts: 0, registers: 0, widest: 0, divisions: 0, shuffles: 0, loops: false },
  };
}

const FLOATS = new Set(['f32', 'f16']);
const NO_ARITHMETIC =
  /^thread\.(copy|construct|splat|swizzle|select|bitcast|convert|optimization_barrier|extract)/;

class Sums {
  readonly #lines = new Map<string, Mutable>();
  readonly #elsewhere = emptyLine('', 0);
  readonly #total = emptyLine('', 0);

  constructor(
    private readonly kernel: ThreadKernel,
    private readonly files: Readonly<Record<string, string>>,
  ) {}

  count(op: ThreadOp, lanes: number, banks: BankCount | undefined): void {
    if (lanes === 0) return;
    for (const line of [this.#lineOf(op.location), this.#total]) {
      this.#add(line, op, lanes);
      line.conflicts += banks?.conflicts ?? 0;
    }
  }
  registers(op: ThreadOp, registers: number): void {
    for (const line of [this.#lineOf(op.location), this.#total])
      line.registers = Math.max(line.registers, registers);
  }
  result(): Pick<LineCosts, 'lines' | 'elsewhere' | 'total'> {
    const lines = [...this.#lines.values()].sort(
      (a, b) => a.file.localeCompare(b.file) || a.line - b.line,
    );
    return { lines, elsewhere: this.#elsewhere, total: this.#total };
  }

  #lineOf(location: Location): Mutable {
    for (let at: Location | undefined = location; at; at = at.inlinedAt) {
      if (!Object.hasOwn(this.files, at.file)) continue;
      const key = `${at.file}:${at.line}`;
      const found = this.#lines.get(key) ?? emptyLine(at.file, at.line);
      this.#lines.set(key, found);
      return found;
    }
    return this.#elsewhere;
  }

  #add(line: Mutable, op: ThreadOp, lanes: number): void {
    const subgroup = this.kernel.subgroupSize || this.kernel.threads;
    switch (op.name) {
      case 'thread.barrier':
        line.barriers += lanes / this.kernel.threads;
        line.instructions += lanes;
        line.loops ||= inLoop(op);
        return;
      case 'thread.subgroup_shuffle':
      case 'thread.subgroup_shuffle_xor':
        line.exchanged += lanes * registerBytes(op.result.type);
        line.shuffles += lanes;
        line.instructions += lanes;
        line.loops ||= inLoop(op);
        return;
      case 'thread.matrix_multiply_accumulate': {
        const [left, right] = [op.operand(0).type, op.operand(1).type];
        if (left.kind === 'fragment' && right.kind === 'fragment')
          line.flops += (lanes / subgroup) * 2 * left.rows * left.columns * right.columns;
        line.instructions += lanes;
        return;
      }
      case 'thread.matrix_load':
      case 'thread.matrix_store': {
        const fragment =
          op.name === 'thread.matrix_load' ? op.result : op.operands.find(isFragment)!;
        const memory = op.operands.find(({ type }) => type.kind === 'memory')!;
        const bytes = (lanes / subgroup) * fragmentBytes(fragment.type);
        this.#move(line, op, memoryTypeOf(memory), bytes, 0);
        line.instructions += lanes;
        return;
      }
      default:
        if (op.operands[0]?.type.kind === 'memory') this.#access(line, op, lanes);
        else this.#compute(line, op, lanes);
    }
  }

  #access(line: Mutable, op: ThreadOp, lanes: number): void {
    const type = memoryTypeOf(op.operand(0));
    const whole = op.name === 'thread.load' || op.name === 'thread.store';
    const width = unitBytes(type.element.scalar) * (whole ? type.element.size : 1);
    line.instructions += lanes;
    this.#move(line, op, type, lanes * width, width);
  }
  #move(line: Mutable, op: ThreadOp, type: MemoryType, bytes: number, width: number): void {
    if (type.space === 'private') return;
    line.loops ||= inLoop(op);
    // Shared memory that lies in a storage buffer is a parameter of its own.
    if (type.space === 'workgroup' || this.#isShared(op)) line.exchanged += bytes;
    else {
      line.bytes += bytes;
      line.widest = Math.max(line.widest, width);
    }
  }
  #isShared(op: ThreadOp): boolean {
    const { body, parameters } = this.kernel.func;
    const index = op.operands.map((value) => body.args.indexOf(value)).find((at) => at >= 0);
    const parameter = index === undefined ? undefined : parameters[index];
    return parameter?.kind === 'buffer' && parameter.group === 'shared';
  }

  #compute(line: Mutable, op: ThreadOp, lanes: number): void {
    const type = op.results[0]?.type;
    const size = type?.kind === 'number' ? type.size : 1;
    line.instructions += lanes * (op.regions.length > 0 ? 1 : size);
    if (type?.kind !== 'number' || op.regions.length > 0) return;
    const isFloat = FLOATS.has(type.scalar);
    const divides = op.name === 'thread.div' || op.name === 'thread.rem';
    if (divides && !isFloat && op.operand(1).definition?.name !== 'thread.constant')
      line.divisions += lanes * size;
    if (isFloat && !NO_ARITHMETIC.test(op.name))
      line.flops += lanes * size * (op.name === 'thread.fma' ? 2 : 1);
  }
}

const isFragment = ({ type }: { readonly type: { readonly kind: string } }): boolean =>
  type.kind === 'fragment';

function registerBytes(type: ThreadType): number {
  return type.kind === 'number' ? type.size * unitBytes(type.scalar) : 0;
}
function fragmentBytes(type: ThreadType): number {
  if (type.kind !== 'fragment') return 0;
  const each = type.scalar === 'f16' ? 2 : type.scalar.endsWith('8') ? 1 : 4;
  return type.rows * type.columns * each;
}

function inLoop(op: ThreadOp): boolean {
  for (let at: ThreadOp | undefined = op.parent?.parent; at; at = at.parent?.parent)
    if (at.name === 'thread.for' || at.name === 'thread.while') return true;
  return false;
}
