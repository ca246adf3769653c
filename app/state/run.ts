/** The last run of the program in view: its record, and what its launches got. */
import type { LaunchInputs } from '../../compiler/inspect/launch';
import type { RunRecord } from './record';
import { storeOfProgram } from './ofProgram';

export interface Run {
  readonly record: RunRecord;
  /** For the panels that run a launch again on the interpreter. */
  readonly launches: readonly LaunchInputs[];
}

export interface RunState {
  /** The last run, perhaps under a lesson's checks. A new object whenever its contents changed. */
  readonly record: RunRecord | null;
  readonly launches: readonly LaunchInputs[];
  /** The last run of the program by itself: checks do not replace it. */
  readonly own: Run | null;
  /** The one before, and when it was followed by this: for somebody who compares after a change. */
  readonly earlier: { readonly record: RunRecord; readonly time: number } | null;
}

export const useRun = storeOfProgram<RunState>({
  record: null,
  launches: [],
  own: null,
  earlier: null,
});

/** A run begins: what the one before left gives way. */
export function beginRun(program: string, record: RunRecord): void {
  const store = useRun.of(program);
  const { record: last, earlier } = store.getState();
  const ended = last && last.outcome !== null && !last.checking;
  store.setState({
    record,
    launches: [],
    ...(record.checking ? {} : { own: { record, launches: [] } }),
    // Its times count; what it printed need not be kept.
    earlier: ended ? { record: { ...last, output: [] }, time: Date.now() } : earlier,
  });
}

/** The run, changed: by its events, or by what a launch got. */
export function publishRun(program: string, inputs: readonly LaunchInputs[] = []): void {
  useRun.of(program).setState((state) => {
    if (!state.record) return {};
    const record = { ...state.record };
    const launches = inputs.length > 0 ? [...state.launches, ...inputs] : state.launches;
    return { record, launches, ...(record.checking ? {} : { own: { record, launches } }) };
  });
}
