/**
 * The debugger: one program of a launch on the interpreter, step by step, with what Python's names
 * hold. Breakpoints are set in the editor's margin; the line that comes next is lit in every pane.
 */
import './debugger.css';
import { useEffect } from 'react';
import type { DebugState } from '../../../compiler/inspect/debugSession';
import { TILE_IR } from '../../editor/tileIr';
import { CodeView } from '../common/CodeView';
import { Empty } from '../common/Empty';
import { formatCount, plural } from '../common/format';
import { goTo, Site } from '../common/Site';
import { LaunchBar, NoLaunch, RunKeeping, useChosen, type Chosen } from '../memory/LaunchBar';
import { Breakpoints } from './Breakpoints';
import { Controls } from './Controls';
import { begin, beginAtGoal, useDebugger } from './state';
import { ThreadSide, ThreadWhere } from './Threads';
import { CallStack, Variables } from './Variables';
import { Watches } from './Watches';

export function Debugger(): React.ReactNode {
  const chosen = useChosen();
  const launch = chosen?.launch;
  const [x, y, z] = chosen?.program ?? [0, 0, 0];
  const busy = useDebugger((debug) => debug.busy);
  const goal = useDebugger((debug) => debug.goal);
  useEffect(() => {
    if (!launch) return;
    const { of, pass } = useDebugger.getState();
    const isChosen = (one: Chosen | null): boolean =>
      one?.launch === launch && one.program.join() === [x, y, z].join();
    // A slider is faster than a start: the last choice is begun when the one before is through.
    if (busy) return;
    if (goal && isChosen(goal)) void beginAtGoal(goal);
    else if (!isChosen(of)) void begin({ launch, program: [x, y, z] }, pass);
  }, [launch, x, y, z, busy, goal]);
  if (!chosen)
    return (
      <NoLaunch what="After a run, step through one program of a launch here: its tiles’ values after every line, breakpoints in the editor’s margin, watches." />
    );
  return (
    <div className="memory debugger">
      <LaunchBar {...chosen} />
      <Content {...chosen} />
    </div>
  );
}

function Content(chosen: Chosen): React.ReactNode {
  const state = useDebugger((debug) => debug.state);
  const threads = useDebugger((debug) => debug.threads);
  const refused = useDebugger((debug) => debug.refused);
  if (refused !== null)
    return refused.includes('not kept') ? (
      <RunKeeping why={refused} />
    ) : (
      <Empty title="This launch cannot be debugged here">{refused}</Empty>
    );
  if (threads)
    return (
      <>
        <Controls {...chosen} ended={threads.next === null} canGoBack={threads.canGoBack} threads />
        <ThreadWhere state={threads} />
        <div className="debug-body">
          <Code />
          <div className="debug-side">
            <ThreadSide state={threads} />
          </div>
        </div>
      </>
    );
  if (!state) return <Empty title="Starting…">The program is run on the interpreter.</Empty>;
  return (
    <>
      <Controls
        {...chosen}
        ended={state.next === null}
        canGoBack={state.canGoBack}
        threads={false}
      />
      <Where state={state} />
      <div className="debug-body">
        <Code />
        <div className="debug-side">
          <Watches />
          <CallStack frames={state.frames} />
          <Variables frames={state.frames} />
        </div>
      </div>
    </>
  );
}

function Where({ state }: { readonly state: DebugState }): React.ReactNode {
  const { next, failure, outside, steps, store } = state;
  const element = useDebugger((debug) => debug.element);
  return (
    <div className="debug-where" role="status">
      {failure !== null ? (
        <span className="sign fail">! {failure}</span>
      ) : next ? (
        <span>
          Paused before{' '}
          {next.location.file.startsWith('triton/') ? (
            <span className="mono">
              {next.location.file}:{next.location.line}
            </span>
          ) : (
            <Site site={next.location} />
          )}{' '}
          <span className="mono">{next.call ?? next.op}</span>
        </span>
      ) : (
        <span>The program has ended.</span>
      )}
      {store && element !== null ? (
        <span>
          stores {element} of the tensor: element [{store.index.join(', ')}] of the tile
          {store.stores > 1 ? `, the last of its ${formatCount(store.stores)} stores` : ''}
        </span>
      ) : element !== null ? (
        <span className="sign fail">! no operation of this program stores {element}</span>
      ) : null}
      <span className="muted">{plural(steps, 'op')} executed</span>
      <Breakpoints conditions={state.conditions} />
      {outside.length > 0 ? (
        <span className="sign fail" title={outside.join('\n')}>
          ✗ {outside[0]}
          {outside.length > 1 ? `, and ${outside.length - 1} more` : ''}
        </span>
      ) : null}
    </div>
  );
}

function Code(): React.ReactNode {
  const text = useDebugger((debug) => debug.text);
  const line = useDebugger((debug) => (debug.threads ?? debug.state)?.next?.line ?? null);
  if (!text) return null;
  return (
    <div className="code-host">
      <CodeView
        label="IR of the program"
        language={TILE_IR}
        text={text.ir}
        lit={line === null ? [] : [line]}
        reveal
        onLine={(number) => {
          const location = text.locations[number - 1];
          if (location) goTo(location, 'debugger');
        }}
      />
    </div>
  );
}
