/**
 * The debugger: one program of a launch on the interpreter, step by step, with what Python's names hold.
 * Breakpoints are set in the editor's margin; the line that comes next is lit in every pane.
 */
import './debugger.css';
import { useEffect } from 'react';
import type { DebugState, StepKind, VariableReport } from '../../../compiler/inspect/debugSession';
import { TILE_IR } from '../../editor/tileIr';
import { useBreakpoints } from '../../state/breakpoints';
import { keyText, registerCommands } from '../../state/commands';
import { useCompilation } from '../../state/compilation';
import { useLocation } from '../../state/location';
import { CodeView } from '../common/CodeView';
import { Empty } from '../common/Empty';
import { formatCount, formatNumber, plural } from '../common/format';
import { goTo, Site } from '../common/Site';
import { TableHead } from '../common/TableHead';
import { LaunchBar, NoLaunch, RunKeeping, useChosen, type Chosen } from '../memory/LaunchBar';
import { back, begin, pause, restart, show, step, useDebugger } from './state';
import { ValueGrid } from './ValueGrid';
import { Watches } from './Watches';

export function Debugger(): React.ReactNode {
  const chosen = useChosen();
  const launch = chosen?.launch;
  const [x, y, z] = chosen?.program ?? [0, 0, 0];
  const busy = useDebugger((debug) => debug.busy);
  useEffect(() => {
    if (!launch) return;
    const { of, pass } = useDebugger.getState();
    // A slider is faster than a start: the last choice is begun when the one before is through.
    if (busy || (of?.launch === launch && of.program.join() === [x, y, z].join())) return;
    void begin({ launch, program: [x, y, z] }, pass);
  }, [launch, x, y, z, busy]);
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
  const refused = useDebugger((debug) => debug.refused);
  if (refused !== null)
    return refused.includes('not kept') ? (
      <RunKeeping why={refused} />
    ) : (
      <Empty title="This launch cannot be debugged here">{refused}</Empty>
    );
  if (!state) return <Empty title="Starting…">The program is run on the interpreter.</Empty>;
  return (
    <>
      <Controls {...chosen} state={state} />
      <Where state={state} />
      <div className="debug-body">
        <Code />
        <div className="debug-side">
          <Watches />
          <Variables variables={state.variables} />
        </div>
      </div>
    </>
  );
}

interface Move {
  readonly id: string;
  readonly key: string;
  readonly label: string;
  readonly title: string;
  readonly back?: boolean;
  readonly run: () => Promise<void>;
}
const go = (kind: StepKind) => () => step(kind);
const MOVES: readonly Move[] = [
  {
    id: 'continue',
    key: 'g',
    label: 'Continue',
    title: 'to the next breakpoint, or the end',
    run: go('continue'),
  },
  {
    id: 'over',
    key: 'n',
    label: 'Next line',
    title: 'the next line of the kernel, over what it calls',
    run: go('over'),
  },
  {
    id: 'into',
    key: 'i',
    label: 'Into',
    title: 'the next line, of a function that is called too',
    run: go('into'),
  },
  { id: 'op', key: 'o', label: 'Next op', title: 'one operation of the IR', run: go('op') },
  {
    id: 'back',
    key: 'b',
    label: 'Back',
    title: 'to where it stood before: runs again from the start',
    back: true,
    run: () => back('stop'),
  },
];

function Controls({ state, ...chosen }: Chosen & { readonly state: DebugState }): React.ReactNode {
  const busy = useDebugger((debug) => debug.busy);
  const pass = useDebugger((debug) => debug.pass);
  const log = useCompilation((compilation) => compilation.result?.log ?? null);
  const ended = state.next === null;
  useEffect(
    () =>
      registerCommands('debugger', () =>
        MOVES.map(({ id, key, label, run }) => ({
          id: `debug-${id}`,
          title: `Debugger: ${label.toLowerCase()}`,
          group: 'Inspect' as const,
          keys: [key],
          run: () => void run(),
        })),
      ),
    [],
  );
  return (
    <div className="debug-controls" role="toolbar" aria-label="Debugger">
      {MOVES.map((move) => (
        <button
          key={move.id}
          type="button"
          className={move.id === 'continue' ? 'button small primary' : 'button small'}
          title={`${move.label}: ${move.title} (${keyText(move.key)})`}
          disabled={busy || (move.back ? !state.canGoBack : ended)}
          onClick={() => void move.run()}
        >
          {move.label}
        </button>
      ))}
      <button type="button" className="button small" disabled={busy} onClick={() => void restart()}>
        Restart
      </button>
      {busy ? (
        <button type="button" className="button small" onClick={pause}>
          Pause
        </button>
      ) : null}
      <span className="grow" />
      <label className="muted">
        IR after{' '}
        <select
          className="field"
          value={pass}
          onChange={(event) => void begin(chosen, Number(event.target.value))}
        >
          {(log ?? [{ index: 0, name: 'lower', changed: true }])
            .filter(({ changed, index }) => changed || index === pass)
            .map(({ index, name }) => (
              <option key={index} value={index}>
                {name}
              </option>
            ))}
        </select>
      </label>
    </div>
  );
}

function Where({ state }: { readonly state: DebugState }): React.ReactNode {
  const { next, failure, outside, steps } = state;
  return (
    <div className="debug-where" role="status">
      {failure !== null ? (
        <span className="sign fail">! {failure}</span>
      ) : next ? (
        <span>
          Before <Site site={next.location} /> <span className="mono">{next.op}</span>
        </span>
      ) : (
        <span>The program has ended.</span>
      )}
      <span className="muted">{plural(steps, 'operation')} done</span>
      <Breakpoints />
      {outside.length > 0 ? (
        <span className="sign fail" title={outside.join('\n')}>
          ✗ {outside[0]}
          {outside.length > 1 ? `, and ${outside.length - 1} more` : ''}
        </span>
      ) : null}
    </div>
  );
}

/** The breakpoints, and one click for the line that is selected. */
function Breakpoints(): React.ReactNode {
  const breakpoints = useBreakpoints((state) => state.breakpoints);
  const toggle = useBreakpoints((state) => state.toggle);
  const selected = useLocation((state) => state.selected);
  const set = breakpoints.some(
    ({ file, line }) => file === selected?.file && line === selected.line,
  );
  return (
    <span className="breakpoints" aria-label="Breakpoints" role="group">
      {breakpoints.map(({ file, line }) => (
        <button
          key={`${file}:${line}`}
          type="button"
          className="breakpoint"
          aria-label={`Remove the breakpoint at line ${line} of ${file}`}
          onClick={() => toggle(file, line)}
        >
          ● {line} ×
        </button>
      ))}
      {selected && !set ? (
        <button type="button" className="link" onClick={() => toggle(selected.file, selected.line)}>
          Stop at line {selected.line}
        </button>
      ) : null}
    </span>
  );
}

function Code(): React.ReactNode {
  const text = useDebugger((debug) => debug.text);
  const line = useDebugger((debug) => debug.state?.next?.line ?? null);
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

function Variables(props: { readonly variables: readonly VariableReport[] }): React.ReactNode {
  const shown = useDebugger((debug) => debug.shown);
  const values = useDebugger((debug) => debug.values);
  return (
    <section aria-label="Variables">
      <h3 className="debug-heading">Variables</h3>
      <div className="scroll-x">
        <table className="data debug-variables">
          <TableHead columns={['name', 'type', 'value', 'range']} />
          <tbody>
            {props.variables.map((variable) => (
              <tr key={variable.key} data-fresh={variable.fresh}>
                <td>
                  <button
                    type="button"
                    className="link mono"
                    aria-expanded={shown === variable.key}
                    title={`${variable.ir}${variable.inlinedAt === null ? '' : `, of the function called in line ${variable.inlinedAt}`}`}
                    onClick={() => show(shown === variable.key ? null : variable.key)}
                  >
                    {variable.name}
                  </button>
                  {variable.inlinedAt === null ? null : (
                    <span className="muted"> line {variable.inlinedAt}</span>
                  )}
                </td>
                <td className="mono muted">{variable.type}</td>
                <td className="mono">{preview(variable)}</td>
                <td className="mono muted">{rangeOf(variable)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {values ? <ValueGrid values={values} /> : null}
    </section>
  );
}

function preview({ first, count, shape }: VariableReport): string {
  if (shape.length === 0) return first[0] ?? '';
  return `[${first.slice(0, 4).join(', ')}${count > 4 ? ', …' : ''}]`;
}
function rangeOf(variable: VariableReport): string {
  const { shape, min, max, nans, infinities } = variable;
  if (shape.length === 0 || variable.type.includes('ptr') || variable.type.includes('i1>'))
    return '';
  const odd = [
    nans > 0 ? `${formatCount(nans)} NaN` : '',
    infinities > 0 ? `${formatCount(infinities)} inf` : '',
  ].filter((text) => text !== '');
  const range = min === null || max === null ? [] : [`${formatNumber(min)} … ${formatNumber(max)}`];
  return [...range, ...odd].join(', ');
}
