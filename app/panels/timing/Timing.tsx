/** Times of launches and benchmarks, each with its spread, its clock and the clock's step. */
import { lazy, Suspense } from 'react';
import { computesOnCpu } from '../../runtime/limits';
import { groupTiming, type LaunchGroup, type RunRecord } from '../../state/record';
import { useRun } from '../../state/run';
import { useRunRecord } from '../../state/runRecord';
import { run } from '../../state/session';
import { changeSettings, useEffectiveSettings } from '../../state/settings';
import { Empty, RunAction } from '../common/Empty';
import { formatMicroseconds, formatMilliseconds } from '../common/format';
import { Autotune } from './Autotune';
import { Launches, pointOf } from './Launches';
import { pin, unpin, usePinned } from './pinned';
import { Roofline } from './Roofline';
import '../common/picture.css';
import './timing.css';

const Benchmark = lazy(() => import('./Benchmark'));
const Verdicts = lazy(() => import('./Verdicts'));
const TraceChart = lazy(() => import('./TraceChart'));

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
  const points = record.groups.flatMap((group) => pointOf(record, group));
  return (
    <div>
      <PinBar record={record} />
      {record.benchmarks.map((benchmark) => (
        <Suspense
          key={benchmark.name}
          fallback={<div className="section muted">Loading the chart…</div>}
        >
          <Benchmark benchmark={benchmark} />
        </Suspense>
      ))}
      {single.length > 0 ? <Launches title="Launches" groups={single} record={record} /> : null}
      {record.adapter?.kind === 'webgpu' && record.outcome !== null && single.length > 0 ? (
        <Suspense fallback={<div className="section muted">Loading the verdicts…</div>}>
          <Verdicts record={record} />
        </Suspense>
      ) : null}
      {record.tunings.map((tuning) => (
        <Autotune key={tuning.id} tuning={tuning} />
      ))}
      {repeated.length > 0 ? (
        <Launches title="Launches inside benchmarks" groups={repeated} record={record} />
      ) : null}
      {record.calibration && points.length > 0 ? (
        <Roofline calibration={record.calibration} points={points} />
      ) : null}
      {record.trace.length > 0 && record.outcome !== null ? (
        <Suspense fallback={<div className="section muted">Loading the trace…</div>}>
          <TraceChart record={record} />
        </Suspense>
      ) : null}
      <Clock groups={record.groups} />
    </div>
  );
}

/** Keeps this run's times, to stand beside those of later runs. */
function PinBar({ record }: { readonly record: RunRecord }): React.ReactNode {
  const pinned = usePinned();
  const running = record.outcome === null;
  const before = useRun((state) => state.earlier);
  // A run after a changed block size is compared with the time from before, whether it was pinned
  // or not.
  const offered = !pinned && before && before.record.groups.length > 0 ? before : null;
  return (
    <div className="panel-bar pin-bar">
      {record.adapter?.kind === 'webgpu' ? <TuneButton running={running} /> : null}
      <button
        type="button"
        className="button small"
        disabled={running || record.groups.length === 0}
        onClick={() => pin(record)}
      >
        {pinned ? 'Pin this run instead' : 'Pin as baseline'}
      </button>
      {pinned ? (
        <>
          <span className="muted">
            Beside the run of {new Date(pinned.time).toLocaleTimeString('en-GB')}
            {pinned.adapter === (record.adapter?.name ?? '') ? '' : ` on ${pinned.adapter}`}
          </span>
          <button type="button" className="link" onClick={unpin}>
            Unpin
          </button>
        </>
      ) : (
        <span className="muted">to compare the next ones with it</span>
      )}
      {offered ? (
        <button
          type="button"
          className="button small"
          onClick={() => pin(offered.record, offered.time)}
        >
          Compare with previous run
        </button>
      ) : null}
    </div>
  );
}

/** Searches schedules from now on, or no longer: a setting, which Settings have, too. */
function TuneButton({ running }: { readonly running: boolean }): React.ReactNode {
  const { tune: tunes } = useEffectiveSettings();
  return (
    <button
      type="button"
      className="button small"
      disabled={running}
      title={
        tunes
          ? 'Run again with the schedules that the compiler chooses'
          : 'Search thread counts, staging and unrolling for this GPU, and run with what is faster'
      }
      onClick={() => {
        changeSettings({ tune: !tunes });
        run();
      }}
    >
      {tunes ? 'Use default schedules' : 'Tune schedules'}
    </button>
  );
}

/** Caveats of the numbers. */
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
      {record?.groups.some(({ first }) => first.cost !== undefined) ? (
        <p>
          Bytes and operations are counted from the kernel’s code and arguments: the minimum
          traffic. An asterisk marks estimates.
        </p>
      ) : null}
      {timing?.clock === 'gpu' && computesOnCpu(record?.adapter ?? null) ? (
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
