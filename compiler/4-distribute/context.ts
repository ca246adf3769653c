/** Inputs of every pass of distribution besides the function. */
import type { Diagnostic } from '../diagnostics';
import type { Func } from '../ir/ir';
import { log2, type ThreadBits } from '../ir/layoutAlgebra';
import type { Schedule } from '../schedule';
import type { Target } from '../target';
import { type Choices, type ChoiceReasons, reasonedChoices } from './choices';

export interface DistributeContext {
  readonly target: Target;
  readonly numWarps: number;
  /** As in `Specialization`. */
  readonly statedWarps?: boolean;
  /** The choices that a tuner has set; the rest is chosen by `choose_threads`. */
  readonly wanted?: Partial<Choices>;
  /** As in `CompileOptions`. */
  readonly manyPrograms?: boolean;
  /** Takes what a pass has to say about the program beside its result. */
  readonly report?: (diagnostic: Diagnostic) => unknown;
  /** Takes what is decided, and why. */
  readonly schedule?: Schedule;
  /** Set by `choose_threads`. */
  choices?: Choices;
  /** Reasons of the choices, where a rule with more than one outcome decided. */
  reasons?: ChoiceReasons;
}

/** Changes the function in place; says whether it changed anything. */
export type DistributePass = (func: Func, context: DistributeContext) => boolean;

export function choicesOf(func: Func, context: DistributeContext): Choices {
  if (!context.choices) {
    const { choices: chosen, reasons } = reasonedChoices(func, context);
    context.choices = {
      ...chosen,
      // A slice that was set stays as it is.
      ...(context.wanted?.kSlice === undefined ? {} : { smallSliceBytes: 0 }),
      ...context.wanted,
      // Can be switched off, but not on where a dot's operands do not allow it.
      direct: chosen.direct,
    };
    context.reasons = withTuned(chosen, reasons, context.choices);
  }
  return context.choices;
}

/** The reasons with one for each choice that a tuning changed. */
function withTuned(chosen: Choices, reasons: ChoiceReasons, made: Choices): ChoiceReasons {
  const names = Object.keys(made) as (keyof Choices)[];
  const tuned = names.flatMap((name) =>
    made[name] === chosen[name]
      ? []
      : [[name, { why: 'a tuning set it', next: `${String(chosen[name])}, the default` }]],
  );
  return { ...reasons, ...(Object.fromEntries(tuned) as ChoiceReasons) };
}

/** The bits of a thread's number, from the function's attributes. */
export function threadBitsOf(func: Func): ThreadBits {
  const lanes = log2(Math.max(1, Number(func.attributes['subgroupSize'])));
  return { lanes, subgroups: log2(Number(func.attributes['threads'])) - lanes };
}

/** Workgroup memory for tiles; the rest is for the emitter's own few words (uniform conditions). */
export function usableWorkgroupBytes({ target }: DistributeContext): number {
  return workgroupBytesOf(target) - 64;
}
/** Shared memory in storage has no limit of its own; so much of it stays in a core's cache. */
const STORAGE_SHARED_BYTES = 262_144;
export function workgroupBytesOf(target: Target): number {
  return target.sharedMemoryInStorage ? STORAGE_SHARED_BYTES : target.maxWorkgroupBytes;
}
