/** Every `allclose`, `assert_close` and `torch.equal` of the run: did it hold, and where not. */
import { useState } from 'react';
import type { ComparisonEvent } from '../../state/record';
import { useRunRecord } from '../../state/runRecord';
import { Empty, RunAction } from '../common/Empty';
import { formatCount, formatExact, formatNumber, formatShape } from '../common/format';
import { Heatmap } from '../common/Heatmap';
import { Site } from '../common/Site';

export function Compare(): React.ReactNode {
  const record = useRunRecord();
  const comparisons = record?.comparisons ?? [];
  if (comparisons.length === 0)
    return (
      <Empty title="Nothing was compared yet" action={record ? null : <RunAction />}>
        Each call of <code>torch.allclose</code>, <code>torch.testing.assert_close</code> or{' '}
        <code>torch.equal</code> in the program appears here, with its errors and where they are.
      </Empty>
    );
  const failed = comparisons.filter((comparison) => !comparison.passed).length;
  // Failures first; otherwise in the program's order.
  const sorted = [...comparisons].sort((a, b) => Number(a.passed) - Number(b.passed));
  return (
    <>
      <div className="panel-bar">
        <span className="sign pass">✓ {comparisons.length - failed} passed</span>
        <span className={failed > 0 ? 'sign fail' : 'muted'}>✗ {failed} failed</span>
      </div>
      <ul className="compare-list">
        {sorted.map((comparison, index) => (
          <Row
            key={`${record?.run ?? 0}:${comparison.id}`}
            comparison={comparison}
            initiallyOpen={index === 0 || (!comparison.passed && index < 4)}
          />
        ))}
      </ul>
    </>
  );
}

function summaryOf(comparison: ComparisonEvent): string {
  const { message, passed, mismatches, count, maxAbsolute } = comparison;
  if (message !== null) return message;
  const largest = `largest error ${formatNumber(maxAbsolute, 3)}`;
  if (passed) return `${formatCount(count)} elements, ${largest}`;
  const share = count > 0 ? ((100 * mismatches) / count).toPrecision(3) : '0';
  return `${formatCount(mismatches)} of ${formatCount(count)} elements differ (${share} %), ${largest}`;
}

function Row(props: {
  readonly comparison: ComparisonEvent;
  readonly initiallyOpen: boolean;
}): React.ReactNode {
  const { comparison } = props;
  const [open, setOpen] = useState(props.initiallyOpen);
  const { passed, kind, shape, dtype, site } = comparison;
  return (
    <li data-passed={passed}>
      <button
        type="button"
        className="compare-head"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <span className={passed ? 'sign pass' : 'sign fail'}>
          <span aria-hidden="true">{passed ? '✓' : '✗'}</span>
          <span className="hidden-visually">{passed ? 'passed' : 'failed'}</span>
        </span>
        <span>
          <span className="mono">
            {kind} {dtype} {formatShape(shape)}
          </span>
          {open ? null : <span className="muted mono"> line {site.line}</span>}
          <br />
          <span className="verdict">{summaryOf(comparison)}</span>
        </span>
        <span className="muted">{open ? 'less' : 'more'}</span>
      </button>
      {open ? <Details comparison={comparison} /> : null}
    </li>
  );
}

function Details({ comparison }: { readonly comparison: ComparisonEvent }): React.ReactNode {
  const { first, heatmap, rtol, atol, maxAbsolute, maxRelative, nanMismatches } = comparison;
  // Nothing was compared where shapes differ: the head says so.
  if (comparison.message !== null && comparison.count === 0)
    return (
      <div className="compare-body">
        <Site site={comparison.site} />
      </div>
    );
  return (
    <div className="compare-body">
      <dl className="facts">
        <div>
          <dt>max |error|</dt>
          <dd>{formatNumber(maxAbsolute)}</dd>
        </div>
        <div>
          <dt>max relative error</dt>
          <dd>{formatNumber(maxRelative)}</dd>
        </div>
        <div>
          <dt>mismatches</dt>
          <dd>{formatCount(comparison.mismatches)}</dd>
        </div>
        {nanMismatches > 0 ? (
          <div>
            <dt>of them NaN</dt>
            <dd className="sign fail">{formatCount(nanMismatches)}</dd>
          </div>
        ) : null}
        <div>
          <dt>tolerance</dt>
          <dd>
            {comparison.kind === 'equal'
              ? 'none'
              : `${formatNumber(atol)} + ${formatNumber(rtol)} × |expected|`}
          </dd>
        </div>
        <div>
          <dd>
            <Site site={comparison.site} />
          </dd>
        </div>
      </dl>
      {first ? (
        <p className="mismatch">
          First mismatch at <span className="mono">[{first.index.join(', ')}]</span>: got{' '}
          <b className="mono">{formatExact(first.actual)}</b>, expected{' '}
          <b className="mono">{formatExact(first.expected)}</b>
        </p>
      ) : null}
      {heatmap && heatmap.values.length > 0 ? (
        (maxAbsolute ?? 0) > 0 || nanMismatches > 0 ? (
          <div>
            <p className="muted" style={{ marginBottom: 4 }}>
              Largest absolute error, by place
            </p>
            <Heatmap preview={heatmap} errors label="Absolute error by place" />
          </div>
        ) : (
          <p className="muted">Every element is exactly equal.</p>
        )
      ) : null}
    </div>
  );
}
