/** How the errors are spread over the decades, and over units in the last place. */
import type { ErrorReport, Tolerance } from '../../inspection/errors';
import { logEdge, type LogHistogram } from '../../inspection/logBins';
import { formatNumber } from '../common/format';
import { Histogram, type Bar } from '../common/Histogram';

export function ErrorHistograms(props: {
  readonly report: ErrorReport;
  readonly tolerance: Tolerance;
}): React.ReactNode {
  const { report, tolerance } = props;
  const { atol, rtol } = tolerance;
  return (
    <section className="compare-histograms" aria-label="Histograms of errors">
      <One title="Absolute errors" histogram={report.absolute} over={rtol === 0 ? atol : null} />
      {report.ulp ? (
        <One title={`ULP of ${report.ulpDtype ?? ''}`} histogram={report.ulp} over={null} />
      ) : (
        <One title="Relative errors" histogram={report.relative} over={atol === 0 ? rtol : null} />
      )}
    </section>
  );
}

function One(props: {
  readonly title: string;
  readonly histogram: LogHistogram;
  /** Bins above it are over the tolerance; null where it depends on the element. */
  readonly over: number | null;
}): React.ReactNode {
  const { title, histogram, over } = props;
  const bars = logBars(histogram, over);
  return (
    <div>
      <h4>{title}</h4>
      <Histogram
        label={title}
        bars={bars}
        low={bars[0]?.kind === 'zero' ? '0' : (bars[0]?.label ?? '')}
        high={
          histogram.counts.length > 0
            ? formatNumber(logEdge(histogram.first + histogram.counts.length, histogram.base), 3)
            : ''
        }
        log
      />
    </div>
  );
}

function logBars({ zero, base, first, counts }: LogHistogram, over: number | null): Bar[] {
  const bars: Bar[] = counts.map((count, i) => {
    const [from, to] = [logEdge(first + i, base), logEdge(first + i + 1, base)];
    // Distances are whole numbers, so an octave is a range of them.
    const text =
      base === 2 && from >= 1
        ? to - from === 1
          ? formatNumber(from)
          : `${formatNumber(from)} to ${formatNumber(to - 1)}`
        : `${formatNumber(from, 3)} to ${formatNumber(to, 3)}`;
    return {
      label: text,
      count,
      ...(over !== null && from >= over ? { kind: 'over' as const } : {}),
    };
  });
  return [{ label: 'no error', count: zero, kind: 'zero' }, ...bars];
}
