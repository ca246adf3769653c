/**
 * The moves of a debugging session, on tiles or on threads, and which pass's IR is stepped through.
 */
import { useEffect } from 'react';
import type { StepKind } from '../../../compiler/inspect/moves';
import type { ThreadStep } from '../../../compiler/inspect/threadSession';
import { keyText, registerCommands } from '../../state/commands';
import { useCompilation } from '../../state/compilation';
import type { Chosen } from '../memory/LaunchBar';
import { back, begin, moveThread, pause, restart, step, stepThread, useDebugger } from './state';

interface Move {
  readonly id: string;
  /** The first is the one that other debuggers have; a letter works where nothing is typed. */
  readonly keys: readonly string[];
  readonly label: string;
  readonly title: string;
  readonly back?: boolean;
  readonly run: () => Promise<void>;
}
const go = (kind: StepKind) => () => step(kind);
const BACK = {
  id: 'back',
  keys: ['b'],
  label: 'Back',
  title: 'to where it stood before: runs again from the start',
  back: true,
} as const;
const MOVES: readonly Move[] = [
  {
    id: 'continue',
    keys: ['F5', 'g'],
    label: 'Continue',
    title: 'to the next breakpoint, or the end',
    run: go('continue'),
  },
  {
    id: 'over',
    keys: ['F10', 'n'],
    label: 'Step over',
    title: 'the next line of this function, over what it calls',
    run: go('over'),
  },
  {
    id: 'into',
    keys: ['F11', 'i'],
    label: 'Step into',
    title: 'into the function that the line calls, else to the next line',
    run: go('into'),
  },
  {
    id: 'out',
    keys: ['Shift+F11', 'u'],
    label: 'Step out',
    title: 'to the end of this function, back in its caller',
    run: go('out'),
  },
  {
    id: 'op',
    keys: ['o'],
    label: 'Step op',
    title: 'one operation of the IR; a call of triton.language’s own functions is one',
    run: go('op'),
  },
  { ...BACK, run: () => back('stop') },
];

const goThread = (kind: ThreadStep) => () => stepThread(kind);
const THREAD_MOVES: readonly Move[] = [
  {
    id: 'continue',
    keys: ['F5', 'g'],
    label: 'Continue',
    title: 'to the next breakpoint that the thread reaches, or the end',
    run: goThread('continue'),
  },
  {
    id: 'over',
    keys: ['F10', 'n'],
    label: 'Step line',
    title: 'to operations of another line of the program',
    run: goThread('line'),
  },
  {
    id: 'op',
    keys: ['F11', 'o'],
    label: 'Step op',
    title: 'one operation of the thread',
    run: goThread('op'),
  },
  {
    id: 'barrier',
    keys: ['t'],
    label: 'To barrier',
    title: 'to the next barrier that the thread reaches',
    run: goThread('barrier'),
  },
  { ...BACK, run: () => moveThread({ kind: 'back' }) },
];

export function Controls(
  props: Chosen & {
    readonly ended: boolean;
    readonly canGoBack: boolean;
    /** The IR is that of threads. */
    readonly threads: boolean;
  },
): React.ReactNode {
  const { ended, canGoBack, threads } = props;
  const busy = useDebugger((debug) => debug.busy);
  const moves = threads ? THREAD_MOVES : MOVES;
  useEffect(
    () =>
      registerCommands('debugger', () =>
        moves.map(({ id, keys, label, run }) => ({
          id: `debug-${id}`,
          title: `Debugger: ${label.toLowerCase()}`,
          group: 'Inspect' as const,
          keys,
          words: 'debug step',
          run: () => void run(),
        })),
      ),
    [moves],
  );
  return (
    <div className="debug-controls" role="toolbar" aria-label="Debugger">
      {moves.map((move) => (
        <button
          key={move.id}
          type="button"
          className={move.id === 'continue' ? 'button small primary' : 'button small'}
          title={`${move.label}: ${move.title} (${move.keys.map((key) => keyText(key)).join(' or ')})`}
          disabled={busy || (move.back ? !canGoBack : ended)}
          onClick={() => void move.run()}
        >
          {move.label}
        </button>
      ))}
      <button
        type="button"
        className="button small"
        disabled={busy}
        onClick={() => void (threads ? moveThread({ kind: 'restart' }) : restart())}
      >
        Restart
      </button>
      {busy ? (
        <button type="button" className="button small" onClick={pause}>
          Pause
        </button>
      ) : null}
      <span className="grow" />
      <PassChoice launch={props.launch} program={props.program} />
    </div>
  );
}

const LOWERED = { index: 0, name: 'lower', changed: true, phase: 'lower' } as const;

/** Passes after which the IR can be stepped through: tiles of a program, or one of its threads. */
function PassChoice(chosen: Chosen): React.ReactNode {
  const pass = useDebugger((debug) => debug.pass);
  const log = useCompilation((compilation) => compilation.result?.log ?? null);
  const offered = (log ?? [LOWERED])
    .filter(({ phase }) => phase !== 'emit')
    .filter(({ changed, index }) => changed || index === pass);
  const groups = [
    { label: 'Tiles', members: offered.filter(({ phase }) => phase !== 'threads') },
    { label: 'Threads', members: offered.filter(({ phase }) => phase === 'threads') },
  ];
  return (
    <label className="muted">
      IR after{' '}
      <select
        className="field"
        value={pass}
        onChange={(event) => void begin(chosen, Number(event.target.value))}
      >
        {groups
          .filter(({ members }) => members.length > 0)
          .map(({ label, members }) => (
            <optgroup key={label} label={label}>
              {members.map(({ index, name }) => (
                <option key={index} value={index}>
                  {name}
                </option>
              ))}
            </optgroup>
          ))}
      </select>
    </label>
  );
}
