/** A graph of readings over runs: each quantity as a share of what it was at the first reading. */
import { QUANTITIES, type Reading } from './meter';

export interface Point {
  readonly runs: number;
  /** Since the page was opened. */
  readonly seconds: number;
  readonly reading: Reading;
}

const WIDTH = 760;
const HEIGHT = 300;
const LEFT = 50;
const TOP = 20;
const PLOT = { width: 560, height: 240 };
const COLORS = [
  '#3b6fd4',
  '#b3261e',
  '#1b7f4b',
  '#8a5a00',
  '#7b3fb3',
  '#00707a',
  '#b0357f',
  '#5a6472',
  '#99a100',
];

/**
 * @param points the first is what the others are compared with.
 * @param limit the share of growth that is allowed, drawn as a line.
 * @returns an SVG document.
 */
export function chart(points: readonly Point[], limit: number): string {
  const [first] = points;
  if (!first) return '<svg xmlns="http://www.w3.org/2000/svg"/>';
  const lines = QUANTITIES.filter((name) => first.reading[name] > 0).map((name) => ({
    name,
    shares: points.map(({ reading }) => reading[name] / first.reading[name]),
  }));
  const all = lines.flatMap(({ shares }) => shares);
  const low = Math.min(0.8, ...all);
  const high = Math.max(1 + 2 * limit, ...all);
  const from = first.runs;
  const to = Math.max(from + 1, points.at(-1)!.runs);
  const x = (runs: number): string =>
    (LEFT + ((runs - from) / (to - from)) * PLOT.width).toFixed(1);
  const y = (share: number): string =>
    (TOP + ((high - share) / (high - low)) * PLOT.height).toFixed(1);
  const rule = (share: number, dash: string): string =>
    `<line x1="${LEFT}" x2="${LEFT + PLOT.width}" y1="${y(share)}" y2="${y(share)}" stroke="#888" stroke-dasharray="${dash}"/>` +
    `<text x="${LEFT - 6}" y="${y(share)}" text-anchor="end" dominant-baseline="middle">${(100 * share).toFixed(0)} %</text>`;
  const drawn = lines.map(({ name, shares }, index) => {
    const color = COLORS[index % COLORS.length];
    const path = shares.map((share, at) => `${x(points[at]!.runs)},${y(share)}`).join(' ');
    const row = TOP + 10 + 24 * index;
    const label = `<text x="${LEFT + PLOT.width + 34}" y="${row}" dominant-baseline="middle">${name}</text>`;
    const key = `<line x1="${LEFT + PLOT.width + 12}" x2="${LEFT + PLOT.width + 28}" y1="${row}" y2="${row}" stroke="${color}" stroke-width="2"/>`;
    return `<polyline fill="none" stroke="${color}" stroke-width="1.5" points="${path}"/>${key}${label}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="11" fill="#444">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    rule(1, '1 0'),
    rule(1 + limit, '4 3'),
    ...drawn,
    `<text x="${LEFT}" y="${HEIGHT - 16}">${from}</text>`,
    `<text x="${LEFT + PLOT.width}" y="${HEIGHT - 16}" text-anchor="end">${to} runs</text>`,
    '</svg>',
    '',
  ].join('\n');
}
