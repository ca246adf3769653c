/**
 * Accesses of one program of a launch: every load and store, element by element, on the tensors
 * they touch; what is masked off, out of range, or written by two programs. From running that
 * program on the interpreter, on what the launch got.
 */
import { lazy, Suspense, useState } from 'react';
import type { LaunchInputs } from '../../../compiler/inspect/launch';
import type { AccessReport, MemoryReport, TensorReport } from '../../../compiler/inspect/memoryMap';
import { useLocation, select } from '../../state/location';
import { Empty } from '../common/Empty';
import { formatBytes, formatCount, formatShape, plural } from '../common/format';
import { MOST_RACING, RaceSummary } from '../common/RaceSummary';
import { Site } from '../common/Site';
import { number, TableHead } from '../common/TableHead';
import { LaunchBar, NoLaunch, RunKeeping, useChosen, type Chosen } from './LaunchBar';
import { lookForRaces, useMemory, useReport } from './state';
import { TouchMap } from './TouchMap';

const Order = lazy(() => import('./Order'));

export function Memory(): React.ReactNode {
  const chosen = useChosen();
  useReport(chosen);
  if (!chosen)
    return (
      <NoLaunch what="After a run, choose a launch and a program here, and see which elements each of its loads and stores touches." />
    );
  return (
    <div className="memory">
      <LaunchBar {...chosen} />
      <Content {...chosen} />
    </div>
  );
}

function Content(chosen: Chosen): React.ReactNode {
  const report = useMemory((state) => state.report);
  const refused = useMemory((state) => state.refused);
  const of = useMemory((state) => state.of);
  const wanted = useMemory((state) => state.tensor);
  if (of?.launch !== chosen.launch)
    return <Empty title="Running the program…">On the interpreter.</Empty>;
  if (refused !== null)
    return refused.includes('not kept') ? (
      <RunKeeping why={refused} />
    ) : (
      <Empty title="This launch cannot be run again here">{refused}</Empty>
    );
  if (!report) return null;
  const touched = report.tensors.find(({ reads, writes, outside }) => reads + writes + outside > 0);
  const tensor =
    report.tensors.find(({ parameter }) => parameter === wanted) ?? touched ?? report.tensors[0];
  return (
    <div className="memory-body">
      <Notes report={report} />
      <Accesses report={report} />
      <Races {...chosen} />
      <Tensors tensors={report.tensors} shown={tensor?.parameter ?? null} />
      {tensor ? <TouchMap key={tensor.parameter} report={report} tensor={tensor} /> : null}
      <ProgramOrder launch={chosen.launch} />
    </div>
  );
}

function ProgramOrder({ launch }: { readonly launch: LaunchInputs }): React.ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <section className="program-order">
      <button
        type="button"
        className="link"
        aria-expanded={open}
        title="Which programs run after each other, and what a cache reuses of their memory"
        onClick={() => setOpen(!open)}
      >
        Order of programs and cache
      </button>
      {open ? (
        <Suspense fallback={null}>
          <Order launch={launch} />
        </Suspense>
      ) : null}
    </section>
  );
}

function Notes({
  report,
}: {
  readonly report: MemoryReport & { readonly contents: boolean };
}): React.ReactNode {
  const outside = report.accesses.reduce((sum, access) => sum + access.outside, 0);
  return (
    <>
      {outside > 0 ? (
        <p className="notice fail" role="status">
          <span className="sign fail">✗</span>
          <span>
            {plural(outside, 'access', 'accesses')} out of range in this program. They are left out
            here; on CUDA they would touch other memory.
          </span>
        </p>
      ) : null}
      {report.end.kind === 'failed' ? (
        <p className="notice fail">
          <span className="sign fail">!</span>
          <span>
            The program stopped: {report.end.message}. What it touched until then is shown.
          </span>
        </p>
      ) : null}
      {report.end.kind === 'budget' ? (
        <p className="notice">
          The program does more than is run here; what it touches first is shown.
        </p>
      ) : null}
      {report.contents ? null : (
        <p className="quiet-note">
          What the tensors held was not kept; here it plays no part in what is touched.
        </p>
      )}
    </>
  );
}

const VERBS: Record<AccessReport['kind'], string> = {
  load: 'load',
  store: 'store',
  atomic: 'atomic',
};

function Accesses({ report }: { readonly report: MemoryReport }): React.ReactNode {
  const shown = useMemory((state) => state.access);
  const selected = useLocation((state) => state.selected);
  const nameOf = (parameter: number | null): string =>
    report.tensors.find((tensor) => tensor.parameter === parameter)?.name ?? 'an address';
  return (
    <div className="scroll-x">
      <table className="data access-table">
        <caption className="hidden-visually">Loads and stores of this program</caption>
        <TableHead
          columns={[
            'access',
            'of',
            number('elements'),
            number('bytes'),
            number('masked off'),
            number('out of range'),
            number('times'),
            'line',
          ]}
        />
        <tbody>
          {report.accesses.map((access) => {
            const { index, location } = access;
            const on = shown === index;
            const lit = selected?.file === location.file && selected.line === location.line;
            return (
              <tr key={index} data-lit={lit} className="launch-row" aria-selected={on}>
                <td>
                  <button
                    type="button"
                    className="link mono"
                    aria-pressed={on}
                    onClick={() => {
                      useMemory.setState({
                        access: on ? null : index,
                        execution: null,
                        ...(access.parameter === null ? {} : { tensor: access.parameter }),
                      });
                      select({ file: location.file, line: location.line, from: 'memory' });
                    }}
                  >
                    <span className={`touch-key ${access.kind}`} aria-hidden="true" />
                    {VERBS[access.kind]} {formatShape(access.shape)}
                  </button>
                </td>
                <td className="mono">{nameOf(access.parameter)}</td>
                <td className="number">{formatCount(access.active)}</td>
                <td className="number">{formatBytes(access.active * access.elementBytes)}</td>
                <td className="number">{access.masked > 0 ? formatCount(access.masked) : ''}</td>
                <td className="number">
                  {access.outside > 0 ? (
                    <span className="sign fail">✗ {formatCount(access.outside)}</span>
                  ) : null}
                </td>
                <td className="number">{formatCount(access.executions)}</td>
                <td>
                  <Site site={location} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {report.accesses.length === 0 ? (
        <p className="muted">This program touches no memory.</p>
      ) : null}
      <Execution report={report} />
    </div>
  );
}

/** Iteration of an access in a loop. */
function Execution({ report }: { readonly report: MemoryReport }): React.ReactNode {
  const shown = useMemory((state) => state.access);
  const execution = useMemory((state) => state.execution);
  const access = report.accesses.find(({ index }) => index === shown);
  if (!access || access.executions < 2) return null;
  return (
    <p className="program-slider">
      <label>
        <input
          type="checkbox"
          checked={execution !== null}
          onChange={(event) => useMemory.setState({ execution: event.target.checked ? 0 : null })}
        />{' '}
        Only one of its {formatCount(access.executions)} times
      </label>
      {execution === null ? null : (
        <>
          <input
            type="range"
            aria-label="Which time"
            min={0}
            max={access.executions - 1}
            value={execution}
            onChange={(event) => useMemory.setState({ execution: event.target.valueAsNumber })}
          />
          <span className="mono">{execution + 1}</span>
        </>
      )}
    </p>
  );
}

function Tensors(props: {
  readonly tensors: readonly TensorReport[];
  readonly shown: number | null;
}): React.ReactNode {
  return (
    <div className="tensor-choice" role="group" aria-label="Tensor to draw">
      {props.tensors.map((tensor) => {
        const { parameter, name, shape, elements, distinctReads, distinctWrites } = tensor;
        const distinct = Math.max(distinctReads, distinctWrites);
        const reuse = distinctReads > 0 ? tensor.reads / distinctReads : 1;
        return (
          <button
            key={parameter}
            type="button"
            className="tensor-card"
            aria-pressed={parameter === props.shown}
            onClick={() => useMemory.setState({ tensor: parameter })}
          >
            <span className="mono">
              <b>{name}</b> {formatShape(shape ?? [elements])}
            </span>
            <span className="muted">
              {distinct === 0 && tensor.outside === 0 ? 'not touched' : null}
              {distinctReads > 0 ? `reads ${formatCount(distinctReads)}` : null}
              {distinctReads > 0 && distinctWrites > 0 ? ', ' : null}
              {distinctWrites > 0 ? `writes ${formatCount(distinctWrites)}` : null}
              {distinct > 0 ? ` · ${formatBytes(distinct * tensor.elementBytes)}` : null}
              {reuse > 1.005 ? ` · each read ${reuse.toPrecision(3)}×` : null}
              {tensor.outside > 0 ? (
                <span className="sign fail"> ✗ {formatCount(tensor.outside)} out of range</span>
              ) : null}
            </span>
          </button>
        );
      })}
    </div>
  );
}

function Races({ launch }: Chosen): React.ReactNode {
  const races = useMemory((state) => (state.racesOf === launch ? state.races : null));
  const looking = useMemory((state) => state.looking);
  const [x, y, z] = launch.grid;
  const all = x * y * z;
  const label =
    all > MOST_RACING
      ? `Look for races in the first ${formatCount(MOST_RACING)} programs`
      : all > 1
        ? 'Look for races between programs'
        : 'Look for races in the program';
  return (
    <div className="races">
      <button
        type="button"
        className="button small"
        disabled={looking}
        onClick={() => void lookForRaces(launch)}
      >
        {looking ? 'Running the programs…' : label}
      </button>
      {races ? <RaceSummary report={races} launch={launch} /> : null}
    </div>
  );
}
