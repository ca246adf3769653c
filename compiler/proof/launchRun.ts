/**
 * A launch's programs on the interpreter, on memory of their own and within a budget: what the
 * checks compare that run a launch several times with something changed (`order.ts`,
 * `undefined.ts`).
 */
import { argumentValues, linearProgram, programCount, type LaunchInputs } from '../inspect/launch';
import { traceAccesses, type TraceEnd } from '../inspect/trace';
import type { MemoryStorage } from '../interpret/index';
import type { LaunchState, Step } from '../interpret/compile';
import { accessKind, type AccessKind } from '../ir/access';
import type { Func, Operation } from '../ir/ir';
import { BudgetedCompiler, MOST_OPERATIONS } from './budget';

export type Program = readonly [number, number, number];

export interface LaunchRun {
  /** Programs that ended. */
  readonly programs: number;
  readonly end: TraceEnd;
}

/** Differences of a run from the launch. */
export interface RunOptions {
  /** Changed by the run. */
  readonly memory: readonly MemoryStorage[];
  /** Programs from the first one; all of the grid without it. */
  readonly count?: number;
  /** The last program first. */
  readonly backwards?: boolean;
  /** Steps of an access, in place of the operation's own. */
  readonly around?: (access: AccessInRun) => Step;
  /** Steps of operations that are no accesses, in place of their own. */
  readonly others?: OtherStep;
  readonly onOutOfRange?: () => void;
}

/** An access as the interpreter compiles it. */
export interface AccessInRun {
  readonly op: Operation;
  readonly kind: AccessKind;
  /** The operation's own. */
  readonly step: Step;
  readonly compiler: AccessCompiler;
}

type OtherStep = (
  op: Operation,
  step: Step | undefined,
  compiler: AccessCompiler,
) => Step | undefined;

export function runLaunch(func: Func, inputs: LaunchInputs, options: RunOptions): LaunchRun {
  const { memory, backwards = false, onOutOfRange } = options;
  const all = options.count ?? programCount(inputs);
  const around = options.around ?? (({ step }) => step);
  const others = options.others ?? ((_, step) => step);
  let last = 0;
  const onProgram = (program: Program): void => {
    last = linearProgram(inputs.grid, program);
  };
  const end = traceAccesses({
    func,
    args: argumentValues(inputs),
    memory,
    grid: inputs.grid,
    range: { first: 0, end: all, backwards },
    budget: MOST_OPERATIONS,
    onAccess: () => {},
    ...(onOutOfRange ? { onOutOfRange } : {}),
    compilerFor: (state) => new AccessCompiler(state, around, onProgram, others),
  });
  return { programs: end.kind === 'complete' ? all : last, end };
}

/** Compiles accesses as `around` has them, and notes the program of each. */
export class AccessCompiler extends BudgetedCompiler {
  constructor(
    state: LaunchState,
    private readonly around: (access: AccessInRun) => Step,
    private readonly onProgram: (program: Program) => void,
    private readonly others: OtherStep = (_, step) => step,
  ) {
    super(state);
  }
  /** The program that runs; another one at each step. */
  get program(): Program {
    return this.state.programId;
  }
  protected override observed(op: Operation): Step | undefined {
    const step = super.observed(op);
    const kind = accessKind(op);
    if (kind === null) return this.others(op, step, this);
    if (!step) return step;
    const run = this.around({ op, kind, step, compiler: this });
    return () => {
      this.onProgram(this.state.programId);
      run();
    };
  }
}
