/**
 * The tables of `hippocamp bench`: charts of `perf_report`, calls of `do_bench`, and for a program
 * without either the times of its launches. Each row was measured several times.
 *
 * Guarantee: a value is a median of measurements, and its noise what they differed by. A ratio is
 * of two values of one clock, on one adapter; else it is null and `reason` states why.
 */
import type { Diagnostic } from '../../compiler/diagnostics';
import { csvText } from '../csv';
import type { AdapterInfo, ProgramEvent } from '../events';
import { profileOf, recordOf } from './profile';

export type BenchClock = 'gpu' | 'cpu' | 'mixed';

export interface BenchRow {
  /** A line of the chart, `do_bench`, or a kernel with its grid. */
  readonly line: string;
  /** The chart's x, the number of the call, or the file and line of a launch. */
  readonly x: number | string;
  /** Median of the repeats; null where the clock is too coarse for it. */
  readonly value: number | null;
  /** The value of each repeat. */
  readonly repeats: readonly number[];
  /** (largest − least) ÷ median; null with fewer than two repeats. */
  readonly noise: number | null;
  readonly clock: BenchClock;
  /** Absent without an earlier file. */
  readonly against?: BenchComparison | undefined;
}

export interface BenchComparison {
  readonly value: number | null;
  /** The value now over the value then. */
  readonly ratio: number | null;
  /** The larger noise of the two; null where a side has one repeat. */
  readonly noise: number | null;
  /** Whether the ratio is farther from 1 than the noise; null where either is unknown. */
  readonly changed: boolean | null;
  /** Why there is no ratio; null where there is one. */
  readonly reason: string | null;
}

export interface BenchTable {
  readonly kind: 'chart' | 'do_bench' | 'launches';
  readonly name: string;
  readonly xName: string;
  /** Unit of the values, as the program names it: `GB/s`. */
  readonly yLabel: string;
  readonly rows: readonly BenchRow[];
  readonly notes: readonly string[];
}

export interface BenchReport {
  readonly version: 1;
  readonly file: string;
  readonly adapter: AdapterInfo | null;
  readonly repeats: number;
  readonly tables: readonly BenchTable[];
  /** The file and adapter that `against` of the rows are of; null without one. */
  readonly against: { readonly file: string; readonly adapter: AdapterInfo | null } | null;
  readonly outcome: 'ok' | 'error' | 'stopped';
  /** Whether the exit code is 0. */
  readonly passed: boolean;
  readonly errors: readonly Diagnostic[];
}

type ChartEvent = Extract<ProgramEvent, { type: 'benchmark' }>;

/** Charts and calls of `do_bench`, in the order in which they began. */
export function chartTables(events: readonly ProgramEvent[]): BenchTable[] {
  // A chart is sent again with every point: the last is whole. Several may have one name.
  const runs = new Map<string, Map<number, ChartEvent>[]>();
  const open = new Map<string, ChartEvent>();
  for (const event of events) {
    if (event.type !== 'benchmark') continue;
    const repeat = event.repeat ?? 0;
    const same = runs.get(event.name) ?? [];
    runs.set(event.name, same);
    const before = open.get(event.name);
    // Calls of do_bench at a line add to charts that are done.
    const begins = before?.done === true && repeat === 0 && points(event) === 0;
    if (same.length === 0 || begins) same.push(new Map());
    same.at(-1)!.set(repeat, event);
    open.set(event.name, event);
  }
  return [...runs.values()].flat().map(tableOf);
}

const points = ({ lines }: ChartEvent): number =>
  lines.reduce((sum, line) => sum + line.points.length, 0);

function tableOf(repeats: ReadonlyMap<number, ChartEvent>): BenchTable {
  const charts = [...repeats.values()];
  const first = charts[0]!;
  const rows = first.lines.flatMap((line, place) => {
    const values = new Map<string, { x: number | string; values: number[] }>();
    for (const chart of charts) {
      const seen = new Map<number | string, number>();
      for (const { x, y } of chart.lines[place]?.points ?? []) {
        const nth = (seen.get(x) ?? 0) + 1;
        seen.set(x, nth);
        const entry = values.get(`${nth} ${x}`) ?? { x, values: [] };
        values.set(`${nth} ${x}`, entry);
        entry.values.push(y);
      }
    }
    const clocks = new Set(charts.map((chart) => chart.lines[place]?.clock ?? 'cpu'));
    const clock = clocks.size === 1 ? line.clock : 'mixed';
    return [...values.values()].map((of) => rowOf(line.name, of.x, of.values, clock));
  });
  const notes = [...new Set(charts.flatMap((chart) => chart.notes))];
  if (charts.some(({ done }) => !done)) notes.push('the program ended before it was complete');
  const { name, xName, yLabel } = first;
  const kind = name.startsWith('do_bench at ') ? 'do_bench' : 'chart';
  return { kind, name, xName, yLabel, rows, notes };
}

function rowOf(
  line: string,
  x: number | string,
  repeats: readonly number[],
  clock: BenchClock,
  coarse = false,
): BenchRow {
  const sorted = repeats.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const value =
    sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  const spread = sorted.at(-1)! - sorted[0]!;
  const noise = sorted.length < 2 || !(value > 0) ? null : spread / value;
  return { line, x, value: coarse ? null : value, repeats, noise: coarse ? null : noise, clock };
}

/** The launches of runs of one program, each run a repeat. Microseconds. */
export function launchTable(runs: readonly (readonly ProgramEvent[])[]): BenchTable | null {
  const found = new Map<string, { row: BenchRow; coarse: boolean }>();
  let untimed = 0;
  for (const [i, events] of runs.entries()) {
    const seen = new Map<string, number>();
    for (const kernel of profileOf(recordOf(events)).kernels) {
      if (kernel.median === null || kernel.clock === null) {
        if (i === 0) untimed++;
        continue;
      }
      const line = `${kernel.kernel}[${kernel.grid.join(', ')}]`;
      const x = `${kernel.file}:${kernel.line}`;
      const nth = (seen.get(`${line} ${x}`) ?? 0) + 1;
      seen.set(`${line} ${x}`, nth);
      const key = `${nth} ${line} ${x}`;
      const before = found.get(key);
      const coarse =
        (before?.coarse ?? false) || (kernel.clock === 'gpu' && kernel.median < kernel.quantum!);
      const values = [...(before?.row.repeats ?? []), kernel.median];
      const clock = before && before.row.clock !== kernel.clock ? 'mixed' : kernel.clock;
      found.set(key, { row: rowOf(line, x, values, clock, coarse), coarse });
    }
  }
  if (found.size === 0) return null;
  const notes = untimed > 0 ? [`${untimed} kernels without a time are left out`] : [];
  if ([...found.values()].some(({ coarse }) => coarse))
    notes.push('–: the time is below the resolution of the clock');
  return {
    ...{ kind: 'launches', name: 'launches', xName: 'line', yLabel: 'µs' },
    rows: [...found.values()].map(({ row }) => row),
    notes,
  };
}

/** The report with each row beside that of an earlier one. */
export function comparedWith(report: BenchReport, before: BenchReport): BenchReport {
  const isSame = JSON.stringify(report.adapter) === JSON.stringify(before.adapter);
  const reason = isSame ? null : 'the runs had different adapters';
  const rows = new Map<string, BenchRow[]>();
  for (const table of before.tables)
    for (const row of table.rows) {
      const key = keyOf(table, row);
      rows.set(key, [...(rows.get(key) ?? []), row]);
    }
  const tables = report.tables.map((table) => ({
    ...table,
    rows: table.rows.map((row) => {
      const old = rows.get(keyOf(table, row))?.shift();
      return { ...row, against: compared(row, old, reason) };
    }),
  }));
  return { ...report, tables, against: { file: before.file, adapter: before.adapter } };
}

/** Launches are known by kernel and grid: lines of a program move. */
function keyOf({ kind, name, yLabel }: BenchTable, { line, x }: BenchRow): string {
  if (kind === 'launches') return `launch ${line}`;
  const table = kind === 'do_bench' ? '' : `${name} ${yLabel}`;
  return JSON.stringify([kind, table, line, x]);
}

function compared(
  now: BenchRow,
  old: BenchRow | undefined,
  adapters: string | null,
): BenchComparison {
  const none = (reason: string): BenchComparison => ({
    value: old?.value ?? null,
    ratio: null,
    noise: null,
    changed: null,
    reason,
  });
  if (!old) return none('not measured then');
  if (adapters !== null) return none(adapters);
  if (now.clock !== old.clock) return none('the times are of different clocks');
  if (now.value === null || old.value === null || !(old.value > 0))
    return none('a side has no time above the resolution of the clock');
  const ratio = now.value / old.value;
  const noise = now.noise === null || old.noise === null ? null : Math.max(now.noise, old.noise);
  const changed = noise === null ? null : Math.abs(ratio - 1) > noise;
  return { value: old.value, ratio, noise, changed, reason: null };
}

/** The tables for a terminal: a row an x, a column a line, as Triton prints them. */
export function benchText({ tables, adapter, repeats, against }: BenchReport): string {
  const parts = tables.map((table) => {
    const unit = table.yLabel === '' ? '' : ` (${table.yLabel})`;
    const cells =
      table.kind === 'launches' ? launchCells(table) : wide(table, (row) => cell(row, against));
    const notes = table.notes.map((note) => `note: ${note}\n`).join('');
    return `${table.name}${unit}\n${aligned(cells)}${notes}`;
  });
  const on = `on ${adapter?.name ?? 'no adapter'}, ${repeats} repeat${repeats === 1 ? '' : 's'}`;
  const key = repeats > 1 ? '; ± is the distance of their extremes' : '';
  const then = against ? `; × is now ÷ ${against.file}, with * where that is beyond the noise` : '';
  return `${parts.join('\n')}${parts.length > 0 ? '\n' : ''}${on}${key}${then}\n`;
}

function launchCells({ rows }: BenchTable): string[][] {
  const body = rows.map((row) => [row.line, String(row.x), row.clock, cell(row, null)]);
  const more = rows.map(({ against }) => (against ? [beside(against)] : []));
  return [
    ['kernel', 'line', 'clock', 'median'],
    ...body.map((cells, i) => [...cells, ...more[i]!]),
  ];
}

/** A row for each x, a column for each line of a chart. */
function wide({ xName, rows }: BenchTable, text: (row: BenchRow) => string): string[][] {
  const lines = [...new Set(rows.map(({ line }) => line))];
  const made: { readonly x: number | string; readonly cells: Map<string, string> }[] = [];
  for (const row of rows) {
    let at = made.find(({ x, cells }) => x === row.x && !cells.has(row.line));
    if (!at) made.push((at = { x: row.x, cells: new Map() }));
    at.cells.set(row.line, text(row));
  }
  return [
    [xName, ...lines],
    ...made.map(({ x, cells }) => [String(x), ...lines.map((line) => cells.get(line) ?? '')]),
  ];
}

/** @param against whether a ratio stands behind the value */
function cell(row: BenchRow, against: BenchReport['against']): string {
  const value = row.value === null ? '–' : digits(row.value);
  const noise = row.noise === null ? '' : ` ± ${percent(row.noise)}`;
  const then = against && row.against ? ` ${beside(row.against)}` : '';
  return `${value}${noise}${then}`;
}

function beside({ ratio, changed, reason }: BenchComparison): string {
  return ratio === null ? `(${reason})` : `× ${digits(ratio)}${changed === true ? ' *' : ''}`;
}

const percent = (share: number): string => `${Number((share * 100).toPrecision(2))} %`;
const digits = (value: number): string => String(Number(value.toPrecision(4)));

function aligned(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [i, text] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, text.length);
  return rows
    .map((row) => `  ${row.map((text, i) => text.padEnd(widths[i]!)).join('  ')}`.trimEnd() + '\n')
    .join('');
}

/** A table as Triton's `save_path` writes it, in full precision; launches with their columns. */
export function benchCsv(table: BenchTable): string {
  const value = (row: BenchRow): string => (row.value === null ? '' : String(row.value));
  const cells =
    table.kind === 'launches'
      ? [
          ['kernel', 'line', 'clock', `median (${table.yLabel})`],
          ...table.rows.map((row) => [row.line, String(row.x), row.clock, value(row)]),
        ]
      : wide(table, value);
  return csvText(cells);
}

/** Names of the tables' files. A program names its charts: such a name stays in the folder. */
export function csvNames(tables: readonly BenchTable[]): string[] {
  const taken = new Set<string>();
  return tables.map(({ name }) => {
    const base = name.replace(/[^\p{L}\p{N} ._-]+/gu, '_').replace(/^[ .]+/, '_') || 'table';
    let file = `${base.slice(0, 120)}.csv`;
    for (let i = 2; taken.has(file.toLowerCase()); i++) file = `${base.slice(0, 120)} ${i}.csv`;
    taken.add(file.toLowerCase());
    return file;
  });
}
