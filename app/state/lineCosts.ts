/**
 * Cost by source line of one launch of the program in view, for the editor's margin: which launch,
 * what was counted, and which measure is shown.
 *
 * Guarantee: costs are of the text that they were counted for, and `isCostStale` says when that is
 * not the text in the editor any more.
 */
import type { LaunchInputs } from '../../compiler/inspect/launch';
import type { LineCosts } from '../../compiler/inspect/lineCosts';
import { inspectHost } from '../workers/inspectHost';
import { useCompilation } from './compilation';
import { programText } from './document';
import { launchInView, useInputs } from './inputs';
import { programInView, storeOfProgram } from './ofProgram';
import { useRun } from './run';

export const MEASURES = [
  'bytes',
  'flops',
  'instructions',
  'barriers',
  'exchanged',
  'conflicts',
  'registers',
] as const;
export type Measure = (typeof MEASURES)[number];

export interface LineCostState {
  readonly shown: boolean;
  /** The launch that the costs are of; null before any. */
  readonly launch: Pick<LaunchInputs, 'launch' | 'kernel' | 'key' | 'grid'> | null;
  /** The text that it ran, and the run (`RunRecord.run`). */
  readonly text: string;
  readonly run: number | null;
  readonly costs: LineCosts | null;
  /** Why there are none. */
  readonly refused: string | null;
  readonly counting: boolean;
  readonly measure: Measure;
}

export const useLineCosts = storeOfProgram<LineCostState>({
  shown: false,
  launch: null,
  text: '',
  run: null,
  costs: null,
  refused: null,
  counting: false,
  measure: 'instructions',
});

export function isCostStale({ launch, text }: LineCostState, now: string): boolean {
  return launch !== null && text !== now;
}

/** The program has run again since. @param now `RunRecord.run` of the last run. */
export function isCostPast({ launch, run }: LineCostState, now: number | null): boolean {
  return launch !== null && run !== now;
}

export function hideLineCosts(): void {
  useLineCosts.setState({ shown: false });
}
export function chooseMeasure(measure: Measure): void {
  useLineCosts.setState({ measure });
}

/** The launch whose costs would be shown: the one in view of the panels; null without any. */
export function launchForCosts(): LaunchInputs | null {
  const { launches } = useRun.getState();
  return launchInView(
    { launches, launch: useInputs.getState().launch },
    useCompilation.getState().inView,
  );
}

/** Counts the costs of a launch of the last run, and shows them. */
export async function showLineCosts(launch: LaunchInputs | null = launchForCosts()): Promise<void> {
  const store = useLineCosts.of(programInView());
  const { record } = useRun.getState();
  const text = record?.text ?? programText();
  const none = { shown: true, costs: null, launch: null, counting: false };
  if (!launch) {
    store.setState({ ...none, refused: 'Run the program first: costs are those of a launch.' });
    return;
  }
  const { kernel, key, grid } = launch;
  const of = {
    launch: { launch: launch.launch, kernel, key, grid },
    text,
    run: record?.run ?? null,
  };
  store.setState({ ...none, ...of, refused: null, counting: true });
  // Another launch may have been chosen meanwhile.
  const isNewest = (): boolean => store.getState().launch === of.launch;
  try {
    const answer = await inspectHost().askOf(launch, { kind: 'line-costs' });
    if (!isNewest()) return;
    if ('refused' in answer) store.setState({ refused: answer.refused, counting: false });
    else store.setState({ costs: answer, counting: false });
  } catch (error) {
    const refused = error instanceof Error ? error.message : String(error);
    if (isNewest()) store.setState({ refused, counting: false });
  }
}
