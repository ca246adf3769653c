/** A comparison in the output: whether it held, and what the verdict does not speak of. */
import { derivedText } from '../../inspection/derived';
import { looseText } from '../../inspection/slack';
import { mayRace, useRacesChecked } from '../../state/racesChecked';
import type { ComparisonEvent, RunRecord } from '../../state/record';
import { choosePanel } from '../../state/view';
import { visibleText } from '../../state/visibleText';
import { comparisonTitle, formatCount, formatNumber, plural } from '../common/format';
import { Site } from '../common/Site';

export function Comparison(props: {
  readonly record: RunRecord;
  readonly comparison: ComparisonEvent;
}): React.ReactNode {
  const { comparison, record } = props;
  const { passed, mismatches, count, maxAbsolute } = comparison;
  const loose = looseText(comparison);
  const derived = derivedText(comparison);
  const unchecked = useRacesChecked((checked) => mayRace(checked, record, comparison));
  return (
    <div className="event verdict">
      <span className={passed ? 'sign pass' : 'sign fail'} aria-hidden="true">
        {passed ? '✓' : '✗'}
      </span>
      <span className="grow">
        <button type="button" className="link" onClick={() => choosePanel('compare')}>
          {comparisonTitle(comparison)}
        </button>{' '}
        {passed ? 'holds' : 'failed'}
        {comparison.message === null ? ` on ${formatCount(count)} elements` : ''}
        {comparison.message
          ? `: ${visibleText(comparison.message)}`
          : passed
            ? `, largest error ${formatNumber(maxAbsolute, 3)}`
            : `: ${plural(mismatches, 'mismatch', 'mismatches')}, largest error ${formatNumber(maxAbsolute, 3)}`}
        {comparison.caveat ? ` (${comparison.caveat})` : ''}
        {passed && unchecked ? (
          <span
            className="muted"
            title="The numbers are right in this run. Compare can check the launch for races, whose results may differ from run to run."
          >
            , races not checked
          </span>
        ) : null}
        {derived === null ? null : <span className="sign warn">. {derived}</span>}
        {loose === null ? null : <span className="sign warn">. {loose}</span>}
      </span>
      <Site site={comparison.site} />
    </div>
  );
}
