/**
 * The workgroup interpreter: runs thread IR on the CPU, a whole workgroup at a time, with shadow
 * state for the memory that threads share. It is the oracle of the last passes, and finds what no
 * interpreter of tiles can: a missing barrier, a word that nobody wrote, threads that part before a
 * barrier, bank conflicts.
 *
 * Lanes run in step. Where WGSL leaves something open: an atomic exchange never fails without a
 * reason, lanes update memory in their order, workgroups run one after the other, a load outside of
 * a storage buffer gives 0.
 */
import { REPORT_WORDS, readReport } from '../../boundsReport';
import type { OutOfRange } from '../../boundsReport';
import type { ThreadOp } from '../../ir/thread/ir';
import { reportedAccesses, type ThreadKernel } from '../../ir/thread/kernel';
import { BudgetExceeded, Stopped } from '../index';
import { WorkgroupCompiler } from './compile';
import { type Finding, FoundOne } from './findings';
import { Launch } from './launch';
import type { LaunchOptions } from './launch';
import { WorkgroupState } from './state';
import type { BankCount, FailedAssertion, PrintedWord } from './state';

export type { Finding, FindingKind } from './findings';
export type { BankCount, PrintedWord } from './state';

export interface WorkgroupOptions extends Omit<LaunchOptions, 'sharedBytes'> {
  readonly kernel: ThreadKernel;
  /** Only these programs, by linear index (x fastest): from `first` up to, not including, `end`. */
  readonly range?: { readonly first: number; readonly end: number };
  /** Steps before `BudgetExceeded`: one for each lane of an operation. */
  readonly budget?: number;
  /** After so many steps no other program begins. */
  readonly enough?: number;
  /** Asked now and then; true throws `Stopped`. */
  readonly shouldStop?: () => boolean;
  /** Counts bank conflicts, which takes longer. */
  readonly countBanks?: boolean;
  /**
   * Looks for races in the tensors' memory, too: a program may mean them (threads that store the
   * same).
   */
  readonly watchTensors?: boolean;
  /** Subgroups are in step, also where the target runs one after the other. */
  readonly inStep?: boolean;
  /** Ends the run with the first finding; memory is then as it was. */
  readonly stopAtFirst?: boolean;
  /** Gets how often lanes executed each operation; what costs nothing is not in it. */
  readonly executions?: Map<ThreadOp, number>;
  /** Barriers that are left out, to see what they are for. */
  readonly without?: ReadonlySet<ThreadOp>;
}
export interface WorkgroupResult {
  /** One past the last program that ran. */
  readonly end: number;
  readonly findings: readonly Finding[];
  /** Elements out of range, as a GPU reports them. */
  readonly outOfRange: readonly OutOfRange[];
  readonly printed: readonly PrintedWord[];
  readonly failed: readonly FailedAssertion[];
  /** By access to shared memory; empty unless they are counted. */
  readonly banks: ReadonlyMap<ThreadOp, BankCount>;
}

/** Steps between two calls of `shouldStop`. */
const STOP_INTERVAL = 500_000;

/** Runs the programs. Memory is changed in place. @throws BudgetExceeded, Stopped */
export function runWorkgroups(options: WorkgroupOptions): WorkgroupResult {
  const { kernel } = options;
  const launch = new Launch({ ...options, sharedBytes: kernel.workgroupBytes });
  const clock = new Clock(options);
  const state = new WorkgroupState(
    kernel,
    REPORT_WORDS,
    options.countBanks === true,
    options.watchTensors === true,
    options.stopAtFirst === true,
    clock.tick,
    options.inStep === true,
  );
  const compiler = new WorkgroupCompiler(state, launch, options.without, options.executions);
  const step = compiler.kernel();
  let end = options.range?.first ?? 0;
  try {
    end = runPrograms(options, state, launch, clock, (lanes) => compiler.run(step, lanes));
    launch.finish();
  } catch (error) {
    if (!(error instanceof FoundOne)) throw error;
  }
  const { printed, failed, banks, report } = state;
  const findings = state.findings.list;
  const outOfRange = readReport(report, reportedAccesses(kernel));
  return { end, findings, outOfRange, printed, failed, banks };
}

function runPrograms(
  { kernel, grid, range, enough = Infinity }: WorkgroupOptions,
  state: WorkgroupState,
  launch: Launch,
  clock: Clock,
  run: (lanes: number) => void,
): number {
  const [x, y, z] = grid;
  const { first, end } = range ?? { first: 0, end: x * y * z };
  for (let program = first; program < end; program += kernel.programs) {
    if (clock.steps > enough) return program;
    launch.program = program;
    state.enter(program, grid);
    run(Math.min(kernel.programs, end - program) * kernel.threads);
  }
  return end;
}

/** Counts steps. */
class Clock {
  steps = 0;
  #asked = 0;
  constructor(private readonly options: Pick<WorkgroupOptions, 'budget' | 'shouldStop'>) {}

  readonly tick = (steps: number): void => {
    const { budget = Infinity, shouldStop } = this.options;
    this.steps += steps;
    if (this.steps > budget) throw new BudgetExceeded();
    if (this.steps - this.#asked < STOP_INTERVAL) return;
    this.#asked = this.steps;
    if (shouldStop?.()) throw new Stopped();
  };
}
