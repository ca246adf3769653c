/** The debugging session as the page sees it: it lives in the inspect worker. */
import { create } from 'zustand';
import type { TileValues } from '../../../compiler/inspect/debugNames';
import type { DebugState, DebugText } from '../../../compiler/inspect/debugSession';
import type { ThreadState, ThreadStep } from '../../../compiler/inspect/threadSession';
import type { StepKind } from '../../../compiler/inspect/moves';
import { useBreakpoints } from '../../state/breakpoints';
import { select } from '../../state/location';
import { programInView, storeOfProgram, type StateOf } from '../../state/ofProgram';
import { load, save } from '../../state/storage';
import { inspectHost } from '../../workers/inspectHost';
import type { ThreadMove } from '../../workers/inspectProtocol';
import type { Chosen } from '../memory/LaunchBar';

/** The store of an element, at which a session is to begin once its launch is in view. */
export interface StoreGoal extends Chosen {
  readonly address: number;
  /** As the page writes it: `[5, 12]`. */
  readonly element: string;
  /** Before the operation after so many others, in place of the store. */
  readonly count?: number;
}

export interface DebuggerState {
  readonly of: Chosen | null;
  /** Index of the pass whose IR is stepped through; 0 is the program as it was lowered. */
  readonly pass: number;
  readonly text: DebugText | null;
  readonly state: DebugState | null;
  /** In place of `state` where the pass leaves the kernel in thread IR. */
  readonly threads: ThreadState | null;
  readonly refused: string | null;
  readonly busy: boolean;
  readonly goal: StoreGoal | null;
  /** The element whose store was looked for: `[5, 12]`. */
  readonly element: string | null;
  readonly watched: readonly string[];
  /** Key of the variable that is shown whole. */
  readonly shown: string | null;
  /** The row below which it is shown, where several name it. */
  readonly shownRow: string | null;
  readonly values: TileValues | null;
}

export const useDebugger = storeOfProgram<DebuggerState>({
  of: null,
  pass: 0,
  text: null,
  state: null,
  threads: null,
  refused: null,
  busy: false,
  goal: null,
  element: null,
  watched: [],
  shown: null,
  shownRow: null,
  values: null,
});

/** Expressions that the visitor watches, in whichever program: kept between visits. */
export const useWatches = create<{ readonly watches: readonly string[] }>(() => ({
  watches: (load('watches') ?? '').split('\n').filter((text) => text !== ''),
}));

type Store = StateOf<DebuggerState>;

/** Parts of a state: the line in every pane, watches, the variable shown. */
async function settle(store: Store, state: DebugState): Promise<void> {
  const { shown } = store.getState();
  store.setState({ state });
  if (state.next && store.getState() === useDebugger.getState()) {
    // Library functions have no text here: the debugger shows the user's line that called them.
    const own = state.frames.find(({ library }) => !library)?.location;
    if (own) select({ file: own.file, line: own.line, from: 'debugger' });
  }
  const host = inspectHost();
  const expressions = useWatches.getState().watches;
  const watched = await host.ask({ kind: 'watch', expressions });
  const values = shown === null ? null : await host.ask({ kind: 'values', key: shown });
  store.setState({ watched, values });
}

async function settleThreads(store: Store, threads: ThreadState): Promise<void> {
  const { shown } = store.getState();
  store.setState({ threads });
  const own = threads.next?.location;
  if (own && store.getState() === useDebugger.getState())
    select({ file: own.file, line: own.line, from: 'debugger' });
  const values = shown === null ? null : await inspectHost().ask({ kind: 'values', key: shown });
  store.setState({ values });
}

/** One piece of work at a time, whose answers go to the program that it began in. */
async function guard(work: (store: Store) => Promise<void>): Promise<void> {
  const store = useDebugger.of(programInView());
  if (store.getState().busy) return;
  store.setState({ busy: true });
  try {
    await work(store);
  } catch (error) {
    const refused = error instanceof Error ? error.message : String(error);
    store.setState({ refused, state: null, threads: null, text: null });
  } finally {
    store.setState({ busy: false });
  }
}

/** @returns whether a session on tiles began. */
async function start(store: Store, of: Chosen, pass: number): Promise<boolean> {
  const { launch, program } = of;
  store.setState({ of, pass, element: null });
  const answer = await inspectHost().askOf(launch, { kind: 'debug', program, pass });
  if ('refused' in answer) {
    store.setState({ refused: answer.refused, text: null, state: null, threads: null });
    return false;
  }
  store.setState({ refused: null, text: answer.text, values: null });
  if ('threads' in answer) {
    store.setState({ state: null });
    await settleThreads(store, answer.threads);
    return false;
  }
  store.setState({ threads: null });
  await settle(store, answer.state);
  return true;
}
export function begin(of: Chosen, pass: number): Promise<void> {
  return guard(async (store) => void (await start(store, of, pass)));
}
/** Begins at the store of an element, or at an operation that it was computed by. */
export function beginAtGoal(goal: StoreGoal): Promise<void> {
  const { launch, program, address, element, count } = goal;
  return guard(async (store) => {
    store.setState({ goal: null });
    if (!(await start(store, { launch, program }, 0))) return;
    if (count !== undefined) {
      await settle(store, await inspectHost().ask({ kind: 'at', count }));
      return;
    }
    store.setState({ element });
    await settle(store, await inspectHost().ask({ kind: 'store', address }));
  });
}

/** A move of the session on threads. */
export function moveThread(move: ThreadMove): Promise<void> {
  return guard(async (store) => {
    const { threads } = store.getState();
    if (!threads || (move.kind === 'step' && !threads.next)) return;
    await settleThreads(store, await inspectHost().ask({ kind: 'thread', move }));
  });
}
export function stepThread(step: ThreadStep): Promise<void> {
  const { breakpoints } = useBreakpoints.getState();
  const places = breakpoints.map(({ file, line }) => `${file}:${line}`);
  return moveThread({ kind: 'step', step, breakpoints: places });
}

export function step(kind: StepKind): Promise<void> {
  const { breakpoints } = useBreakpoints.getState();
  const places = breakpoints.map(({ file, line, condition = '' }) => ({
    place: `${file}:${line}`,
    condition,
  }));
  return guard(async (store) => {
    if (!store.getState().state?.next) return;
    store.setState({ element: null });
    const question = { kind: 'step', step: kind, breakpoints: places } as const;
    await settle(store, await inspectHost().ask(question));
  });
}
export function back(to: 'stop' | 'op'): Promise<void> {
  return guard(async (store) => {
    store.setState({ element: null });
    await settle(store, await inspectHost().ask({ kind: 'back', to }));
  });
}
export function restart(): Promise<void> {
  return guard(async (store) => {
    store.setState({ element: null });
    await settle(store, await inspectHost().ask({ kind: 'restart' }));
  });
}
export function pause(): void {
  inspectHost().pause();
}

export function show(key: string | null, row: string | null = key): void {
  const store = useDebugger.of(programInView());
  store.setState({ shown: key, shownRow: row, values: null });
  if (key === null) return;
  void inspectHost()
    .ask({ kind: 'values', key })
    .then(
      (values) => {
        if (store.getState().shown === key) store.setState({ values });
      },
      () => {},
    );
}

export function setWatches(watches: readonly string[]): void {
  save('watches', watches.length > 0 ? watches.join('\n') : null);
  useWatches.setState({ watches });
  const store = useDebugger.of(programInView());
  void inspectHost()
    .ask({ kind: 'watch', expressions: watches })
    .then(
      (watched) => store.setState({ watched }),
      () => {},
    );
}
