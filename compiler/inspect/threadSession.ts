/**
 * A debugging session on thread IR: one thread of a program, stepped through on the workgroup
 * interpreter, with its registers and the arrays in shared memory. The other threads of the
 * workgroup run in step with it. Stepping back executes again from the start, on the same inputs.
 */
import { REPORT_WORDS } from '../boundsReport';
import { Launch } from '../interpret/workgroup/launch';
import { WorkgroupState } from '../interpret/workgroup/state';
import { SteppingWorkgroup, type ThreadStop } from '../interpret/workgroup/stepping';
import type { Value } from '../ir/ir';
import type { Location } from '../ir/location';
import { printThreadFunc } from '../ir/thread/printer';
import type { ThreadKernel } from '../ir/thread/kernel';
import type { ThreadOp } from '../ir/thread/ir';
import type { DebugText } from './debugSession';
import type { TileValues } from './debugNames';
import { isLibrary, ownDepth, stackOf } from './frames';
import { argumentValues, linearProgram, memoryOf, type LaunchInputs } from './launch';
import { ThreadValues, type RegisterReport, type SharedArray } from './threadValues';

/** `line`: to another line of the program; `barrier`: to the next barrier. */
export type ThreadStep = 'op' | 'line' | 'barrier' | 'continue';

export interface ThreadState {
  readonly program: readonly [number, number, number];
  /** Number within the program. */
  readonly thread: number;
  readonly threads: number;
  readonly subgroup: number;
  readonly lane: number;
  /** Lanes of a subgroup. */
  readonly subgroupSize: number;
  /** Operations that the workgroup executed. */
  readonly steps: number;
  readonly next: {
    /** Line of the IR. */
    readonly line: number;
    readonly op: string;
    readonly location: Location;
    /** Threads of the workgroup that execute it together. */
    readonly active: number;
    readonly operands: readonly RegisterReport[];
  } | null;
  /** The last ones that were written first. */
  readonly registers: readonly RegisterReport[];
  readonly arrays: readonly SharedArray[];
  /** Races, words that nobody wrote, threads that part before a barrier: so far. */
  readonly findings: readonly string[];
  readonly failure: string | null;
  readonly canGoBack: boolean;
}

export interface ThreadSessionOptions {
  readonly kernel: ThreadKernel;
  /** Parameters of the function in tiles. */
  readonly parameters: readonly Value[];
  readonly inputs: LaunchInputs;
  readonly program: readonly [number, number, number];
}

interface Run {
  readonly compiler: SteppingWorkgroup;
  readonly state: WorkgroupState;
  readonly stops: Generator<ThreadStop, void, void>;
  next: ThreadStop | null;
  failure: string | null;
}
type Target =
  | {
      readonly kind: ThreadStep;
      readonly breakpoints: ReadonlySet<string>;
      readonly from: ThreadOp;
    }
  /** From the start up to so many operations. */
  | { readonly kind: 'replay'; readonly goal: number }
  /** Up to an operation in which the thread takes part. */
  | { readonly kind: 'arrive' };

/** `file:line` of the user's innermost function. */
function lineOf(op: ThreadOp): string {
  const stack = stackOf(op);
  const { file, line } = stack[ownDepth(stack)]!;
  return `${file}:${line}`;
}

export class ThreadSession {
  readonly text: DebugText;
  readonly #lines: ReadonlyMap<ThreadOp, number>;
  readonly #values: ThreadValues;
  #thread = 0;
  #run: Run;
  #target: Target | null = null;
  /** The user's last position, in operations. */
  #history: number[] = [];
  #since = 0;

  constructor(private readonly options: ThreadSessionOptions) {
    const { text, locations, names, lines } = printThreadFunc(options.kernel.func);
    this.text = { ir: text, locations };
    this.#lines = lines;
    this.#values = new ThreadValues(names);
    this.#run = this.#start();
  }

  /** Programs of the workgroup before this one. */
  get #place(): { readonly first: number; readonly before: number; readonly end: number } {
    const { kernel, inputs, program } = this.options;
    const linear = linearProgram(inputs.grid, program);
    const before = linear % kernel.programs;
    const [x, y, z] = inputs.grid;
    return { first: linear - before, before, end: x * y * z };
  }
  /** Lane within the workgroup. */
  get #lane(): number {
    return this.#place.before * this.options.kernel.threads + this.#thread;
  }

  #start(): Run {
    const { kernel, parameters, inputs } = this.options;
    const { first, end } = this.#place;
    const launch = new Launch({
      parameters,
      specialization: inputs.request.specialization,
      args: argumentValues(inputs),
      memory: memoryOf(inputs),
      grid: inputs.grid,
      sharedBytes: kernel.workgroupBytes,
    });
    launch.program = first;
    const state = new WorkgroupState(kernel, REPORT_WORDS, false, false, false, () => {});
    const compiler = new SteppingWorkgroup(state, launch);
    const stops = compiler.start(Math.min(kernel.programs, end - first) * kernel.threads);
    state.enter(first, inputs.grid);
    const run: Run = { compiler, state, stops, next: null, failure: null };
    advanceTo(run);
    return run;
  }

  begin(kind: ThreadStep, breakpoints: ReadonlySet<string>): void {
    const { next, compiler } = this.#run;
    if (!next) return;
    this.#history.push(compiler.count);
    this.#since = compiler.count;
    this.#target = { kind, breakpoints, from: next.op };
  }
  /** Begins going back to where the user stood before. */
  beginBack(): void {
    const goal = this.#history.pop() ?? 0;
    this.#run = this.#start();
    this.#since = Math.max(0, goal - 1);
    this.#target = { kind: 'replay', goal };
  }
  /** Begins to follow another thread of the program, from where the workgroup stands. */
  choose(thread: number): void {
    this.#thread = Math.max(0, Math.min(thread, this.options.kernel.threads - 1));
    this.#target = { kind: 'arrive' };
  }
  restart(): void {
    this.#run = this.#start();
    this.#history = [];
    this.#since = 0;
    this.#target = null;
  }
  pause(): void {
    this.#target = null;
  }

  /** Goes on with the move until it is made or the time is over. @returns whether it is made. */
  advance(milliseconds: number): boolean {
    const target = this.#target;
    if (!target) return true;
    const end = performance.now() + milliseconds;
    for (let i = 0; ; i++) {
      if (i % 16 === 15 && performance.now() > end) return false;
      if (this.#moves(target)) break;
    }
    this.#target = null;
    return true;
  }
  /** @returns whether the move is made. */
  #moves(target: Target): boolean {
    const run = this.#run;
    const before = run.next;
    if (!before) return true;
    if (target.kind === 'replay' && run.compiler.count >= target.goal) return true;
    if (target.kind === 'arrive' && this.#isActive(before)) return true;
    advanceTo(run);
    const { next } = run;
    if (!next) return true;
    if (target.kind === 'replay' || target.kind === 'arrive' || !this.#isActive(next)) return false;
    return stopsAt(target.kind, target.breakpoints, before.op, target.from, next.op);
  }
  #isActive({ lanes, n }: ThreadStop): boolean {
    return lanes.subarray(0, n).includes(this.#lane);
  }

  state(): ThreadState {
    const { compiler, state, next, failure } = this.#run;
    const { kernel, program } = this.options;
    const values = this.#values.at(compiler, this.#lane);
    const { subgroup } = state;
    const stack = next ? stackOf(next.op) : [];
    return {
      program,
      thread: this.#thread,
      threads: kernel.threads,
      subgroup: Math.floor(this.#lane / subgroup),
      lane: this.#lane % subgroup,
      subgroupSize: subgroup,
      steps: compiler.count,
      next: next && {
        line: this.#lines.get(next.op) ?? 1,
        op: next.op.name,
        location: stack[ownDepth(stack)]!,
        active: next.n,
        operands: values.operands(next.op),
      },
      registers: values.registers(this.#since),
      arrays: values.arrays(),
      findings: state.findings.list.map(({ message }) => message),
      failure,
      canGoBack: compiler.count > 0,
    };
  }

  /**
   * A register in all lanes, a matrix of the thread's subgroup, or an array, by the name in the IR.
   */
  values(key: string): TileValues | null {
    return this.#values.at(this.#run.compiler, this.#lane).values(key);
  }
}

/** Executes what comes next, up to the next operation. */
function advanceTo(run: Run): void {
  try {
    const result = run.stops.next();
    run.next = result.done ? null : result.value;
  } catch (error) {
    run.next = null;
    run.failure = error instanceof Error ? error.message : String(error);
  }
}

function stopsAt(
  kind: ThreadStep,
  breakpoints: ReadonlySet<string>,
  before: ThreadOp,
  from: ThreadOp,
  next: ThreadOp,
): boolean {
  const line = lineOf(next);
  const reached = line !== lineOf(before) || next === from;
  if (kind === 'op') return true;
  if (reached && breakpoints.has(line) && !isLibrary(stackOf(next)[0]!)) return true;
  if (kind === 'line') return line !== lineOf(from) || next === from;
  return kind === 'barrier' && next.name === 'thread.barrier';
}
