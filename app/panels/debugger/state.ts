/** The debugging session as the page sees it: it lives in the inspect worker. */
import { create } from 'zustand';
import type {
  DebugState,
  DebugText,
  StepKind,
  TileValues,
} from '../../../compiler/inspect/debugSession';
import { outermost } from '../../../compiler/inspect/places';
import { useBreakpoints } from '../../state/breakpoints';
import { select } from '../../state/location';
import { load, save } from '../../state/storage';
import { inspectHost } from '../../workers/inspectHost';
import type { Chosen } from '../memory/LaunchBar';

export interface DebuggerState {
  readonly of: Chosen | null;
  /** Index of the pass whose IR is stepped through; 0 is the program as it was lowered. */
  readonly pass: number;
  readonly text: DebugText | null;
  readonly state: DebugState | null;
  readonly refused: string | null;
  readonly busy: boolean;
  readonly watches: readonly string[];
  readonly watched: readonly string[];
  /** Key of the variable that is shown whole. */
  readonly shown: string | null;
  readonly values: TileValues | null;
}

export const useDebugger = create<DebuggerState>(() => ({
  of: null,
  pass: 0,
  text: null,
  state: null,
  refused: null,
  busy: false,
  watches: (load('watches') ?? '').split('\n').filter((text) => text !== ''),
  watched: [],
  shown: null,
  values: null,
}));

/** What belongs to a state: the line in every pane, watches, the variable shown. */
async function settle(state: DebugState): Promise<void> {
  const { watches, shown } = useDebugger.getState();
  useDebugger.setState({ state });
  if (state.next) {
    const { file, line } = outermost(state.next.location);
    select({ file, line, from: 'debugger' });
  }
  const host = inspectHost();
  const watched = await host.ask({ kind: 'watch', expressions: watches });
  const values = shown === null ? null : await host.ask({ kind: 'values', key: shown });
  useDebugger.setState({ watched, values });
}

async function guard(work: () => Promise<void>): Promise<void> {
  if (useDebugger.getState().busy) return;
  useDebugger.setState({ busy: true });
  try {
    await work();
  } catch (error) {
    const refused = error instanceof Error ? error.message : String(error);
    useDebugger.setState({ refused, state: null, text: null });
  } finally {
    useDebugger.setState({ busy: false });
  }
}

export function begin(of: Chosen, pass: number): Promise<void> {
  return guard(async () => {
    const { launch, program } = of;
    useDebugger.setState({ of, pass });
    const answer = await inspectHost().askOf(launch, { kind: 'debug', program, pass });
    if ('refused' in answer) {
      useDebugger.setState({ refused: answer.refused, text: null, state: null });
      return;
    }
    useDebugger.setState({ refused: null, text: answer.text, values: null });
    await settle(answer.state);
  });
}

export function step(kind: StepKind): Promise<void> {
  const { breakpoints } = useBreakpoints.getState();
  const places = breakpoints.map(({ file, line }) => `${file}:${line}`);
  return guard(async () =>
    settle(await inspectHost().ask({ kind: 'step', step: kind, breakpoints: places })),
  );
}
export function back(to: 'stop' | 'op'): Promise<void> {
  return guard(async () => settle(await inspectHost().ask({ kind: 'back', to })));
}
export function restart(): Promise<void> {
  return guard(async () => settle(await inspectHost().ask({ kind: 'restart' })));
}
export function pause(): void {
  inspectHost().pause();
}

export function show(key: string | null): void {
  useDebugger.setState({ shown: key, values: null });
  if (key === null) return;
  void inspectHost()
    .ask({ kind: 'values', key })
    .then(
      (values) => {
        if (useDebugger.getState().shown === key) useDebugger.setState({ values });
      },
      () => {},
    );
}

export function setWatches(watches: readonly string[]): void {
  save('watches', watches.length > 0 ? watches.join('\n') : null);
  useDebugger.setState({ watches });
  void inspectHost()
    .ask({ kind: 'watch', expressions: watches })
    .then(
      (watched) => useDebugger.setState({ watched }),
      () => {},
    );
}
