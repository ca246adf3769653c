/** Bars with a read-out; the same numbers stand in a table for those who do not see them. */
import { useState } from 'react';
import { formatCount } from './format';

export interface Bar {
  readonly label: string;
  readonly count: number;
  readonly kind?: 'zero' | 'over';
}

export function Histogram(props: {
  readonly label: string;
  readonly bars: readonly Bar[];
  /** Texts below the first and the last bar. */
  readonly low: string;
  readonly high: string;
  /** Heights by the logarithm: one among millions is seen. */
  readonly log?: boolean;
}): React.ReactNode {
  const { bars, log = false } = props;
  const [at, setAt] = useState<number | null>(null);
  const most = Math.max(1, ...bars.map((bar) => bar.count));
  const total = bars.reduce((sum, bar) => sum + bar.count, 0);
  const height = (count: number): number =>
    count === 0 ? 0 : Math.max(2, 70 * (log ? Math.log1p(count) / Math.log1p(most) : count / most));
  const shown = at === null ? null : bars[at];
  const share = (count: number): string =>
    `${((100 * count) / Math.max(1, total)).toPrecision(3)} %`;
  return (
    <figure className="histogram" aria-label={props.label}>
      <svg viewBox={`0 0 ${bars.length * 10} 72`} preserveAspectRatio="none" aria-hidden="true">
        {bars.map((bar, index) => (
          <rect
            key={index}
            className={bar.kind ? `bar ${bar.kind}` : 'bar'}
            x={index * 10 + 0.5}
            width={9}
            y={72 - height(bar.count)}
            height={height(bar.count)}
          />
        ))}
        {bars.map((_, index) => (
          <rect
            key={index}
            x={index * 10}
            width={10}
            y={0}
            height={72}
            fill="transparent"
            onPointerEnter={() => setAt(index)}
            onPointerLeave={() => setAt(null)}
          />
        ))}
      </svg>
      <div className="axis" aria-hidden="true">
        <span>{props.low}</span>
        <span>{props.high}</span>
      </div>
      <div className="readout" aria-hidden="true">
        {shown
          ? `${shown.label}: ${formatCount(shown.count)} (${share(shown.count)})`
          : log
            ? 'Heights are logarithmic.'
            : ''}
      </div>
      <table className="hidden-visually">
        <caption>{props.label}</caption>
        <tbody>
          {bars
            .filter((bar) => bar.count > 0)
            .map((bar, index) => (
              <tr key={index}>
                <th scope="row">{bar.label}</th>
                <td>{formatCount(bar.count)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </figure>
  );
}
