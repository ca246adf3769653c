/** Every `allclose`, `assert_close` and `torch.equal` of the run: did it hold, and where not. */
import { useState } from 'react';
import { derivedText } from '../../inspection/derived';
import { looseText } from '../../inspection/slack';
import { mayRace, racesWereChecked, useRacesChecked } from '../../state/racesChecked';
import type { ComparisonEvent, RunRecord } from '../../state/record';
import { useRunRecord } from '../../state/runRecord';
import { Empty, RunAction } from '../common/Empty';
import { comparisonTitle, formatCount, formatNumber, formatShape } from '../common/format';
import { Replaced } from '../common/Replaced';
import { Details } from './Details';
import '../common/picture.css';
import './compare.css';

/** Comparisons that are listed at first. */
const FIRST = 50;

export function Compare(): React.ReactNode {
  const record = useRunRecord();
  const [all, setAll] = useState(false);
  if (!record || record.comparisons.length === 0)
    return (
      <Empty title="Nothing was compared yet" action={record ? null : <RunAction />}>
        Each call of <code>torch.allclose</code>, <code>torch.testing.assert_close</code> or{' '}
        <code>torch.equal</code> in the program appears here, with its errors and where they are.
      </Empty>
    );
  const { comparisons } = record;
  const failed = comparisons.filter((comparison) => !comparison.passed).length;
  // Failures first; otherwise in the program's order.
  const sorted = [...comparisons].sort((a, b) => Number(a.passed) - Number(b.passed));
  const shown = all ? sorted : sorted.slice(0, FIRST);
  return (
    <>
      <div className="panel-bar">
        <span className={failed < comparisons.length ? 'sign pass' : 'muted'}>
          ✓ {formatCount(comparisons.length - failed)} passed
        </span>
        {failed > 0 ? <span className="sign fail">✗ {formatCount(failed)} failed</span> : null}
      </div>
      <Replaced record={record} />
      <ul className="compare-list">
        {shown.map((comparison, index) => (
          <Row
            key={`${record.run}:${comparison.id}`}
            record={record}
            comparison={comparison}
            initiallyOpen={index === 0}
          />
        ))}
      </ul>
      {shown.length < sorted.length ? (
        <p className="compare-more">
          <button type="button" className="link" onClick={() => setAll(true)}>
            Show {formatCount(sorted.length - shown.length)} more
          </button>
        </p>
      ) : null}
    </>
  );
}

function summaryOf(comparison: ComparisonEvent): string {
  const { message, passed, mismatches, count, maxAbsolute } = comparison;
  if (message !== null && count === 0) return message;
  const largest =
    maxAbsolute === 0
      ? 'exactly equal'
      : maxAbsolute === null
        ? 'no error'
        : `largest error ${formatNumber(maxAbsolute, 3)}`;
  if (passed) return `${formatCount(count)} elements, ${largest}`;
  const share = count > 0 ? ((100 * mismatches) / count).toPrecision(3) : '0';
  return `${formatCount(mismatches)} of ${formatCount(count)} elements differ (${share} %), ${largest}`;
}

function Row(props: {
  readonly record: RunRecord;
  readonly comparison: ComparisonEvent;
  readonly initiallyOpen: boolean;
}): React.ReactNode {
  const { comparison, record } = props;
  const [open, setOpen] = useState(props.initiallyOpen);
  const unchecked = useRacesChecked((checked) => mayRace(checked, record, comparison));
  const { passed, shape, dtype, site } = comparison;
  const notes = [derivedText(comparison), looseText(comparison)].filter((text) => text !== null);
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
          <span className="mono call">{comparisonTitle(comparison)}</span>{' '}
          <span className="mono muted">
            {dtype} {formatShape(shape)}
            {site.file === '' ? '' : `, line ${site.line}`}
          </span>
          <br />
          <span className="verdict">{summaryOf(comparison)}</span>
          {unchecked ? <span className="muted">, races not checked</span> : null}
          {notes.map((text) => (
            <span key={text}>
              <br />
              <span className="sign warn">{text}</span>
            </span>
          ))}
        </span>
        <span className="muted">{open ? 'less' : 'more'}</span>
      </button>
      {open ? (
        <Details
          record={record}
          comparison={comparison}
          onRacesChecked={() => racesWereChecked(record, comparison)}
        />
      ) : null}
    </li>
  );
}
