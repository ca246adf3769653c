/** The list of problems, with the way to each line. */
import { useEffect, useRef } from 'react';
import { noteText, type Diagnostic } from '../../../compiler/diagnostics';
import { useView } from '../../state/view';
import { visibleText } from '../../state/visibleText';
import { CodeChip, Explanation } from '../common/Explanation';
import { FixButton } from '../common/FixButton';
import { goTo } from '../common/Site';
import './problems.css';

const SIGN = { error: ['✗', 'fail'], warning: ['!', 'warn'], info: ['i', ''] } as const;

export function Problems({
  problems,
}: {
  readonly problems: readonly Diagnostic[];
}): React.ReactNode {
  useEndOfExplanation(problems);
  if (problems.length === 0)
    return (
      <section className="problems" aria-label="Problems">
        <Explanation />
        <p className="muted" style={{ padding: '8px 12px' }}>
          No problems. Errors and warnings of the text and of the last run are listed here.
        </p>
      </section>
    );
  return (
    <section className="problems" aria-label="Problems">
      <Explanation />
      <ul>
        {problems.map((problem, index) => {
          const [sign, kind] = SIGN[problem.severity];
          const note = problem.notes.find((one) => !one.message.includes('\n'));
          return (
            <li key={index} className="row">
              <button
                type="button"
                className="problem"
                onClick={() => goTo(problem.location, 'problems')}
              >
                <span className={`sign ${kind}`} aria-label={problem.severity}>
                  {sign}
                </span>
                <span style={{ overflowWrap: 'anywhere' }}>
                  {visibleText(problem.message.split('\n')[0] ?? '')}
                </span>
                <span className="where mono">
                  {problem.location.file}:{problem.location.line}
                </span>
                {note ? <span className="note">{visibleText(noteText(note))}</span> : null}
              </button>
              {problem.fix ? <FixButton fix={problem.fix} /> : null}
              <CodeChip code={problem.code} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Closes the page of a code when its problem is gone: it would push the next one out of view. */
function useEndOfExplanation(problems: readonly Diagnostic[]): void {
  const code = useView((state) => state.explained);
  const present = problems.some((problem) => problem.code === code);
  const before = useRef(present);
  useEffect(() => {
    if (before.current && !present) useView.setState({ explained: null });
    before.current = present;
  }, [present]);
}
