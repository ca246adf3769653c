/** The report's text, event by event. */
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ProgramEvent } from '../events';
import { Report } from './report';

/** Output of a terminal for these events, both streams together. */
function shown(events: readonly ProgramEvent[]): string {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      text += chunk.toString();
      done();
    },
  });
  const report = new Report(stream, stream);
  for (const event of events) report.event(event);
  report.end(events);
  return text;
}

function launch(id: number, grid: number): ProgramEvent[] {
  const timing = { clock: 'gpu', low: 1, high: 1, samples: 1, quantum: 0.001 } as const;
  return [
    {
      type: 'launch',
      id,
      kernel: 'k',
      grid: [grid, 1, 1],
      key: `key${id}`,
      site: { file: 'a.py', line: 3 },
      arguments: [],
      values: [],
      device: 'webgpu',
      benchmark: false,
    },
    { type: 'launch-time', id, timing: { ...timing, median: 10 * id } },
  ];
}

const LOCATION = { file: 'a.py', line: 2, column: 1, endLine: 2, endColumn: 3 };
const CHART: ProgramEvent = {
  type: 'benchmark',
  name: 'plot',
  xName: 'n',
  xLabel: 'n',
  yLabel: 'GB/s',
  xLog: false,
  yLog: false,
  lines: [
    {
      name: 'A',
      color: null,
      dash: null,
      clock: 'gpu',
      points: [{ x: 4, y: 1.5, low: null, high: null }],
    },
  ],
  done: true,
  notes: [],
};

/** A comparison that holds, and how much of its tolerance it used. */
function comparison(toleranceUsed: number): ProgramEvent {
  return {
    ...{ type: 'comparison', id: 1, kind: 'allclose', passed: true, shape: [8], dtype: 'float32' },
    ...{ site: { file: 'a.py', line: 3 }, rtol: 0, atol: 2e-3, count: 8, mismatches: 0 },
    ...{ maxAbsolute: 8e-7, maxRelative: 8e-7, nanMismatches: 0, toleranceUsed },
    ...{ roundingShare: 1e-5, first: null, heatmap: null, equalNan: false, call: null },
    ...{ actual: null, expected: null, message: null },
  };
}

describe('Report', () => {
  it('starts its own lines after a print that did not end its line', () => {
    const print: ProgramEvent = { type: 'print', stream: 'stdout', text: 'no end' };
    const end: ProgramEvent = { type: 'finished', outcome: 'ok', milliseconds: 1000 };
    expect(shown([print, end])).toBe('no end\nok in 1.00 s\n');
    expect(shown([{ ...print, text: 'end\n' }, end])).toBe('end\nok in 1.00 s\n');
  });

  it('calls a run failed of which the program ended, but not without an error', () => {
    const end: ProgramEvent = { type: 'finished', outcome: 'ok', milliseconds: 1000 };
    const notes: [] = [];
    const diagnostic = { code: 'HC8001', message: 'k stores outside.', location: LOCATION, notes };
    const error = { type: 'diagnostic', diagnostic: { ...diagnostic, severity: 'error' } } as const;
    const held = 'failed in 1.00 s, 1 error, 1 comparison held\n';
    expect(shown([error, comparison(0.1), end])).toContain(held);
    const warning = { ...error, diagnostic: { ...diagnostic, severity: 'warning' } } as const;
    expect(shown([warning, end])).toContain('\nok in 1.00 s\n');
    const wrong = { ...comparison(2), passed: false } as ProgramEvent;
    expect(shown([wrong, end])).toContain('\nfailed in 1.00 s, 1 of 1 comparisons failed\n');
    expect(shown([error, { ...end, outcome: 'stopped' }])).toContain('\nstopped in 1.00 s\n');
  });

  it('points out a comparison that passes with a tolerance that hides mistakes', () => {
    expect(shown([comparison(4e-4)])).toContain(
      'Passes, but the tolerance is 2,500 × the largest error.',
    );
    expect(shown([comparison(0.1)])).not.toContain('but');
  });

  it('says that races were not checked where a launch came before what held', () => {
    const end: ProgramEvent = { type: 'finished', outcome: 'ok', milliseconds: 1000 };
    expect(shown([...launch(1, 2), comparison(0.1), end])).toContain(
      'ok in 1.00 s, 1 comparison held; races not checked\n',
    );
    expect(shown([comparison(0.1), end])).toContain('1 comparison held\n');
    expect(shown([...launch(1, 2), end])).not.toContain('races');
  });

  it.each([
    ['a traceback', 'Traceback (most recent call last):\nValueError: x\n'],
    ['the place of a syntax error', '  File "a.py", line 2\n    (\nValueError: x\n'],
  ])('prints %s once, as Python did', (_, text) => {
    const report = shown([
      { type: 'print', stream: 'stderr', text },
      {
        type: 'diagnostic',
        diagnostic: {
          code: 'HC0900',
          severity: 'error',
          message: 'ValueError: x',
          location: LOCATION,
          notes: [{ message: text }, { message: 'Another note.' }],
        },
      },
    ]);
    expect(report.split(text)).toHaveLength(2);
    expect(report).toContain('a.py:2:1: error HC0900: ValueError: x\n  Another note.');
  });

  it('reports launches by grid, and a kernel of many grids in one line', () => {
    expect(shown([...launch(1, 4), ...launch(2, 4), ...launch(3, 8)])).toBe(
      '  k[4, 1, 1]  20 µs GPU, 2 launches\n  k[8, 1, 1]  30 µs GPU\n',
    );
    const many = Array.from({ length: 20 }, (_, index) => launch(index + 1, index + 1)).flat();
    expect(shown(many)).toBe('  k  10 µs GPU to 200 µs GPU, 20 launches on 20 grids\n');
  });

  it('states for how many programs the check mode ran thread IR, where not for all', () => {
    const pass = (index: number, programs: number) => ({
      ...{ index, name: 'pass', verdict: 'same' as const, first: null, message: null, programs },
    });
    const check = (threads: number): ProgramEvent => ({
      ...{ type: 'check', launch: 1, key: 'k', programs: 64 },
      passes: [pass(0, 64), pass(1, threads)],
    });
    expect(shown([check(64)])).toBe('');
    expect(shown([check(5)])).toBe(
      '  check of a kernel: TTIR and TTGIR checked for all 64 programs, thread IR for 5 of 64 programs.\n',
    );
  });

  it('shows a chart that the program did not print', () => {
    expect(shown([CHART])).toBe('plot (GB/s)\n  n = 4  A: 1.5\n');
    const table: ProgramEvent = { type: 'print', stream: 'stdout', text: 'plot:\n   n  A\n' };
    expect(shown([CHART, table])).toBe('plot:\n   n  A\n');
  });

  it('lists the configurations of a tuning, and which have the code of another', () => {
    const timing = { clock: 'gpu', low: 1, high: 1, samples: 1, quantum: 0.001 } as const;
    const configuration = (stages: number) => ({
      text: '',
      settings: { B: 16, num_stages: stages },
      error: null,
    });
    const text = shown([
      {
        type: 'autotune',
        id: 1,
        kernel: 'k',
        key: '(64,)',
        site: { file: 'a.py', line: 3 },
        best: 0,
        fromCache: false,
        seconds: 1,
        done: true,
        configurations: [
          {
            ...configuration(2),
            state: 'measured',
            timing: { ...timing, median: 5 },
          },
          { ...configuration(4), state: 'same', timing: null, sameAs: 0 },
        ],
      },
    ]);
    expect(text).toBe(
      'Autotuning of k, all with B: 16\n' +
        '✓ num_stages: 2  5 µs GPU\n  num_stages: 4  same code as num_stages: 2\n',
    );
  });
});
