/** Tables of benchmarks: repeats, noise, and what may be compared. */
import { describe, expect, it } from 'vitest';
import type { ProgramEvent } from '../events';
import {
  benchCsv,
  benchText,
  chartTables,
  comparedWith,
  csvNames,
  type BenchReport,
} from './benchReport';

type Chart = Extract<ProgramEvent, { type: 'benchmark' }>;
const chart = (repeat: number, ys: readonly number[], more: Partial<Chart> = {}): Chart => ({
  type: 'benchmark',
  name: 'sum',
  xName: 'n',
  xLabel: 'n',
  yLabel: 'GB/s',
  xLog: false,
  yLog: false,
  lines: [
    {
      ...{ name: 'Triton', color: null, dash: null, clock: 'gpu' },
      points: ys.map((y, i) => ({ x: 64 << i, y, low: null, high: null })),
    },
  ],
  done: true,
  repeat,
  notes: [],
  ...more,
});
const report = (events: readonly ProgramEvent[], name = 'GPU A'): BenchReport => ({
  version: 1,
  file: 'a.py',
  adapter: { kind: 'webgpu', name, vendor: '', architecture: '', reason: null },
  repeats: 3,
  tables: chartTables(events),
  against: null,
  outcome: 'ok',
  passed: true,
  errors: [],
});

describe('a row', () => {
  const sent = [chart(0, [], { done: false }), chart(0, [10], { done: false }), chart(0, [10, 20])];
  const events = [...sent, chart(1, [12, 20]), chart(2, [11, 26])];

  it('is the median of the repeats, with their distance as noise', () => {
    expect(report(events).tables).toMatchObject([
      {
        rows: [
          { line: 'Triton', x: 64, value: 11, repeats: [10, 12, 11], noise: 2 / 11 },
          { x: 128, value: 20, repeats: [20, 20, 26], noise: 6 / 20 },
        ],
      },
    ]);
  });
  it('has no noise where it was measured once', () => {
    expect(report(sent).tables[0]!.rows[0]).toMatchObject({ value: 10, noise: null });
  });
  it('is changed where its ratio is beyond the noise of both', () => {
    const slower = [chart(0, [22, 22]), chart(1, [22, 22]), chart(2, [22, 22])];
    const [first, second] = comparedWith(report(slower), report(events)).tables[0]!.rows;
    expect(first!.against).toEqual({
      ...{ value: 11, ratio: 2, noise: 2 / 11, changed: true, reason: null },
    });
    expect(second!.against).toMatchObject({ ratio: 1.1, noise: 0.3, changed: false });
    const once = comparedWith(report(slower), report(sent)).tables[0]!.rows[0];
    expect(once!.against).toMatchObject({ ratio: 2.2, noise: null, changed: null });
  });
  it.each([
    ['another adapter', report(events, 'GPU B'), 'the runs had different adapters'],
    ['no such row', report([chart(0, [1], { name: 'other' })]), 'not measured then'],
    [
      'another clock',
      report([chart(0, [1], { lines: [{ ...chart(0, [1]).lines[0]!, clock: 'cpu' }] })]),
      'the times are of different clocks',
    ],
  ])('has no ratio with %s', (_, before, reason) => {
    const row = comparedWith(report(events), before).tables[0]!.rows[0]!;
    expect(row.against).toMatchObject({ ratio: null, changed: null, reason });
  });
});

it('keeps two charts of one name apart', () => {
  const one = [chart(0, [], { done: false }), chart(0, [1]), chart(1, [3])];
  const two = [chart(0, [], { done: false }), chart(0, [5]), chart(1, [7])];
  expect(chartTables([...one, ...two]).map(({ rows }) => rows[0]!.value)).toEqual([2, 6]);
});

it('notes a chart that its program did not complete', () => {
  const [table] = chartTables([chart(0, [1], { done: false })]);
  expect(table!.notes).toEqual(['the program ended before it was complete']);
});

it('prints a column for each line of the chart', () => {
  const text = benchText(report([chart(0, [10, 20]), chart(1, [12, 20])]));
  expect(text.split('\n').slice(0, 4)).toEqual([
    'sum (GB/s)',
    '  n    Triton',
    '  64   11 ± 18 %',
    '  128  20 ± 0 %',
  ]);
});

it('writes CSV under names that stay in the folder', () => {
  const tables = [chart(0, [1.5]), chart(0, [1], { name: '../../etc/x' })].flatMap((each) =>
    chartTables([each]),
  );
  expect(benchCsv(tables[0]!)).toBe('n,Triton\n64,1.5\n');
  expect(csvNames([...tables, tables[0]!])).toEqual(['sum.csv', '__.._etc_x.csv', 'sum 2.csv']);
});
