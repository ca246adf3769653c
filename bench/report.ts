/** What the benchmark found, as lines for people and as JSON. */
import type { Measured } from './gpu';

export interface Figure {
  /** 'matmul 4096³, yardstick'. */
  readonly name: string;
  readonly toggles: string;
  /** In `unit`: higher is better, except for times. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly unit: 'TB/s' | 'GB/s' | 'TFLOP/s' | 'GFLOP/s' | 'ms';
  /** Against the yardstick named, where there is one; what the issue of record asks for beside it. */
  readonly ratio?: { readonly to: string; readonly value: number; readonly wanted: number };
  /** Seconds of one dispatch: the raw measurement. */
  readonly measured?: Measured;
  /** The result was compared with a computation elsewhere: the largest difference. */
  readonly error?: number;
  readonly note?: string;
}

/** A rate from a measurement: `amount` (bytes or operations) a second. */
export function rate(
  amount: number,
  measured: Measured,
  kind: 'bytes' | 'flops',
): Pick<Figure, 'value' | 'low' | 'high' | 'unit' | 'measured'> {
  const large = amount / measured.median >= 1e12;
  const scale = large ? 1e12 : 1e9;
  const unit =
    kind === 'bytes' ? (large ? 'TB/s' : 'GB/s') : large ? ('TFLOP/s' as const) : 'GFLOP/s';
  return {
    value: amount / measured.median / scale,
    // The longest time is the lowest rate.
    low: amount / measured.high / scale,
    high: amount / measured.low / scale,
    unit,
    measured,
  };
}

/** Three or four significant digits. */
export function digits(value: number): string {
  return value >= 1000 ? value.toFixed(0) : value.toPrecision(3);
}

export function print(figure: Figure): void {
  const { name, value, low, high, unit, ratio, error, note, toggles } = figure;
  const parts = [
    `${digits(value)} ${unit}`.padStart(14),
    `(${digits(low)} … ${digits(high)})`.padEnd(18),
    `[${toggles}]`.padEnd(10),
    name,
  ];
  if (ratio) {
    const reached = unit === 'ms' ? ratio.value <= ratio.wanted : ratio.value >= ratio.wanted;
    const good = reached ? 'reached' : 'NOT REACHED';
    const less = unit === 'ms' ? 'at most ' : '';
    parts.push(`= ${digits(ratio.value)} × ${ratio.to}, wanted ${less}${ratio.wanted}: ${good}`);
  }
  if (error !== undefined) parts.push(`max error ${error.toExponential(1)}`);
  if (note) parts.push(`(${note})`);
  console.log(parts.join('  '));
}
