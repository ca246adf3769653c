/**
 * Which launch, and which of its programs: for the panels that run one again on the interpreter.
 */
import './memory.css';
import { useId } from 'react';
import type { LaunchInputs } from '../../../compiler/inspect/launch';
import { clampProgram, launchInView, useInputs } from '../../state/inputs';
import { useCompilation } from '../../state/compilation';
import { useRun } from '../../state/run';
import { run, useRunsInView, useSession } from '../../state/session';
import { chooseSpecialization } from '../../state/view';
import { Empty, RunAction } from '../common/Empty';
import { formatCount, formatShape } from '../common/format';
import { Site } from '../common/Site';
import { launchNames } from './launchNames';

export interface Chosen {
  readonly launch: LaunchInputs;
  readonly program: readonly [number, number, number];
}

/** The launch and program in view; null where no launch is known. */
export function useChosen(): Chosen | null {
  const launches = useRun((state) => state.launches);
  const chosen = useInputs((state) => state.launch);
  const program = useInputs((state) => state.program);
  const proved = useInputs((state) => state.proved);
  const inView = useCompilation((state) => state.inView);
  const launch = proved ?? launchInView({ launches, launch: chosen }, inView);
  return launch && { launch, program: clampProgram(program, launch.grid) };
}

function choose(launch: LaunchInputs): void {
  useInputs.setState({ launch: launch.launch, proved: null });
  chooseSpecialization({ kernel: launch.kernel, key: launch.key });
}

/** The option of a launch that no run of the page made. */
const PROVED = 'proved';

export function LaunchBar({ launch, program }: Chosen): React.ReactNode {
  const launches = useRun((state) => state.launches);
  const record = useRun((state) => state.record);
  const proved = useInputs((state) => state.proved);
  const id = useId();
  const recorded = new Map(
    (record?.groups ?? []).map(({ first, count }) => [
      first.id,
      { line: first.site.line, arguments: first.arguments, count, site: first.site },
    ]),
  );
  const site = proved ? undefined : recorded.get(launch.launch)?.site;
  const names = launchNames(launches, recorded);
  return (
    <div className="launch-bar">
      <label>
        <span>Launch</span>
        <select
          className="field"
          value={proved ? PROVED : launch.launch}
          onChange={(event) => {
            const wanted = launches.find((one) => one.launch === Number(event.target.value));
            if (wanted) choose(wanted);
          }}
        >
          {proved ? (
            <option value={PROVED}>
              {proved.kernel}
              {formatShape(proved.grid)} of the proof
            </option>
          ) : null}
          {launches.map((one, i) => (
            <option key={one.launch} value={one.launch}>
              {names[i]}
            </option>
          ))}
        </select>
      </label>
      {site ? <Site site={site} /> : null}
      {([0, 1, 2] as const)
        .filter((axis) => axis === 0 || launch.grid[axis] > 1)
        .map((axis) => (
          <ProgramSlider key={axis} id={`${id}-${axis}`} {...{ launch, program, axis }} />
        ))}
    </div>
  );
}

function ProgramSlider(
  props: Chosen & { readonly id: string; readonly axis: 0 | 1 | 2 },
): React.ReactNode {
  const { launch, program, axis, id } = props;
  const last = launch.grid[axis] - 1;
  const name = `program_id(${axis})`;
  const set = (value: number): void => {
    const next: [number, number, number] = [...program];
    next[axis] = Number.isFinite(value) ? Math.round(value) : 0;
    useInputs.setState({ program: clampProgram(next, launch.grid) });
  };
  return (
    <span className="program-slider">
      <label htmlFor={id} className="mono">
        {name}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={last}
        value={program[axis]}
        disabled={last === 0}
        onChange={(event) => set(event.target.valueAsNumber)}
      />
      <input
        className="field number"
        type="number"
        aria-label={`${name}, as a number`}
        min={0}
        max={last}
        value={program[axis]}
        onChange={(event) => set(event.target.valueAsNumber)}
      />
      <span className="muted">of {formatCount(last + 1)}</span>
    </span>
  );
}

/** There is no launch to look at. */
export function NoLaunch({ what }: { readonly what: string }): React.ReactNode {
  const record = useRun((state) => state.record);
  const running = useRunsInView();
  if (running) return <Empty title="Running…">The launches appear here as they are made.</Empty>;
  return (
    <Empty
      title={record ? 'The run launched no kernel' : 'No launch to look at yet'}
      action={<RunAction />}
    >
      {what}
    </Empty>
  );
}

/** Runs again, with what the launches get read back from the GPU. */
export function RunKeeping({ why }: { readonly why: string }): React.ReactNode {
  const waiting = useSession((state) => state.phase !== 'ready');
  const readBack = useSession((state) => state.readBack);
  return (
    <Empty
      title="This launch’s inputs are not kept"
      action={
        readBack ? null : (
          <button
            type="button"
            className="button primary"
            disabled={waiting}
            onClick={() => {
              useSession.setState({ readBack: true });
              run();
            }}
          >
            Run again and keep them
          </button>
        )
      }
    >
      {why}
      {readBack ? ' At most 64 MiB of tensors are kept for a launch: try smaller shapes.' : ''}
    </Empty>
  );
}
