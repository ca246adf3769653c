/**
 * A run as a Chrome trace, which Perfetto and chrome://tracing open: the JSON Object Format of the
 * Trace Event Format, with a complete event for each span.
 *
 * Guarantee: every timestamp is one of the run's own (`app/runtime/trace.ts`); what was not
 * recorded is no event. `otherData` states the clocks, and how many spans were left out.
 */
import type { LaunchEvent, RunRecord } from '../state/record';
import { TRACKS, withPython, type Track } from '../panels/timing/traceView';
import type { TraceSpan } from '../events';

export interface TraceEvent {
  readonly ph: 'X' | 'M';
  readonly name: string;
  readonly pid: number;
  readonly tid?: number;
  readonly cat?: string;
  /** Microseconds since the run began. */
  readonly ts?: number;
  /** Microseconds. */
  readonly dur?: number;
  readonly args?: Readonly<Record<string, string | number>>;
}

export interface ChromeTrace {
  readonly displayTimeUnit: 'ms';
  readonly otherData: Readonly<Record<string, string | number>>;
  readonly traceEvents: readonly TraceEvent[];
}

const CLOCKS = {
  gpu:
    "Spans of the process GPU have the GPU's clock. They lie where the CPU's clock saw their results " +
    "arrive: their lengths are exact, their places are not. All others have the CPU's clock.",
  cpu: "The run has no times of a GPU's clock: every span, those of launches too, has the CPU's.",
} as const;

/** @param launches the run's launches, for the arguments of their spans. */
export function chromeTrace(record: RunRecord, launches: readonly LaunchEvent[] = []): ChromeTrace {
  const { adapter, trace, traceDropped, milliseconds } = record;
  const spans = withPython(trace, milliseconds ?? 0);
  const byId = new Map(launches.map((launch) => [launch.id, launch]));
  const onGpu = trace.some(({ track }) => track === 'gpu');
  const events = spans.map(({ track, name, start, duration, launch }): TraceEvent => {
    const of = launch === undefined ? undefined : byId.get(launch);
    return {
      ph: 'X',
      name,
      cat: track,
      pid: processOf(track),
      tid: threadOf(track),
      ts: microseconds(start),
      dur: microseconds(duration),
      ...(launch === undefined ? {} : { args: { launch, ...(of ? argumentsOf(of) : {}) } }),
    };
  });
  const used = new Set(spans.map(({ track }) => track));
  const threads = TRACKS.filter(([track]) => used.has(track)).map(([track, name]): TraceEvent => ({
    ph: 'M',
    name: 'thread_name',
    pid: processOf(track),
    tid: threadOf(track),
    args: { name },
  }));
  const processes = [...new Set([...used].map(processOf))].sort().map((pid): TraceEvent => ({
    ph: 'M',
    name: 'process_name',
    pid,
    args: { name: pid === PROGRAM ? 'Program' : 'GPU' },
  }));
  return {
    displayTimeUnit: 'ms',
    otherData: {
      producer: 'Hippocamp',
      adapter: adapter?.name ?? 'none',
      clocks: CLOCKS[onGpu ? 'gpu' : 'cpu'],
      'spans left out': traceDropped,
    },
    traceEvents: [...processes, ...threads, ...events],
  };
}

const PROGRAM = 1;
const GPU = 2;
const processOf = (track: Track): number => (track === 'gpu' ? GPU : PROGRAM);
const threadOf = (track: Track): number => TRACKS.findIndex(([name]) => name === track) + 1;
/** Milliseconds as microseconds, to a nanosecond. */
const microseconds = (time: TraceSpan['start']): number => Math.round(time * 1e6) / 1e3;

function argumentsOf(launch: LaunchEvent): Record<string, string> {
  const { grid, site, arguments: values } = launch;
  return {
    grid: grid.join(' × '),
    line: `${site.file}:${site.line}`,
    arguments: values.join(', '),
  };
}
