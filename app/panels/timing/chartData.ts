/** A benchmark's chart as columns: for drawing, for its table, and for files. */
import { csvText } from '../../csv';
import type { BenchmarkEvent } from '../../state/record';
import { formatNumber } from '../common/format';

export interface Column {
  readonly name: string;
  readonly clock: 'gpu' | 'cpu' | 'mixed';
  readonly dash: string | null;
  /** Points of an earlier run, to compare with. */
  readonly pinned: boolean;
  readonly ys: readonly (number | null)[];
  readonly lows: readonly (number | null)[];
  readonly highs: readonly (number | null)[];
}
export interface Table {
  readonly xs: readonly (number | string)[];
  readonly numeric: boolean;
  readonly columns: readonly Column[];
}

/** Colours there are for lines: `--series-1` … in `theme/tokens.css`. */
export const SERIES = 6;

/**
 * Pixels of strokes and gaps in turn, none for a solid line. Lines beyond the colours are dashed.
 */
export function dashOf({ dash, pinned }: Column, index: number): number[] {
  if (pinned) return [2, 4];
  if (dash === '--') return [6, 4];
  if (dash === ':') return [2, 3];
  if (dash === '-.') return [6, 3, 2, 3];
  return index >= SERIES ? [6, 4] : [];
}

type Lines = BenchmarkEvent['lines'];

export function tableOf(benchmark: Pick<BenchmarkEvent, 'lines'>, pinned: Lines = []): Table {
  const seen = new Set<number | string>();
  for (const line of benchmark.lines) for (const point of line.points) seen.add(point.x);
  const xs = [...seen];
  const numeric = xs.every((x) => typeof x === 'number');
  if (numeric) xs.sort((a, b) => Number(a) - Number(b));
  const column = (line: Lines[number], isPinned: boolean): Column => {
    const byX = new Map(line.points.map((point) => [point.x, point]));
    const points = xs.map((x) => byX.get(x) ?? null);
    return {
      name: isPinned ? `${line.name} (pinned)` : line.name,
      clock: line.clock,
      dash: line.dash,
      pinned: isPinned,
      ys: points.map((point) => point?.y ?? null),
      lows: points.map((point) => point?.low ?? null),
      highs: points.map((point) => point?.high ?? null),
    };
  };
  return {
    xs,
    numeric,
    columns: [
      ...benchmark.lines.map((line) => column(line, false)),
      ...pinned.map((line) => column(line, true)),
    ],
  };
}

/** Powers of two read as such on axes of sizes. */
export function axisLabel(value: number): string {
  if (value >= 2 ** 30 && value % 2 ** 30 === 0) return `${value / 2 ** 30}Gi`;
  if (value >= 2 ** 20 && value % 2 ** 20 === 0) return `${value / 2 ** 20}Mi`;
  if (value >= 1024 && value % 1024 === 0) return `${value / 1024}Ki`;
  return formatNumber(value, 3);
}

/** With the ends of the spread, where there are any. */
export function csvOf(benchmark: BenchmarkEvent, table: Table): string {
  const spread = (column: Column): boolean => column.lows.some((low) => low !== null);
  const unit = benchmark.yLabel ? ` (${benchmark.yLabel})` : '';
  const head = table.columns.flatMap((column) => [
    `${column.name}${unit}`,
    ...(spread(column) ? [`${column.name} low`, `${column.name} high`] : []),
  ]);
  const rows = table.xs.map((x, row) => [
    String(x),
    ...table.columns.flatMap((column) => {
      const values = [
        column.ys[row],
        ...(spread(column) ? [column.lows[row], column.highs[row]] : []),
      ];
      return values.map((value) => (value === null || value === undefined ? '' : String(value)));
    }),
  ]);
  return csvText([[benchmark.xName, ...head], ...rows]);
}
