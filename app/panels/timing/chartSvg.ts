/**
 * A benchmark's chart as an SVG file: the same axes, lines and spreads, on white, with its own
 * legend.
 */
import type { BenchmarkEvent } from '../../state/record';
import { formatNumber } from '../common/format';
import { axisLabel, dashOf, type Table } from './chartData';
import { ticks } from './ticks';

const WIDTH = 720;
const HEIGHT = 420;
const LEFT = 76;
const RIGHT = 20;
const TOP = 40;
const BOTTOM = 56;

interface Axis {
  at(value: number): number;
  readonly ticks: readonly number[];
}

/** Between two pixels; ticks are round, powers of two or ten where it is logarithmic. */
export function axisOf(
  low: number,
  high: number,
  from: number,
  to: number,
  log: 2 | 10 | null,
): Axis {
  if (log !== null && low > 0) {
    const [a, b] = [Math.log(low) / Math.log(log), Math.log(high) / Math.log(log)];
    const span = b - a || 1;
    const first = Math.ceil(a - 1e-9);
    const count = Math.max(1, Math.floor(b + 1e-9) - first + 1);
    const step = Math.max(1, Math.ceil(count / 9));
    return {
      ticks: Array.from({ length: Math.ceil(count / step) }, (_, i) => log ** (first + i * step)),
      at: (value) => from + ((Math.log(value) / Math.log(log) - a) / span) * (to - from),
    };
  }
  return {
    ticks: ticks(low, high, 6),
    at: (value) => from + ((value - low) / (high - low || 1)) * (to - from),
  };
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export function chartSvg(
  benchmark: BenchmarkEvent,
  table: Table,
  colors: readonly string[],
): string {
  const xs = table.xs.map((x, i) => (table.numeric ? Number(x) : i));
  const all = table.columns.flatMap(({ ys, highs }) => [...ys, ...highs]).filter((y) => y !== null);
  const least = Math.min(...all.filter((y) => y > 0), Infinity);
  const most = Math.max(...all, 0) * 1.05 || 1;
  const xLog = benchmark.xLog && table.numeric && xs.every((x) => x > 0) ? 2 : null;
  const yLog = benchmark.yLog && least < Infinity ? 10 : null;
  const x = axisOf(Math.min(...xs), Math.max(...xs), LEFT + 12, WIDTH - RIGHT - 12, xLog);
  const y = axisOf(yLog ? least / 1.2 : 0, most, HEIGHT - BOTTOM, TOP, yLog);
  const places = table.numeric ? x.ticks : xs;
  const name = (value: number): string =>
    table.numeric ? axisLabel(value) : String(table.xs[value] ?? '');
  const text = (at: string, content: string, more = ''): string =>
    `<text ${at} ${more}>${escape(content)}</text>`;
  const out: string[] = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="Inter, sans-serif" font-size="12" fill="#15201f">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(`x="${LEFT}" y="20"`, benchmark.name, 'font-size="14" font-weight="600"'),
  ];
  for (const tick of y.ticks) {
    const at = y.at(tick).toFixed(1);
    out.push(`<path d="M${LEFT} ${at}H${WIDTH - RIGHT}" stroke="#dce2e2"/>`);
    out.push(text(`x="${LEFT - 8}" y="${at}" dy="4"`, formatNumber(tick, 3), 'text-anchor="end"'));
  }
  for (const tick of places) {
    const at = x.at(tick).toFixed(1);
    out.push(`<path d="M${at} ${TOP}V${HEIGHT - BOTTOM}" stroke="#eef1f1"/>`);
    out.push(text(`x="${at}" y="${HEIGHT - BOTTOM + 18}"`, name(tick), 'text-anchor="middle"'));
  }
  const middle = (LEFT + WIDTH - RIGHT) / 2;
  const label = benchmark.xLabel || benchmark.xName;
  out.push(text(`x="${middle}" y="${HEIGHT - 12}"`, label, 'text-anchor="middle"'));
  const turned = `transform="translate(16 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)"`;
  out.push(text(turned, benchmark.yLabel, 'text-anchor="middle"'));
  table.columns.forEach((column, index) => {
    const color = colors[index] ?? '#3a3f44';
    const points = column.ys.flatMap((value, i) =>
      value === null || (yLog && value <= 0) ? [] : [[x.at(xs[i]!), y.at(value), i] as const],
    );
    const line = points.map(([px, py]) => `${px.toFixed(1)} ${py.toFixed(1)}`).join('L');
    const strokes = dashOf(column, index);
    const dash = strokes.length > 0 ? ` stroke-dasharray="${strokes.join(' ')}"` : '';
    if (line !== '')
      out.push(`<path d="M${line}" fill="none" stroke="${color}" stroke-width="2"${dash}/>`);
    for (const [px, py, i] of points) {
      const [low, high] = [column.lows[i], column.highs[i]];
      if (typeof low === 'number' && typeof high === 'number' && (!yLog || low > 0))
        out.push(
          `<path d="M${px.toFixed(1)} ${y.at(low).toFixed(1)}V${y.at(high).toFixed(1)}" stroke="${color}" opacity="0.5"/>`,
        );
      out.push(`<circle cx="${px.toFixed(1)}" cy="${py.toFixed(1)}" r="2.5" fill="${color}"/>`);
    }
    const top = TOP + 8 + index * 18;
    out.push(`<path d="M${LEFT + 16} ${top}h20" stroke="${color}" stroke-width="2"${dash}/>`);
    out.push(text(`x="${LEFT + 42}" y="${top + 4}"`, column.name));
  });
  out.push('</svg>');
  return out.join('\n');
}
