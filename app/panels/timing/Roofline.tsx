/**
 * The roofline of this adapter: what memory and arithmetic allow at best, as calibrated, and where
 * each launch stands. Williams, Waterman, Patterson, "Roofline", 2009. Both axes are logarithmic.
 */
import { useState } from 'react';
import type { Calibration } from '../../events';
import { formatNumber } from '../common/format';
import { formatRate } from './rates';

export interface RoofPoint {
  readonly label: string;
  /** Operations for each byte that has to come from memory or go there. */
  readonly intensity: number;
  readonly perSecond: number;
  readonly share: number | null;
}

const WIDTH = 560;
const HEIGHT = 260;
const LEFT = 64;
const BOTTOM = 34;
const TOP = 12;
const RIGHT = 12;

export function Roofline(props: {
  readonly calibration: Calibration;
  readonly points: readonly RoofPoint[];
}): React.ReactNode {
  const { calibration, points } = props;
  const [at, setAt] = useState<number | null>(null);
  const roofs = [
    { name: 'f32', peak: calibration.f32PerSecond },
    ...(calibration.f16PerSecond === null ? [] : [{ name: 'f16', peak: calibration.f16PerSecond }]),
  ];
  const { bytesPerSecond } = calibration;
  const ridge = calibration.f32PerSecond / bytesPerSecond;
  const xs = [ridge, ...points.map((point) => point.intensity)].filter((x) => x > 0);
  const ys = [...roofs.map((roof) => roof.peak), ...points.map((point) => point.perSecond)];
  const x = axis(Math.min(...xs) / 4, Math.max(...xs) * 4, LEFT, WIDTH - RIGHT);
  const y = axis(
    Math.min(...ys.filter((each) => each > 0)) / 4,
    Math.max(...ys) * 2,
    HEIGHT - BOTTOM,
    TOP,
  );
  const shown = at === null ? null : points[at];
  /** Names that would lie on another's are left to the read-out. */
  const isNamed = (index: number): boolean =>
    points
      .slice(0, index)
      .every((other) => Math.abs(y.at(other.perSecond) - y.at(points[index]!.perSecond)) >= 14);
  return (
    <section className="section" aria-label="Roofline">
      <h3>Roofline of {calibration.adapter}</h3>
      <svg
        className="roofline"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="group"
        aria-label="Roofline: each launch is a point; the table of launches has the same numbers"
      >
        {x.decades.map((value) => (
          <g key={`x${value}`}>
            <line
              className="grid"
              x1={x.at(value)}
              x2={x.at(value)}
              y1={TOP}
              y2={HEIGHT - BOTTOM}
            />
            <text x={x.at(value)} y={HEIGHT - BOTTOM + 14} textAnchor="middle">
              {formatNumber(value, 2)}
            </text>
          </g>
        ))}
        {y.decades.map((value) => (
          <g key={`y${value}`}>
            <line className="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y.at(value)} y2={y.at(value)} />
            <text x={LEFT - 6} y={y.at(value) + 4} textAnchor="end">
              {formatRate(value, '')}
            </text>
          </g>
        ))}
        <text x={(LEFT + WIDTH) / 2} y={HEIGHT - 4} textAnchor="middle">
          FLOP for each byte
        </text>
        <text transform={`translate(12 ${HEIGHT / 2 - 10}) rotate(-90)`} textAnchor="middle">
          FLOP/s
        </text>
        {roofs.map(({ name, peak }, index) => {
          const turn = peak / bytesPerSecond;
          return (
            <g key={name} className="roof">
              <polyline
                points={[
                  [x.at(x.low), y.at(Math.max(y.low, x.low * bytesPerSecond))],
                  [x.at(turn), y.at(peak)],
                  [x.at(x.high), y.at(peak)],
                ]
                  .map((point) => point.join(' '))
                  .join(',')}
              />
              <text x={WIDTH - RIGHT - 4} y={y.at(peak) + (index === 0 ? 14 : -5)} textAnchor="end">
                {name}: {formatRate(peak, 'FLOP/s')}
              </text>
            </g>
          );
        })}
        {points.map((point, index) => (
          <g
            key={index}
            className="point"
            tabIndex={0}
            role="img"
            aria-label={describe(point)}
            onPointerEnter={() => setAt(index)}
            onPointerLeave={() => setAt(null)}
            onFocus={() => setAt(index)}
            onBlur={() => setAt(null)}
          >
            <circle cx={x.at(point.intensity)} cy={y.at(point.perSecond)} r={10} className="hit" />
            <circle cx={x.at(point.intensity)} cy={y.at(point.perSecond)} r={4.5} />
            {isNamed(index) ? (
              <text x={x.at(point.intensity) + 8} y={y.at(point.perSecond) + 4}>
                {point.label}
              </text>
            ) : null}
          </g>
        ))}
      </svg>
      <p className="readout muted">
        {shown
          ? describe(shown)
          : `Memory: ${formatRate(bytesPerSecond, 'B/s')}, measured ${calibration.fromCache ? 'in an earlier run' : 'in this run'}. Below ${formatNumber(ridge, 3)} FLOP for each byte, memory is the limit.`}
      </p>
    </section>
  );
}

function describe({ label, intensity, perSecond, share }: RoofPoint): string {
  const of = share === null ? '' : `, ${formatShare(share)} of the roof`;
  return `${label}: ${formatRate(perSecond, 'FLOP/s')} at ${formatNumber(intensity, 3)} FLOP for each byte${of}`;
}
export function formatShare(share: number): string {
  return `${(100 * share).toPrecision(share >= 1 ? 3 : 2)} %`;
}

/** A logarithmic axis between two pixels, with its decades. */
function axis(
  low: number,
  high: number,
  from: number,
  to: number,
): {
  readonly low: number;
  readonly high: number;
  at(value: number): number;
  readonly decades: number[];
} {
  const [a, b] = [Math.log10(low), Math.log10(Math.max(high, low * 10))];
  const first = Math.ceil(a);
  const count = Math.max(0, Math.floor(b) - first + 1);
  const step = Math.max(1, Math.ceil(count / 7));
  const decades = Array.from({ length: count }, (_, i) => 10 ** (first + i)).filter(
    (_, i) => i % step === 0,
  );
  return {
    low,
    high,
    decades,
    at: (value) => {
      const share = (Math.log10(Math.max(value, low)) - a) / (b - a);
      return Math.round((from + share * (to - from)) * 10) / 10;
    },
  };
}
