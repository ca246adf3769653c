/** For tests: an event of every kind, with every field, and the inputs of a launch. */
import { DEFAULT_OPTIONS, type CompileRequest, type StaticValue } from '../../compiler/program';
import { BASELINE_TARGET } from '../../compiler/target';
import type { Diagnostic } from '../../compiler/diagnostics';
import type { LaunchInputs } from '../../compiler/inspect/launch';
import type { AdapterInfo, Preview, ProgramEvent, TensorPlace, Timing } from '../events';

const adapter: AdapterInfo = {
  ...{ kind: 'webgpu', name: 'One', vendor: 'v', architecture: 'a', reason: null },
};
const site = { file: 'a.py', line: 3 };
const location = { file: 'a.py', line: 3, column: 1, endLine: 3, endColumn: 9 };
const diagnostic: Diagnostic = {
  ...{ code: 'HC0900', severity: 'error', message: 'no', location },
  notes: [{ message: 'Traceback (most recent call last):\n', location }, { message: 'b' }],
  fix: { title: 'Mend it', location, text: 'x' },
};
const timing: Timing = { clock: 'gpu', median: 2, low: 1, high: 3, samples: 3, quantum: 0.1 };
const place: TensorPlace = { storage: 1, offset: 0, strides: [2, 1], dtype: 'float32', data: null };
const preview: Preview = {
  ...{ rows: 2, columns: 2, rowStep: 1, columnStep: 1, values: [1, 'nan', 'inf', -2] },
};
const int: StaticValue = { kind: 'int', value: '4' };
const request: CompileRequest = {
  program: {
    files: { 'a.py': '' },
    functions: {
      f: {
        ...{ id: 'f', name: 'f', file: 'a.py', line: 1, defaults: { x: int } },
        globals: { g: { kind: 'tuple', items: [int, { kind: 'none' }] } },
      },
    },
    entry: 'f',
  },
  specialization: {
    arguments: [
      { kind: 'pointer', dtype: 'float32', divisibleBy16: true, group: 0 },
      { kind: 'scalar', dtype: 'int32', divisibleBy16: false },
      { kind: 'constexpr', value: int },
    ],
    numWarps: 4,
  },
  target: BASELINE_TARGET,
  options: DEFAULT_OPTIONS,
};

export const EVENTS: readonly ProgramEvent[] = [
  { type: 'started', adapter, time: 1 },
  { type: 'print', stream: 'stdout', text: 'hello\n' },
  {
    ...{ type: 'device-print', launch: 1, kernel: 'f', dropped: 0 },
    prints: [
      {
        ...{ program: [0, 0, 0], location, prefix: ' x: ', operand: 0, operands: 1, shape: [2] },
        values: ['1', null],
      },
    ],
  },
  { type: 'specialization', key: 'other', request },
  { type: 'compile', key: 'k', request, milliseconds: 1, diagnostics: [diagnostic] },
  {
    ...{ type: 'launch', id: 1, kernel: 'f', grid: [2, 1, 1], key: 'k', site },
    ...{ arguments: ['x: *fp32 [4]', 'n = 4'], device: 'webgpu', benchmark: false },
    values: [{ storage: 1, byteOffset: 0, shape: [4], strides: [1] }, { scalar: '4' }, null],
    cost: {
      ...{ readBytes: 16, writtenBytes: 16, requestedBytes: 32, uncertain: null },
      operations: { f64: 0, f32: 4, f16: 0, integer: 4 },
    },
  },
  {
    ...{ type: 'launch-time', id: 1, timing },
    achieved: { bytesPerSecond: 1, operationsPerSecond: 1, roofline: 0.5, bound: 'memory' },
  },
  {
    type: 'calibration',
    calibration: {
      ...{ adapter: 'One', bytesPerSecond: 1, f32PerSecond: 1, f16PerSecond: null },
      fromCache: false,
    },
  },
  {
    ...{ type: 'autotune', id: 1, kernel: 'f', key: '(4,)', site, best: 0, fromCache: false },
    ...{ seconds: 1, done: true },
    configurations: [
      { text: 'BLOCK: 64', settings: { BLOCK: 64 }, state: 'measured', timing, error: null },
      {
        ...{ text: 'same', settings: {}, state: 'same', timing: null, error: null, sameAs: 0 },
        specialization: 'k',
      },
    ],
  },
  {
    ...{ type: 'comparison', id: 1, kind: 'allclose', passed: false, site, shape: [2, 2] },
    ...{ dtype: 'float32', rtol: 1e-5, atol: 1e-8, count: 4, mismatches: 1, maxAbsolute: 1 },
    ...{ maxRelative: null, nanMismatches: 0, toleranceUsed: 2, roundingShare: 0.1 },
    ...{ heatmap: preview, message: null, equalNan: false },
    first: { index: [0, 1], actual: 1, expected: 'nan' },
    call: { function: 'torch.allclose', actual: 'a', expected: 'b' },
    derived: {
      ...{ verdict: 'above', reason: 'far', ulp: 9, allowed: 2, index: [0, 1], times: 4.5 },
      narrow: true,
    },
    ...{ caveat: null, actual: place, expected: null },
  },
  {
    ...{ type: 'tensor', site },
    tensor: {
      ...{ name: 'x', also: [], dtype: 'float32', shape: [2, 2], device: 'cuda:0', place },
      ...{ count: 4, nanCount: 1, infCount: 1, min: -2, max: 1, mean: null, preview },
    },
  },
  { type: 'more-tensors', count: 2 },
  {
    ...{ type: 'trace', dropped: 0 },
    spans: [{ track: 'gpu', name: 'f', start: 0, duration: 1, launch: 1 }],
  },
  {
    ...{ type: 'sweep', name: 'add', site: { file: 'main.py', line: 3 }, seed: 0, total: 9 },
    ...{ passed: 4, refused: 1, failed: 1, left: 3 },
    failure: {
      ...{ case: 'N=1, float16', message: 'wrong', line: null },
      ...{ file: 'failing_add.py', program: 'check()' },
    },
  },
  { type: 'verdict', name: 'adds', index: 0, total: 3, passed: true, message: null },
  {
    ...{ type: 'verification', launch: 3, kernel: 'k', site: { file: 'a.py', line: 2 } },
    ...{ milliseconds: 5, report: null, verdict: 'different', programs: 4, of: 4, seed: 1 },
    first: { argument: 'out', index: 3, before: 1, after: 'nan' },
    ...{ left: 0, program: [1, 0, 0], reason: null },
  },
  {
    ...{ type: 'measured', name: 'time', clock: 'gpu', milliseconds: 0.2, least: 0.1 },
    ...{ samples: 100, bytes: 4096 },
  },
  {
    ...{ type: 'verdict', name: 'rounds', index: 1, total: 3, passed: false, message: 'no' },
    unreached: ['ends'],
  },
  {
    ...{ type: 'benchmark', name: 'speed', xName: 'n', xLabel: 'n', yLabel: 'GB/s' },
    ...{ xLog: true, yLog: false, done: true, notes: ['a'] },
    lines: [
      {
        ...{ name: 'ours', color: 'blue', dash: '-', clock: 'gpu' },
        points: [{ x: 4, y: 1, low: null, high: 2 }],
      },
    ],
  },
  {
    ...{ type: 'check', launch: 1, key: 'k', programs: 8 },
    passes: [
      {
        ...{ index: 0, name: 'gpu', verdict: 'different', message: null, programs: 8 },
        first: { argument: 'x', index: 0, before: 1, after: 'nan' },
      },
    ],
  },
  { type: 'diagnostic', diagnostic },
  { type: 'progress', text: 'tuning', fraction: 0.5 },
  { type: 'finished', outcome: 'ok', milliseconds: 12 },
];

export const INPUTS: LaunchInputs = {
  ...{ launch: 1, kernel: 'f', key: 'k', request, grid: [2, 1, 1] },
  args: [
    { kind: 'pointer', address: 256, storage: 0, shape: [4], strides: null },
    { kind: 'scalar', value: 4n },
  ],
  storages: [{ address: 256, byteLength: 16, contents: new Uint8Array(16) }],
};
