/** A chart of `perf_report` with its table. The axes, labels and scales are the program's. */
import { useEffect, useMemo, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { BenchmarkEvent } from '../../state/record';
import { useTheme } from '../../state/settings';
import { formatNumber } from '../common/format';

const HEIGHT = 280;
const SERIES = 6;

/** The theme's colours tell lines apart in both themes; the program's own colour names do not. */
function seriesColor(index: number): string {
  const name = `--series-${(index % SERIES) + 1}`;
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
function dashOf(dash: string | null, index: number): number[] {
  if (dash === '--') return [6, 4];
  if (dash === ':') return [2, 3];
  if (dash === '-.') return [6, 3, 2, 3];
  return index >= SERIES ? [6, 4] : [];
}

interface Table {
  readonly xs: readonly (number | string)[];
  /** For each line, its value at each x. */
  readonly ys: readonly (readonly (number | null)[])[];
}
export function tableOf(benchmark: BenchmarkEvent): Table {
  const seen = new Set<number | string>();
  for (const line of benchmark.lines) for (const point of line.points) seen.add(point.x);
  const xs = [...seen];
  if (xs.every((x) => typeof x === 'number')) xs.sort((a, b) => Number(a) - Number(b));
  const ys = benchmark.lines.map((line) => {
    const byX = new Map(line.points.map((point) => [point.x, point.y]));
    return xs.map((x) => byX.get(x) ?? null);
  });
  return { xs, ys };
}

/** Powers of two read as such on axes of sizes. */
function axisLabel(value: number): string {
  if (value >= 2 ** 20 && value % 2 ** 20 === 0) return `${value / 2 ** 20}Mi`;
  if (value >= 4096 && value % 1024 === 0) return `${value / 1024}Ki`;
  return formatNumber(value, 3);
}

function chartOptions(benchmark: BenchmarkEvent, table: Table, width: number): UPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  const numeric = table.xs.every((x) => typeof x === 'number');
  const font = '12px "Inter Variable", sans-serif';
  const axis: UPlot.Axis = {
    stroke: color('--text-muted'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { stroke: color('--line'), width: 1, size: 4 },
    font,
    labelFont: font,
    labelSize: 20,
  };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { points: { size: 6 } },
    scales: {
      x: { time: false, ...(benchmark.xLog && numeric ? { distr: 3, log: 2 } : {}) },
      y: benchmark.yLog
        ? { distr: 3 }
        : { range: (_chart, _low, high) => [0, high > 0 ? high * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        size: 30,
        label: benchmark.xLabel || benchmark.xName,
        values: (_chart, splits) =>
          splits.map((split) =>
            split === null ? '' : numeric ? axisLabel(split) : String(table.xs[split] ?? ''),
          ),
      },
      {
        ...axis,
        size: 60,
        label: benchmark.yLabel,
        values: (_chart, splits) => splits.map((y) => (y === null ? '' : formatNumber(y, 3))),
      },
    ],
    series: [
      {},
      ...benchmark.lines.map((line, index) => ({
        label: line.name,
        stroke: seriesColor(index),
        width: 2,
        dash: dashOf(line.dash, index),
        points: { show: true, size: 6, fill: color('--surface') },
        spanGaps: true,
      })),
    ],
  };
}

function Chart({ benchmark, table }: { benchmark: BenchmarkEvent; table: Table }): React.ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const theme = useTheme((state) => state.theme);
  useEffect(() => {
    const box = place.current!;
    const numeric = table.xs.every((x) => typeof x === 'number');
    const xs = table.xs.map((x, index) => (numeric ? Number(x) : index));
    const data = [xs, ...table.ys.map((line) => [...line])] as UPlot.AlignedData;
    const chart = new UPlot(chartOptions(benchmark, table, box.clientWidth || 480), data, box);
    const observer = new ResizeObserver(() => {
      if (box.clientWidth > 0) chart.setSize({ width: box.clientWidth, height: HEIGHT });
    });
    observer.observe(box);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [benchmark, table, theme]);
  return (
    <div ref={place} role="img" aria-label={`Chart of ${benchmark.name}; the table follows`} />
  );
}

export default function Benchmark(props: { readonly benchmark: BenchmarkEvent }): React.ReactNode {
  const { benchmark } = props;
  const table = useMemo(() => tableOf(benchmark), [benchmark]);
  const theme = useTheme((state) => state.theme);
  // The colours are read from the page, so they change with the theme.
  const colors = useMemo(
    () => benchmark.lines.map((_line, index) => seriesColor(index)),
    // oxlint-disable-next-line exhaustive-deps
    [benchmark.lines, theme],
  );
  return (
    <section className="section" aria-label={`Benchmark ${benchmark.name}`}>
      <h3>
        {benchmark.name}
        {benchmark.done ? '' : ' (measuring)'}
      </h3>
      {table.xs.length > 1 ? <Chart benchmark={benchmark} table={table} /> : null}
      <div className="legend" aria-hidden="true">
        {benchmark.lines.map((line, index) => (
          <span key={line.name}>
            <span
              className="swatch"
              style={{
                borderColor: colors[index],
                borderTopStyle: dashOf(line.dash, index).length > 0 ? 'dashed' : 'solid',
              }}
            />
            {line.name}
            {line.clock === 'gpu' ? (
              ''
            ) : (
              <span className="muted"> ({line.clock.toUpperCase()} clock)</span>
            )}
          </span>
        ))}
      </div>
      <div className="scroll-x">
        <table className="data">
          <thead>
            <tr>
              <th scope="col" className="number">
                {benchmark.xName}
              </th>
              {benchmark.lines.map((line) => (
                <th key={line.name} scope="col" className="number">
                  {line.name}
                  {benchmark.yLabel ? ` (${benchmark.yLabel})` : ''}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.xs.map((x, row) => (
              <tr key={String(x)}>
                <td className="number">{typeof x === 'number' ? x.toLocaleString('en-US') : x}</td>
                {table.ys.map((line, column) => (
                  <td key={column} className="number">
                    {formatNumber(line[row] ?? null, 4)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {benchmark.notes.map((note) => (
        <p key={note} className="muted">
          {note}
        </p>
      ))}
    </section>
  );
}
