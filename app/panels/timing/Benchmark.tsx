/**
 * A chart of `perf_report` with its table: the program's axes and scales, spreads as bands, lines
 * that can be hidden, a read-out that follows the pointer or the arrow keys, the pinned run behind
 * it, and files.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { BenchmarkEvent } from '../../state/record';
import { useTheme } from '../../state/settings';
import { fileName, saveFile } from '../common/files';
import { formatNumber } from '../common/format';
import { number, TableHead } from '../common/TableHead';
import { axisLabel, csvOf, dashOf, SERIES, tableOf, type Column, type Table } from './chartData';
import { chartSvg } from './chartSvg';
import { usePinned } from './pinned';
import { ticksOf } from './ticks';

const HEIGHT = 300;
const NONE: BenchmarkEvent['lines'] = [];

/** The theme's colours distinguish lines in both themes; the program's own colour names do not. */
function seriesColor(index: number): string {
  const name = `--series-${(index % SERIES) + 1}`;
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
/** A pinned line has the colour of its line now. */
function colorsOf(table: Table): string[] {
  const own = table.columns.filter(({ pinned }) => !pinned);
  return table.columns.map((column, index) => {
    const name = column.name.replace(/ \(pinned\)$/, '');
    const at = column.pinned ? own.findIndex((one) => one.name === name) : index;
    return seriesColor(at < 0 ? index : at);
  });
}
function translucent(color: string): string {
  return `color-mix(in srgb, ${color} 16%, transparent)`;
}

function chartOptions(
  benchmark: BenchmarkEvent,
  table: Table,
  colors: readonly string[],
  hidden: ReadonlySet<string>,
  width: number,
  onCursor: (index: number | null) => void,
): UPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  const { numeric } = table;
  const font = '12px "Inter Variable", sans-serif';
  const axis: UPlot.Axis = {
    stroke: color('--text-muted'),
    grid: { stroke: color('--grid'), width: 1 },
    ticks: { stroke: color('--line'), width: 1, size: 4 },
    font,
    labelFont: font,
    labelSize: 20,
  };
  const xLog = benchmark.xLog && numeric && table.xs.every((x) => Number(x) > 0);
  const bands: UPlot.Band[] = [];
  const series: UPlot.Series[] = [{}];
  table.columns.forEach((column, index) => {
    const show = !hidden.has(column.name);
    const at = series.length;
    series.push({
      label: column.name,
      show,
      stroke: colors[index]!,
      width: column.pinned ? 1.5 : 2,
      dash: dashOf(column, index),
      points: { show: true, size: column.pinned ? 4 : 6, fill: color('--surface') },
      spanGaps: true,
    });
    // The ends of the spread, drawn as the band between them.
    const edge = { show, width: 0, points: { show: false }, spanGaps: true };
    series.push(edge, edge);
    bands.push({ series: [at + 2, at + 1], fill: translucent(colors[index]!) });
  });
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { points: { size: 7 }, drag: { x: false, y: false } },
    hooks: { setCursor: [(chart) => onCursor(chart.cursor.idx ?? null)] },
    bands,
    scales: {
      x: { time: false, ...(xLog ? { distr: 3, log: 2 } : {}) },
      y: benchmark.yLog
        ? { distr: 3 }
        : { range: (_chart, _low, high) => [0, high > 0 ? high * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        size: 30,
        label: benchmark.xLabel || benchmark.xName,
        // Ticks stand at the program's own sizes; where they are too many, at some of them.
        ...(numeric ? { splits: () => ticksOf(table.xs.map(Number), width, xLog) } : {}),
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
    series,
  };
}

function Chart(props: {
  readonly benchmark: BenchmarkEvent;
  readonly table: Table;
  readonly colors: readonly string[];
  readonly hidden: ReadonlySet<string>;
  readonly onCursor: (index: number | null) => void;
}): React.ReactNode {
  const { benchmark, table, colors, hidden, onCursor } = props;
  const place = useRef<HTMLDivElement>(null);
  const made = useRef<UPlot | null>(null);
  useEffect(() => {
    const box = place.current!;
    const xs = table.xs.map((x, index) => (table.numeric ? Number(x) : index));
    const data = [
      xs,
      ...table.columns.flatMap((column) => [[...column.ys], [...column.lows], [...column.highs]]),
    ] as UPlot.AlignedData;
    const width = box.clientWidth || 480;
    const options = chartOptions(benchmark, table, colors, hidden, width, onCursor);
    const chart = new UPlot(options, data, box);
    made.current = chart;
    const observer = new ResizeObserver(() => {
      if (box.clientWidth > 0) chart.setSize({ width: box.clientWidth, height: HEIGHT });
    });
    observer.observe(box);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [benchmark, table, colors, hidden, onCursor]);
  /** The cursor by keys: from point to point. */
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const chart = made.current;
    const steps: Partial<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };
    const step = steps[event.key];
    if (!chart || step === undefined) return;
    event.preventDefault();
    const last = table.xs.length - 1;
    const from = chart.cursor.idx ?? (step > 0 ? -1 : last + 1);
    const next = Math.max(0, Math.min(last, from + step));
    const left = chart.valToPos(chart.data[0][next]!, 'x');
    chart.setCursor({ left, top: chart.over.clientHeight / 2 });
  };
  return (
    <div
      ref={place}
      className="chart"
      role="group"
      tabIndex={0}
      aria-label={`Chart of ${benchmark.name}. Arrow keys go from point to point; a table follows.`}
      onKeyDown={onKeyDown}
    />
  );
}

export default function Benchmark(props: { readonly benchmark: BenchmarkEvent }): React.ReactNode {
  const { benchmark } = props;
  const pinned = usePinned();
  const before = pinned?.charts.find(({ name }) => name === benchmark.name)?.lines ?? NONE;
  const table = useMemo(() => tableOf(benchmark, before), [benchmark, before]);
  const theme = useTheme((state) => state.theme);
  // The colours are read from the page, so they change with the theme.
  // oxlint-disable-next-line exhaustive-deps
  const colors = useMemo(() => colorsOf(table), [table, theme]);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [at, setAt] = useState<number | null>(null);
  const place = useRef<HTMLElement>(null);
  const onCursor = useCallback((index: number | null) => setAt(index), []);
  const toggle = (name: string): void => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    setHidden(next);
  };
  const drawn = table.xs.length > 1;
  return (
    <section className="section" aria-label={`Benchmark ${benchmark.name}`} ref={place}>
      <div className="section-head">
        <h3>
          {benchmark.name}
          {benchmark.done ? '' : ' (measuring)'}
        </h3>
        <Files benchmark={benchmark} table={table} colors={colors} place={place} drawn={drawn} />
      </div>
      {drawn ? <Chart {...{ benchmark, table, colors, hidden, onCursor }} /> : null}
      <p className="readout" aria-live="polite">
        {at === null || table.xs[at] === undefined
          ? ''
          : `${benchmark.xName} = ${xText(table.xs[at])}: ${table.columns
              .flatMap((column) => pointText(column, at, benchmark.yLabel))
              .join(' · ')}`}
      </p>
      <div className="legend" role="group" aria-label="Lines of the chart">
        {table.columns.map((column, index) => (
          <button
            key={column.name}
            type="button"
            aria-pressed={!hidden.has(column.name)}
            title={hidden.has(column.name) ? 'Show this line' : 'Hide this line'}
            onClick={() => toggle(column.name)}
          >
            <span
              className="swatch"
              style={{
                borderColor: colors[index],
                borderTopStyle: dashOf(column, index).length > 0 ? 'dashed' : 'solid',
              }}
            />
            {column.name}
            {column.clock === 'gpu' ? (
              ''
            ) : (
              <span className="muted"> ({column.clock.toUpperCase()} clock)</span>
            )}
          </button>
        ))}
      </div>
      <PointTable benchmark={benchmark} table={table} />
      {benchmark.notes.map((note) => (
        <p key={note} className="muted">
          {note}
        </p>
      ))}
    </section>
  );
}

const xText = (x: number | string): string =>
  typeof x === 'number' ? x.toLocaleString('en-US') : x;

function pointText(column: Column, at: number, unit: string): string[] {
  const y = column.ys[at];
  if (y === null || y === undefined) return [];
  const [low, high] = [column.lows[at], column.highs[at]];
  const spread =
    typeof low === 'number' && typeof high === 'number' && high !== low
      ? ` (${formatNumber(Math.min(low, high), 3)} – ${formatNumber(Math.max(low, high), 3)})`
      : '';
  return [`${column.name} ${formatNumber(y, 4)} ${unit}`.trim() + spread];
}

function Files(props: {
  readonly benchmark: BenchmarkEvent;
  readonly table: Table;
  readonly colors: readonly string[];
  readonly place: React.RefObject<HTMLElement | null>;
  readonly drawn: boolean;
}): React.ReactNode {
  const { benchmark, table, colors, place } = props;
  const name = fileName(benchmark.name);
  const svg = (): Blob => new Blob([chartSvg(benchmark, table, colors)], { type: 'image/svg+xml' });
  const png = async (): Promise<void> => {
    const blob = await pngOf(svg(), getComputedStyle(place.current ?? document.body));
    if (blob) saveFile(`${name}.png`, blob);
  };
  return (
    <span className="files" role="group" aria-label="Save the chart">
      {props.drawn ? (
        <>
          <button type="button" className="button small" onClick={() => void png()}>
            PNG
          </button>
          <button
            type="button"
            className="button small"
            onClick={() => saveFile(`${name}.svg`, svg())}
          >
            SVG
          </button>
        </>
      ) : null}
      <button
        type="button"
        className="button small"
        onClick={() =>
          saveFile(`${name}.csv`, new Blob([csvOf(benchmark, table)], { type: 'text/csv' }))
        }
      >
        CSV
      </button>
    </span>
  );
}

/** The SVG at twice its size, so that what is saved has title, axes and legend. */
async function pngOf(svg: Blob, style: CSSStyleDeclaration): Promise<Blob | null> {
  const url = URL.createObjectURL(svg);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.width * 2;
    canvas.height = image.height * 2;
    const context = canvas.getContext('2d');
    if (!context) return null;
    context.font = style.font;
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
  } finally {
    URL.revokeObjectURL(url);
  }
}

function PointTable(props: {
  readonly benchmark: BenchmarkEvent;
  readonly table: Table;
}): React.ReactNode {
  const { benchmark, table } = props;
  return (
    <div className="scroll-x" tabIndex={0}>
      <table className="data">
        <TableHead
          columns={[
            number(benchmark.xName),
            ...table.columns.map(({ name }) =>
              number(benchmark.yLabel ? `${name} (${benchmark.yLabel})` : name),
            ),
          ]}
        />
        <tbody>
          {table.xs.map((x, row) => (
            <tr key={String(x)}>
              <td className="number">{xText(x)}</td>
              {table.columns.map((column) => (
                <td
                  key={column.name}
                  className={column.pinned ? 'number muted' : 'number'}
                  title={pointText(column, row, benchmark.yLabel).join('')}
                >
                  {formatNumber(column.ys[row] ?? null, 4)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
