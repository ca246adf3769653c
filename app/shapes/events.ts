/**
 * Messages of the program worker, or a server, as the page accepts them. The program that runs
 * there can send what it likes: what does not have an event's shape is no event, and no view ever
 * gets it.
 */
import type {
  Achieved,
  AdapterInfo,
  Calibration,
  CallSite,
  DerivedVerdict,
  DevicePrint,
  LaunchCost,
  Operations,
  Preview,
  ProgramEvent,
  RingComparison,
  SweepFailure,
  TensorPlace,
  TensorSummary,
  Timing,
  TraceSpan,
  TunedConfiguration,
} from '../events';
import type { Fill } from '../../compiler/inspect/fill';
import type { LaunchArgument, LaunchInputs, LaunchStorage } from '../../compiler/inspect/launch';
import type { LaunchValue } from '../workers/bridge';
import { compileRequest, diagnostic, difference, location, passCheck } from './compiler';
import {
  boolean,
  bytes,
  dictionary,
  either,
  list,
  nothing,
  number,
  object,
  oneOf,
  optional,
  orNull,
  tagged,
  text,
  triple,
  where,
  whole,
  type Check,
} from './check';

const site: Check<CallSite> = object<CallSite>({ file: text, line: whole });
const numberOrText = either(number, text);
const size = where(number, (value) => value >= 0);

export const adapterInfo: Check<AdapterInfo> = object<AdapterInfo>({
  kind: oneOf('webgpu', 'interpreter', 'cuda'),
  name: text,
  vendor: text,
  architecture: text,
  reason: orNull(text),
  onCpu: optional(boolean),
  flushesDenormals: optional(boolean),
});

const timing: Check<Timing> = object<Timing>({
  clock: oneOf('gpu', 'cpu'),
  median: number,
  low: number,
  high: number,
  samples: number,
  quantum: number,
  together: optional(number),
});

const place: Check<TensorPlace> = object<TensorPlace>({
  storage: number,
  offset: number,
  strides: list(number),
  dtype: text,
  data: orNull(text),
});

const preview: Check<Preview> = where(
  object<Preview>({
    rows: whole,
    columns: whole,
    rowStep: number,
    columnStep: number,
    values: list(either(number, oneOf('nan', 'inf', '-inf'))),
  }),
  ({ rows, columns, values }) => values.length === rows * columns,
);

const tensor: Check<TensorSummary> = object<TensorSummary>({
  name: orNull(text),
  also: list(text),
  dtype: text,
  shape: list(size),
  device: text,
  place,
  count: size,
  nanCount: size,
  infCount: size,
  min: orNull(number),
  max: orNull(number),
  mean: orNull(number),
  preview,
});

const devicePrint: Check<DevicePrint> = where(
  object<DevicePrint>({
    program: triple(number),
    location,
    prefix: text,
    operand: whole,
    operands: whole,
    shape: list(size),
    values: list(orNull(text)),
  }),
  // A print without operands has no values.
  ({ shape, values }) => values.length === 0 || shape.reduce((a, b) => a * b, 1) === values.length,
);

const cost: Check<LaunchCost> = object<LaunchCost>({
  readBytes: number,
  writtenBytes: number,
  requestedBytes: number,
  operations: object<Operations>({ f64: number, f32: number, f16: number, integer: number }),
  uncertain: orNull(text),
  resources: optional(
    object<NonNullable<LaunchCost['resources']>>({
      threads: number,
      registers: number,
      workgroupBytes: number,
    }),
  ),
});

const span: Check<TraceSpan> = object<TraceSpan>({
  track: oneOf('compile', 'pipeline', 'upload', 'launch', 'wait', 'readback', 'torch', 'gpu'),
  name: text,
  start: number,
  duration: number,
  launch: optional(number),
});

const achieved: Check<Achieved> = object<Achieved>({
  bytesPerSecond: number,
  operationsPerSecond: number,
  roofline: orNull(number),
  bound: oneOf('memory', 'arithmetic'),
  limit: optional(
    orNull(oneOf('launch overhead', 'bandwidth', 'arithmetic', 'occupancy', 'latency')),
  ),
});

export const calibration: Check<Calibration> = object<Calibration>({
  adapter: text,
  bytesPerSecond: size,
  f32PerSecond: size,
  f16PerSecond: orNull(size),
  emptyLaunch: optional(size),
  halfRateThreads: optional(size),
  fromCache: boolean,
});

const configuration: Check<TunedConfiguration> = object<TunedConfiguration>({
  text,
  settings: dictionary(orNull(either(numberOrText, boolean))),
  state: oneOf('waiting', 'measured', 'dropped', 'failed', 'skipped', 'same'),
  reference: optional(number),
  timing: orNull(timing),
  error: orNull(text),
  sameAs: optional(whole),
  specialization: optional(text),
});

const value: Check<LaunchValue> = orNull(
  either(
    object<Extract<LaunchValue, { scalar: string }>>({ scalar: text }),
    object<Extract<LaunchValue, { storage: number }>>({
      storage: number,
      byteOffset: number,
      shape: optional(list(number)),
      strides: optional(list(number)),
    }),
  ),
);

type Event<T extends ProgramEvent['type']> = Extract<ProgramEvent, { type: T }>;
type Line = Event<'benchmark'>['lines'][number];
export const line: Check<Line> = object<Line>({
  name: text,
  color: orNull(text),
  dash: orNull(text),
  clock: oneOf('gpu', 'cpu', 'mixed'),
  points: list(
    object<Line['points'][number]>({
      x: numberOrText,
      y: number,
      low: orNull(number),
      high: orNull(number),
    }),
  ),
});

const comparison: Check<Event<'comparison'>> = object<Event<'comparison'>>({
  type: oneOf('comparison'),
  id: number,
  kind: oneOf('allclose', 'assert_close', 'equal'),
  passed: boolean,
  site,
  shape: list(size),
  dtype: text,
  rtol: number,
  atol: number,
  count: size,
  mismatches: size,
  maxAbsolute: orNull(either(number, oneOf('inf', 'nan'))),
  maxRelative: orNull(number),
  nanMismatches: size,
  toleranceUsed: orNull(number),
  roundingShare: orNull(number),
  first: orNull(
    object<NonNullable<Event<'comparison'>['first']>>({
      index: list(number),
      actual: numberOrText,
      expected: numberOrText,
    }),
  ),
  heatmap: orNull(preview),
  message: orNull(text),
  equalNan: boolean,
  ring: optional(
    object<RingComparison>({
      functions: list(text),
      constants: list(number),
      narrowest: orNull(number),
      digests: list(text),
    }),
  ),
  call: orNull(
    object<NonNullable<Event<'comparison'>['call']>>({
      function: text,
      actual: text,
      expected: text,
    }),
  ),
  caveat: optional(orNull(text)),
  derived: optional(
    orNull(
      object<DerivedVerdict>({
        verdict: oneOf('rounding', 'above', 'unknown'),
        reason: text,
        ulp: orNull(number),
        allowed: orNull(number),
        index: orNull(list(size)),
        times: orNull(number),
        narrow: boolean,
      }),
    ),
  ),
  actual: orNull(place),
  expected: orNull(place),
});

const launch: Check<Event<'launch'>> = object<Event<'launch'>>({
  type: oneOf('launch'),
  id: number,
  kernel: text,
  grid: triple(size),
  key: text,
  site,
  arguments: list(text),
  device: oneOf('webgpu', 'interpreter', 'cuda'),
  benchmark: boolean,
  values: list(value),
  cost: optional(cost),
});

/** Drawn by an `img`, in which an SVG runs nothing and fetches nothing. */
const FIGURE = /^data:image\/(?:png|svg\+xml);base64,[A-Za-z0-9+/=]*$/;

const event: Check<ProgramEvent> = tagged<ProgramEvent, 'type'>('type', {
  started: object<Event<'started'>>({ type: oneOf('started'), adapter: adapterInfo, time: number }),
  print: object<Event<'print'>>({
    type: oneOf('print'),
    stream: oneOf('stdout', 'stderr'),
    text,
  }),
  'device-print': object<Event<'device-print'>>({
    type: oneOf('device-print'),
    launch: number,
    kernel: text,
    prints: list(devicePrint),
    dropped: size,
  }),
  figure: object<Event<'figure'>>({
    type: oneOf('figure'),
    name: text,
    image: where(text, (address) => FIGURE.test(address)),
  }),
  specialization: object<Event<'specialization'>>({
    type: oneOf('specialization'),
    key: text,
    request: compileRequest,
  }),
  compile: object<Event<'compile'>>({
    type: oneOf('compile'),
    key: text,
    request: compileRequest,
    milliseconds: number,
    diagnostics: list(diagnostic),
  }),
  launch,
  'launch-time': object<Event<'launch-time'>>({
    type: oneOf('launch-time'),
    id: number,
    timing,
    achieved: optional(achieved),
  }),
  calibration: object<Event<'calibration'>>({ type: oneOf('calibration'), calibration }),
  autotune: object<Event<'autotune'>>({
    type: oneOf('autotune'),
    id: number,
    kernel: text,
    key: text,
    site,
    configurations: list(configuration),
    best: orNull(whole),
    fromCache: boolean,
    seconds: number,
    done: boolean,
    schedule: optional(oneOf(true)),
  }),
  comparison,
  tensor: object<Event<'tensor'>>({ type: oneOf('tensor'), site: orNull(site), tensor }),
  'more-tensors': object<Event<'more-tensors'>>({ type: oneOf('more-tensors'), count: size }),
  trace: object<Event<'trace'>>({ type: oneOf('trace'), spans: list(span), dropped: size }),
  verdict: object<Event<'verdict'>>({
    type: oneOf('verdict'),
    name: text,
    index: whole,
    total: whole,
    passed: boolean,
    message: orNull(text),
    unreached: optional(list(text)),
  }),
  sweep: object<Event<'sweep'>>({
    type: oneOf('sweep'),
    name: text,
    site,
    seed: number,
    total: whole,
    passed: whole,
    refused: whole,
    failed: whole,
    left: whole,
    failure: orNull(
      object<SweepFailure>({
        case: text,
        message: text,
        line: orNull(whole),
        file: orNull(text),
        program: orNull(text),
      }),
    ),
  }),
  measured: object<Event<'measured'>>({
    type: oneOf('measured'),
    name: text,
    clock: oneOf('gpu', 'cpu'),
    milliseconds: number,
    least: number,
    samples: size,
    bytes: size,
  }),
  verification: object<Event<'verification'>>({
    type: oneOf('verification'),
    launch: whole,
    kernel: text,
    site,
    milliseconds: number,
    report: orNull(text),
    verdict: oneOf('same', 'rounding', 'different', 'undecided'),
    programs: whole,
    of: whole,
    seed: whole,
    left: whole,
    first: orNull(difference),
    program: orNull(triple(whole)),
    reason: orNull(text),
  }),
  benchmark: object<Event<'benchmark'>>({
    type: oneOf('benchmark'),
    name: text,
    xName: text,
    xLabel: text,
    yLabel: text,
    xLog: boolean,
    yLog: boolean,
    lines: list(line),
    done: boolean,
    repeat: optional(whole),
    notes: list(text),
  }),
  check: object<Event<'check'>>({
    type: oneOf('check'),
    launch: number,
    key: text,
    passes: list(passCheck),
    programs: number,
  }),
  diagnostic: object<Event<'diagnostic'>>({ type: oneOf('diagnostic'), diagnostic }),
  progress: object<Event<'progress'>>({
    type: oneOf('progress'),
    text,
    fraction: orNull(number),
  }),
  finished: object<Event<'finished'>>({
    type: oneOf('finished'),
    outcome: oneOf('ok', 'error', 'stopped'),
    milliseconds: number,
  }),
});

type Argument<K extends LaunchArgument['kind']> = Extract<LaunchArgument, { kind: K }>;
const bigint = (one: unknown): one is bigint => typeof one === 'bigint';
const fill: Check<Fill> = object<Fill>({ low: whole, high: whole });
const inputs: Check<LaunchInputs> = object<LaunchInputs>({
  launch: number,
  kernel: text,
  key: text,
  request: compileRequest,
  grid: triple(size),
  args: list(
    tagged<LaunchArgument, 'kind'>('kind', {
      scalar: object<Argument<'scalar'>>({
        kind: oneOf('scalar'),
        value: either(either(number, bigint), boolean),
      }),
      pointer: object<Argument<'pointer'>>({
        kind: oneOf('pointer'),
        address: number,
        storage: number,
        shape: orNull(list(number)),
        strides: orNull(list(number)),
      }),
    }),
  ),
  storages: list(
    object<LaunchStorage>({
      address: number,
      byteLength: size,
      contents: either(either(bytes, fill), nothing),
      fill: optional(fill),
      unwritten: optional(bytes),
    }),
  ),
});

/** The event that this is; null where it is none. Never throws. */
export const eventFrom = (value: unknown): ProgramEvent | null => believed(event, value);
/** The inputs of a launch that this is; null where it is none. Never throws. */
export const inputsFrom = (value: unknown): LaunchInputs | null => believed(inputs, value);

function believed<T>(accepts: Check<T>, value: unknown): T | null {
  try {
    return accepts(value) ? value : null;
  } catch {
    // It nests deeper than the stack.
    return null;
  }
}
