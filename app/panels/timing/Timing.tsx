/** Times of launches and benchmarks, each with its spread, its clock and the clock's step. */
import { lazy, Suspense } from 'react';
import { useCompilation } from '../../state/compilation';
import { isSoftware } from '../../runtime/limits';
import { groupTiming, type LaunchGroup } from '../../state/record';
import { useRunRecord } from '../../state/runRecord';
import { chooseSpecialization } from '../../state/view';
import { Empty, RunAction } from '../common/Empty';
import {
  formatCount,
  formatMicroseconds,
  formatMilliseconds,
  formatShape,
  formatSpread,
  formatTiming,
} from '../common/format';
import { Site } from '../common/Site';

const Benchmark = lazy(() => import('./Benchmark'));

export function Timing(): React.ReactNode {
  const record = useRunRecord();
  if (!record || (record.groups.length === 0 && record.benchmarks.length === 0))
    return (
      <Empty title="Nothing was timed yet" action={record ? null : <RunAction />}>
        Every kernel launch is listed here with its time on the GPU, and each benchmark of{' '}
        <code>triton.testing.perf_report</code> with a chart.
      </Empty>
    );
  const single = record.groups.filter((group) => !group.first.benchmark);
  const repeated = record.groups.filter((group) => group.first.benchmark);
  return (
    <div>
      {record.benchmarks.map((benchmark) => (
        <Suspense
          key={benchmark.name}
          fallback={<div className="section muted">Loading the chart…</div>}
        >
          <Benchmark benchmark={benchmark} />
        </Suspense>
      ))}
      {single.length > 0 ? <Launches title="Launches" groups={single} /> : null}
      {repeated.length > 0 ? (
        <Launches title="Launches inside benchmarks" groups={repeated} />
      ) : null}
      <Clock groups={record.groups} />
    </div>
  );
}

function Launches(props: {
  readonly title: string;
  readonly groups: readonly LaunchGroup[];
}): React.ReactNode {
  const inView = useCompilation((state) => state.inView);
  return (
    <section className="section" aria-label={props.title}>
      <h3>{props.title}</h3>
      <div className="scroll-x">
        <table className="data">
          <thead>
            <tr>
              <th scope="col">Kernel</th>
              <th scope="col">Grid</th>
              <th scope="col" className="number">
                Count
              </th>
              <th scope="col" className="number">
                Median
              </th>
              <th scope="col" className="number">
                Spread
              </th>
              <th scope="col">Clock</th>
              <th scope="col">Line</th>
            </tr>
          </thead>
          <tbody>
            {props.groups.map((group, index) => {
              const { first } = group;
              return (
                <tr
                  key={index}
                  className="launch-row"
                  aria-selected={inView?.key === first.key && inView.kernel === first.kernel}
                  title={first.arguments.join('\n')}
                  onClick={() => chooseSpecialization({ kernel: first.kernel, key: first.key })}
                >
                  <td>
                    <button type="button" className="link mono">
                      {first.kernel}
                    </button>
                  </td>
                  <td className="mono">{formatShape(first.grid)}</td>
                  <td className="number">{formatCount(group.count)}</td>
                  <TimeCells group={group} />
                  <td>
                    <Site site={first.site} />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function TimeCells({ group }: { readonly group: LaunchGroup }): React.ReactNode {
  const timing = groupTiming(group);
  if (!timing)
    return (
      <>
        <td className="number muted">–</td>
        <td className="number muted">–</td>
        <td className="muted">{group.first.device === 'interpreter' ? 'none' : 'not timed'}</td>
      </>
    );
  const { text, below } = formatTiming(timing);
  return (
    <>
      <td className={below ? 'number below' : 'number'}>{text}</td>
      <td className="number muted">{below ? '' : formatSpread(timing)}</td>
      <td className="muted">
        {group.first.device === 'interpreter' ? 'CPU (interpreter)' : timing.clock.toUpperCase()}
      </td>
    </>
  );
}

/** What the numbers can and cannot say. */
function Clock({ groups }: { readonly groups: readonly LaunchGroup[] }): React.ReactNode {
  const record = useRunRecord();
  const timing = groups.map((group) => groupTiming(group)).find((one) => one !== null);
  return (
    <section className="section muted">
      {timing ? (
        <p>
          {timing.clock === 'gpu'
            ? `Times come from the GPU’s own clock, which here moves in steps of ${formatMicroseconds(timing.quantum)}. A shorter launch is said to be below resolution, never 0.`
            : 'Times come from the CPU’s clock: they include the overhead of launching.'}
        </p>
      ) : null}
      {timing?.clock === 'gpu' && isSoftware(record?.adapter ?? null) ? (
        <p>
          {record?.adapter?.name ?? 'This adapter'} is a software adapter: it computes on the CPU,
          so its times say little about a GPU’s.
        </p>
      ) : null}
      {record?.milliseconds ? (
        <p>The whole program took {formatMilliseconds(record.milliseconds)}.</p>
      ) : null}
    </section>
  );
}
