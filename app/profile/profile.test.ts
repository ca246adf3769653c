/** Profiles of a run: Chrome's trace, Proton's tree, and the difference of two. */
import { expect, it } from 'vitest';
import type { ProgramEvent, Timing } from '../events';
import { chromeTrace } from './chromeTrace';
import { difference, differenceText } from './difference';
import { hatchet } from './hatchet';
import { profileOf, recordOf } from './profile';

function timing(clock: Timing['clock'], median: number): Timing {
  return { clock, median, low: median, high: median, samples: 1, quantum: 0.001 };
}
function launch(id: number, kernel: string, blocks: number, benchmark = false): ProgramEvent {
  return {
    type: 'launch',
    id,
    kernel,
    grid: [blocks, 1, 1],
    key: kernel,
    site: { file: 'a.py', line: 3 },
    arguments: ['n = 4'],
    device: 'webgpu',
    benchmark,
    values: [],
    cost: {
      readBytes: 100,
      writtenBytes: 50,
      requestedBytes: 150,
      operations: { f64: 0, f32: 10, f16: 0, integer: 5 },
      uncertain: null,
    },
  };
}
function time(id: number, clock: Timing['clock'], median: number): ProgramEvent {
  return { type: 'launch-time', id, timing: timing(clock, median) };
}
function started(name: string): ProgramEvent {
  const adapter = { kind: 'webgpu', name, vendor: 'v', architecture: 'a', reason: null } as const;
  return { type: 'started', adapter, time: 0 };
}
const EVENTS: readonly ProgramEvent[] = [
  started('GPU'),
  ...[launch(1, 'k', 2), launch(2, 'k', 2), launch(3, 'k', 2), launch(4, 'b', 1, true)],
  ...[time(1, 'gpu', 10), time(2, 'gpu', 30), time(4, 'gpu', 7)],
  {
    type: 'trace',
    dropped: 3,
    spans: [
      { track: 'launch', name: 'k', start: 2, duration: 1, launch: 1 },
      { track: 'gpu', name: 'k', start: 3, duration: 0.01, launch: 1 },
    ],
  },
  { type: 'finished', outcome: 'ok', milliseconds: 10 },
];
const RECORD = recordOf(EVENTS);

it('writes spans as Chrome reads them, with their launches and clocks', () => {
  const launches = EVENTS.filter((event) => event.type === 'launch');
  const { traceEvents, otherData } = chromeTrace(RECORD, launches);
  expect(traceEvents.find(({ cat }) => cat === 'gpu')).toEqual({
    ph: 'X',
    name: 'k',
    cat: 'gpu',
    pid: 2,
    tid: 9,
    ts: 3000,
    dur: 10,
    args: { launch: 1, grid: '2 × 1 × 1', line: 'a.py:3', arguments: 'n = 4' },
  });
  expect(otherData).toMatchObject({ adapter: 'GPU', 'spans left out': 3 });
  expect(otherData['clocks']).toContain("have the GPU's clock");
  const named = traceEvents.filter(({ name }) => name === 'thread_name');
  expect(named.map(({ args }) => args?.['name'])).toEqual(['Python', 'Launch', 'GPU']);
});

it('writes Proton’s tree of the timed launches, benchmarks apart', () => {
  expect(hatchet(profileOf(RECORD))).toEqual([
    {
      frame: { name: 'ROOT', type: 'function' },
      metrics: {},
      children: [
        {
          frame: { name: 'k', type: 'function' },
          metrics: {
            device_id: '0',
            device_type: 'WEBGPU',
            count: 2,
            'launches without a time': 1,
            'time (ns)': 40_000,
            bytes: 300,
            flops32: 20,
          },
          children: [],
        },
        {
          frame: { name: 'benchmark', type: 'function' },
          metrics: {},
          children: [expect.objectContaining({ frame: { name: 'b', type: 'function' } })],
        },
      ],
    },
    { WEBGPU: { 0: { arch: 'a', name: 'GPU', vendor: 'v' } } },
  ]);
});

it('compares times of one clock on one adapter, and says why it cannot', () => {
  const run = (name: string, ...events: ProgramEvent[]) =>
    profileOf(recordOf([started(name), ...events]));
  const before = run('GPU', launch(1, 'k', 2), time(1, 'gpu', 10));
  const faster = run('GPU', launch(1, 'k', 2), time(1, 'gpu', 4));
  expect(difference(before, faster).kernels).toMatchObject([{ ratio: 0.4, reason: null }]);
  expect(differenceText(difference(before, faster))).toContain('10 µs GPU → 4 µs GPU, × 0.4');
  const reasonOf = (after: ReturnType<typeof run>): readonly unknown[] => {
    const [found] = difference(before, after).kernels;
    return [found?.ratio, found?.reason];
  };
  expect(reasonOf(run('GPU', launch(1, 'k', 4), time(1, 'gpu', 5)))).toEqual([
    0.5,
    'the grids differ: the work of a launch may, too',
  ]);
  expect(reasonOf(run('other', launch(1, 'k', 2), time(1, 'gpu', 4)))).toEqual([
    null,
    'the runs had different adapters',
  ]);
  expect(reasonOf(run('GPU', launch(1, 'k', 2), time(1, 'cpu', 4)))[0]).toBeNull();
  expect(reasonOf(run('GPU', launch(1, 'k', 2)))).toEqual([
    null,
    'a run has no time of it, or times of two clocks',
  ]);
  expect(reasonOf(run('GPU'))).toEqual([null, 'launched only before']);
});
