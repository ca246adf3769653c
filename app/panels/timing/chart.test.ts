import { describe, expect, it } from 'vitest';
import type { BenchmarkEvent } from '../../state/record';
import { axisLabel, csvOf, tableOf } from './chartData';
import { axisOf, chartSvg } from './chartSvg';

const line = (name: string, points: readonly (readonly [number | string, number])[]) => ({
  name,
  color: null,
  dash: null,
  clock: 'gpu' as const,
  points: points.map(([x, y]) => ({ x, y, low: y - 1, high: y + 1 })),
});
const benchmark: BenchmarkEvent = {
  type: 'benchmark',
  name: 'add "fast" <1>',
  xName: 'size',
  xLabel: 'size',
  yLabel: 'GB/s',
  xLog: true,
  yLog: false,
  lines: [
    line('Triton', [
      [4096, 10],
      [1024, 5],
    ]),
    line('Torch, CPU', [[4096, 2]]),
  ],
  done: true,
  notes: [],
};

describe('a chart’s table', () => {
  it('has a row for every x in order, and the pinned lines beside', () => {
    const table = tableOf(benchmark, [line('Triton', [[1024, 4]])]);
    expect(table.xs).toEqual([1024, 4096]);
    expect(table.columns.map(({ name, ys }) => [name, ...ys])).toEqual([
      ['Triton', 5, 10],
      ['Torch, CPU', null, 2],
      ['Triton (pinned)', 4, null],
    ]);
  });
  it('is written as spreadsheets read it', () => {
    expect(csvOf(benchmark, tableOf(benchmark))).toBe(
      [
        'size,Triton (GB/s),Triton low,Triton high,"Torch, CPU (GB/s)","Torch, CPU low","Torch, CPU high"',
        '1024,5,4,6,,,',
        '4096,10,9,11,2,1,3',
        '',
      ].join('\n'),
    );
  });
  it('reports sizes by powers of two', () => {
    expect([1024, 4096, 2 ** 21, 2 ** 30, 1000].map(axisLabel)).toEqual([
      '1Ki',
      '4Ki',
      '2Mi',
      '1Gi',
      '1000',
    ]);
  });
});

describe('an axis', () => {
  it('has round ticks, or powers', () => {
    expect(axisOf(0, 10.5, 0, 100, null).ticks).toEqual([0, 2, 4, 6, 8, 10]);
    const log = axisOf(1024, 65536, 0, 60, 2);
    expect(log.ticks).toEqual([1024, 2048, 4096, 8192, 16384, 32768, 65536]);
    expect(log.at(8192)).toBeCloseTo(30);
  });
});

describe('the file', () => {
  it('has every line and escapes what is text', () => {
    const svg = chartSvg(benchmark, tableOf(benchmark), ['#111111', '#222222']);
    expect(svg).toContain('add "fast" &lt;1&gt;');
    expect(svg.match(/stroke="#111111" stroke-width="2"/g)).toHaveLength(2);
    expect(svg).toContain('>4Ki</text>');
    expect(svg).not.toMatch(/NaN|Infinity/);
  });
  it('dashes lines as the page does', () => {
    const lines = ['-', '--', ':', '-.'].map((dash) => ({
      ...line(dash, [
        [1, 1],
        [2, 2],
      ]),
      dash,
    }));
    const svg = chartSvg(benchmark, tableOf({ lines }), []);
    // The line itself, and its sample in the legend.
    expect(svg.match(/(?<=stroke-dasharray=")[^"]*/g)).toEqual(
      ['6 4', '2 3', '6 3 2 3'].flatMap((strokes) => [strokes, strokes]),
    );
  });
});
