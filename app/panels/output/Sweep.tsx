/** A sweep in the output: how many cases agreed, and the smallest that fails as a program. */
import { useState } from 'react';
import { openBeside } from '../../programs/programs';
import type { SweepEvent } from '../../state/record';
import { visibleText } from '../../state/visibleText';
import { formatCount, plural } from '../common/format';
import { Site } from '../common/Site';

export function Sweep({ sweep }: { readonly sweep: SweepEvent }): React.ReactNode {
  const { name, passed, refused, left, failure, site } = sweep;
  const compared = failure !== null || passed > 0;
  const holds = failure === null && compared;
  const beside = [
    ...(refused > 0 ? [`${formatCount(refused)} refused`] : []),
    ...(left > 0 ? [`${formatCount(left)} not run`] : []),
  ];
  return (
    <div className="event verdict">
      <span className={holds ? 'sign pass' : 'sign fail'} aria-hidden="true">
        {holds ? '✓' : '✗'}
      </span>
      <span className="grow">
        Sweep of <span className="mono">{visibleText(name)}</span>{' '}
        {failure !== null
          ? `fails at ${visibleText(failure.case)}: ${visibleText(failure.message)}`
          : compared
            ? `agrees in ${plural(passed, 'case')}`
            : 'compared no case'}
        {beside.length > 0 ? <span className="muted"> ({beside.join(', ')})</span> : null}
        {failure?.program ? (
          <>
            <br />
            <OpenCase name={failure.file ?? `failing_${name}.py`} text={failure.program} />
          </>
        ) : null}
      </span>
      <Site site={site} />
    </div>
  );
}

/** The case becomes a program of its own, beside the one that ran. */
function OpenCase(props: { readonly name: string; readonly text: string }): React.ReactNode {
  const [isOpening, setOpening] = useState(false);
  return (
    <button
      type="button"
      className="link"
      disabled={isOpening}
      onClick={() => {
        setOpening(true);
        void openBeside(props.name, props.text).finally(() => setOpening(false));
      }}
    >
      Open the failing case
    </button>
  );
}
