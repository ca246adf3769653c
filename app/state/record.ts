/**
 * Folds the event stream of one run into what the panels show. It is the only reader of program
 * events on the page. A benchmark sends tens of thousands of launches, so the record is changed in
 * place and repeated launches are counted in one row; the store publishes it some times a second.
 */
import type {
  AdapterInfo,
  Calibration,
  CallSite,
  DevicePrint,
  ProgramEvent,
  TensorPlace,
  TensorSummary,
  Timing,
  TraceSpan,
} from '../events';
import type { Diagnostic } from '../../compiler/diagnostics';
import type { CompileRequest } from '../../compiler/program';
import { isError } from '../passed';
import { isTraceback } from '../traceback';
import { foldPrint } from './printed';

type Event<T extends ProgramEvent['type']> = Extract<ProgramEvent, { type: T }>;
export type LaunchEvent = Event<'launch'>;
export type ComparisonEvent = Event<'comparison'>;
export type BenchmarkEvent = Event<'benchmark'>;
export type CheckEvent = Event<'check'>;
export type AutotuneEvent = Event<'autotune'>;
export type SweepEvent = Event<'sweep'>;
export type VerdictEvent = Event<'verdict'>;
export type VerificationEvent = Event<'verification'>;

/**
 * Launches of one kernel, specialization, grid, line and shapes of tensors: a row of the timing
 * table.
 */
export interface LaunchGroup {
  readonly first: LaunchEvent;
  count: number;
  timings: Timing[];
}

export interface SpecializationRecord {
  readonly key: string;
  readonly request: CompileRequest;
}

/** One thing of the output, in the order of the program. */
export type OutputItem =
  | {
      readonly kind: 'print';
      readonly stream: 'stdout' | 'stderr';
      text: string;
      /** Characters in front of the text that are left out. */
      omitted: number;
    }
  /** So many launches of a group in a row, from `first` on. */
  | {
      readonly kind: 'launch';
      readonly group: LaunchGroup;
      readonly first: LaunchEvent;
      count: number;
    }
  /** Prints of a launch. */
  | {
      readonly kind: 'device-print';
      readonly kernel: string;
      readonly prints: readonly DevicePrint[];
      readonly dropped: number;
    }
  | { readonly kind: 'figure'; readonly name: string; readonly image: string }
  | { readonly kind: 'tensor'; readonly site: CallSite | null; readonly tensor: TensorSummary }
  /** So many tensors more than are shown. */
  | { readonly kind: 'more-tensors'; readonly count: number }
  | { readonly kind: 'comparison'; readonly comparison: ComparisonEvent }
  | { readonly kind: 'sweep'; readonly sweep: SweepEvent }
  | { readonly kind: 'benchmark'; readonly name: string }
  | { readonly kind: 'diagnostic'; readonly diagnostic: Diagnostic };

type LaunchItem = Extract<OutputItem, { kind: 'launch' }>;

export interface RunRecord {
  readonly run: number;
  /** The document's revision and text that ran. */
  readonly revision: number;
  readonly text: string;
  /** The text ran inside another program: under a lesson's checks. */
  readonly checking: boolean;
  /** The text was never in view: a result's that was checked again. */
  readonly foreign: boolean;
  adapter: AdapterInfo | null;
  output: OutputItem[];
  /** Items left out at the top, so that an endless printer does not fill the page's memory. */
  dropped: number;
  /** Characters that were printed, less those of items left out. */
  characters: number;
  groups: LaunchGroup[];
  comparisons: ComparisonEvent[];
  benchmarks: BenchmarkEvent[];
  specializations: SpecializationRecord[];
  checks: CheckEvent[];
  /** Launches that were verified. */
  verifications: VerificationEvent[];
  /** Tunings, by id. */
  tunings: AutotuneEvent[];
  calibration: Calibration | null;
  /** For a lesson's hidden checks. */
  verdicts: VerdictEvent[];
  /** Those that were reported, and those of compilations. */
  diagnostics: Diagnostic[];
  /** Errors of the run (`../passed.ts`): not those of compilations. */
  errors: number;
  progress: { readonly text: string; readonly fraction: number | null } | null;
  outcome: 'ok' | 'error' | 'stopped' | null;
  milliseconds: number | null;
  launches: number;
  /** Microseconds measured on the GPU over all launches outside benchmarks. */
  gpuTime: number;
  /** Spans of the run's time. */
  trace: TraceSpan[];
  traceDropped: number;
  /** Messages that were no events (`receive.ts`). */
  unread: number;
  /** Parts of torch, triton and numpy that the program replaced: its results are what it says. */
  replaced: readonly string[];
  /** By id of a comparison: the launches that its tensors were given to before it, newest first. */
  readonly producers: Map<number, Producers>;
  /** By storage: the last launches that it was given to, newest first. */
  readonly byStorage: Map<number, LaunchEvent[]>;
  /** By launch id, for times that come later. */
  readonly byLaunch: Map<number, LaunchGroup>;
  readonly byShape: Map<string, LaunchGroup>;
}

export interface Producers {
  readonly actual: readonly LaunchEvent[];
  readonly expected: readonly LaunchEvent[];
}

export const MAX_OUTPUT_ITEMS = 20_000;
/** So many are dropped at once: taking away the first of a list is dear. */
const DROPPED_AT_ONCE = 2000;
const MAX_TIMINGS = 500;
/** Launches remembered for each storage. */
const MAX_PRODUCERS = 8;

export function emptyRecord(run: number, revision: number, text: string): RunRecord {
  return {
    run,
    revision,
    text,
    checking: false,
    foreign: false,
    adapter: null,
    output: [],
    dropped: 0,
    characters: 0,
    groups: [],
    comparisons: [],
    benchmarks: [],
    specializations: [],
    checks: [],
    verifications: [],
    tunings: [],
    calibration: null,
    verdicts: [],
    diagnostics: [],
    errors: 0,
    progress: null,
    outcome: null,
    milliseconds: null,
    launches: 0,
    gpuTime: 0,
    trace: [],
    traceDropped: 0,
    unread: 0,
    replaced: [],
    producers: new Map(),
    byStorage: new Map(),
    byLaunch: new Map(),
    byShape: new Map(),
  };
}

function push(record: RunRecord, item: OutputItem): void {
  record.output.push(item);
  if (record.output.length > MAX_OUTPUT_ITEMS) {
    record.output.splice(0, DROPPED_AT_ONCE);
    record.dropped += DROPPED_AT_ONCE;
  }
}

/** Python wrote an exception to stderr, too; its diagnostic's card shows it. */
function takeTraceback(record: RunRecord, { notes }: Diagnostic): void {
  const last = record.output.at(-1);
  if (last?.kind !== 'print' || last.stream !== 'stderr') return;
  const note = notes.find(({ message }) => isTraceback(message) && last.text.endsWith(message));
  if (!note) return;
  last.text = last.text.slice(0, -note.message.length);
  if (last.text === '') record.output.pop();
}

/** A tuning launches thousands of times: of launches of one line, the last is remembered. */
function remember(record: RunRecord, event: LaunchEvent): void {
  for (const value of event.values) {
    if (!value || !('storage' in value)) continue;
    const known = record.byStorage.get(value.storage) ?? [];
    const others = known.filter(
      ({ key, site }) => key !== event.key || site.line !== event.site.line,
    );
    record.byStorage.set(value.storage, [event, ...others].slice(0, MAX_PRODUCERS));
  }
}
function producersOf(record: RunRecord, place: TensorPlace | null): readonly LaunchEvent[] {
  return (place && record.byStorage.get(place.storage)) ?? [];
}

function foldLaunch(record: RunRecord, event: LaunchEvent): void {
  record.launches++;
  remember(record, event);
  const { site, benchmark, key, grid, kernel, device } = event;
  // Numbers may be others at each launch of a loop; tensors of other shapes are other work.
  const tensors = event.arguments.filter((text) => text.includes(': *'));
  const shape = JSON.stringify([
    kernel,
    key,
    grid,
    site.file,
    site.line,
    benchmark,
    device,
    tensors,
  ]);
  let group = record.byShape.get(shape);
  if (!group) {
    group = { first: event, count: 0, timings: [] };
    record.byShape.set(shape, group);
    record.groups.push(group);
  }
  group.count++;
  record.byLaunch.set(event.id, group);
  if (event.benchmark) return;
  const row = rowFor(group, record.output);
  if (row) row.count++;
  else push(record, { kind: 'launch', group, first: event, count: 1 });
}

/** Rows of launches in a row: more are counted in the rows of their groups, out of order. */
const MOST_LAUNCH_ROWS = 32;

/** The row that counts one more launch of a group; undefined where it needs a row of its own. */
function rowFor(group: LaunchGroup, output: readonly OutputItem[]): LaunchItem | undefined {
  for (let at = output.length - 1; at >= 0; at--) {
    const item = output[at]!;
    if (item.kind !== 'launch') return undefined;
    const isLast = at === output.length - 1;
    if (item.group === group && (isLast || isFullOfLaunches(output))) return item;
  }
  return undefined;
}
function isFullOfLaunches(output: readonly OutputItem[]): boolean {
  const last = output.slice(-MOST_LAUNCH_ROWS);
  return last.length === MOST_LAUNCH_ROWS && last.every(({ kind }) => kind === 'launch');
}

/** Prints of a launch stand below it, also when they come after other output. */
function foldDevicePrint(record: RunRecord, event: Event<'device-print'>): void {
  const { launch, kernel, prints, dropped } = event;
  push(record, { kind: 'device-print', kernel, prints, dropped });
  const group = record.byLaunch.get(launch);
  const { output } = record;
  let at = output.findLastIndex((item) => item.kind === 'launch' && item.group === group) + 1;
  if (!group || at === 0) return;
  while (output[at]?.kind === 'device-print') at++;
  if (at >= output.length) return;
  output.splice(at, 0, output.pop()!);
}

function foldSpecialization(record: RunRecord, { key, request }: SpecializationRecord): void {
  if (record.specializations.some((known) => known.key === key)) return;
  record.specializations.push({ key, request });
}

/** Adds one event. Changes `record` in place. */
export function fold(record: RunRecord, event: ProgramEvent): void {
  switch (event.type) {
    case 'started':
      record.adapter = event.adapter;
      return;
    case 'print':
      foldPrint(record, event, (item) => push(record, item));
      return;
    case 'device-print':
      foldDevicePrint(record, event);
      return;
    case 'figure':
      push(record, { kind: 'figure', name: event.name, image: event.image });
      return;
    case 'compile':
      foldSpecialization(record, event);
      record.diagnostics.push(...event.diagnostics);
      return;
    case 'specialization':
      foldSpecialization(record, event);
      return;
    case 'launch':
      foldLaunch(record, event);
      return;
    case 'launch-time': {
      const group = record.byLaunch.get(event.id);
      record.byLaunch.delete(event.id);
      if (!group) return;
      if (group.timings.length < MAX_TIMINGS) group.timings.push(event.timing);
      if (event.timing.clock === 'gpu' && !group.first.benchmark)
        record.gpuTime += event.timing.median;
      return;
    }
    case 'comparison':
      record.comparisons.push(event);
      record.producers.set(event.id, {
        actual: producersOf(record, event.actual),
        expected: producersOf(record, event.expected),
      });
      push(record, { kind: 'comparison', comparison: event });
      return;
    case 'tensor':
      push(record, { kind: 'tensor', site: event.site, tensor: event.tensor });
      return;
    case 'benchmark': {
      const known = record.benchmarks.findIndex((chart) => chart.name === event.name);
      if (known >= 0) record.benchmarks[known] = event;
      else {
        record.benchmarks.push(event);
        push(record, { kind: 'benchmark', name: event.name });
      }
      return;
    }
    case 'more-tensors':
      push(record, { kind: 'more-tensors', count: event.count });
      return;
    case 'trace':
      record.trace.push(...event.spans);
      record.traceDropped = event.dropped;
      return;
    case 'check':
      record.checks.push(event);
      return;
    case 'autotune': {
      const known = record.tunings.findIndex((tuning) => tuning.id === event.id);
      if (known >= 0) record.tunings[known] = event;
      else record.tunings.push(event);
      return;
    }
    case 'calibration':
      record.calibration = event.calibration;
      return;
    case 'sweep':
      push(record, { kind: 'sweep', sweep: event });
      return;
    case 'verdict':
      record.verdicts.push(event);
      return;
    case 'verification':
      record.verifications.push(event);
      return;
    case 'measured':
      return;
    case 'diagnostic':
      record.diagnostics.push(event.diagnostic);
      if (isError(event)) record.errors++;
      takeTraceback(record, event.diagnostic);
      // Hints without effect stand at their line and among the problems: they are no part of the
      // output.
      if (event.diagnostic.code !== 'HC0906')
        push(record, { kind: 'diagnostic', diagnostic: event.diagnostic });
      return;
    case 'progress':
      // An empty text ends it.
      record.progress = event.text === '' ? null : { text: event.text, fraction: event.fraction };
      return;
    case 'finished':
      record.outcome = event.outcome;
      record.milliseconds = event.milliseconds;
      record.progress = null;
      return;
    default: {
      const unknown: never = event;
      throw new Error(`unknown event ${JSON.stringify(unknown)}`);
    }
  }
}

/** The middle of a row's times with their spread; null before the first has come. */
export function groupTiming(group: LaunchGroup): Timing | null {
  const [first] = group.timings;
  if (!first) return null;
  if (group.timings.length === 1) return first;
  const medians = group.timings.map((timing) => timing.median).sort((a, b) => a - b);
  return {
    clock: first.clock,
    quantum: first.quantum,
    median: medians[medians.length >> 1]!,
    low: Math.min(...group.timings.map((timing) => timing.low)),
    high: Math.max(...group.timings.map((timing) => timing.high)),
    samples: group.timings.reduce((sum, timing) => sum + timing.samples, 0),
  };
}
