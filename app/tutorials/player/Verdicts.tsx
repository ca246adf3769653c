/**
 * The last Check of the lesson in view: every check that was reached, and the way on. It says
 * nothing of a program that was edited or reset since.
 */
import { programText, useDocument } from '../../state/document';
import { useChecked } from '../../state/checking';
import { useRun } from '../../state/run';
import { isStale } from '../../state/session';
import { outOfRange } from '../../judge/report';
import { passes } from '../check';
import { lessonAddress, type LessonEntry } from '../course';

export function Verdicts(props: {
  readonly next: LessonEntry | null;
  /** Predictions that the lesson still requires. */
  readonly open: number;
}): React.ReactNode {
  const record = useRun((state) => state.record);
  const text = useDocument((state) => programText(state));
  const checked = useChecked();
  if (!record?.checking) return null;
  if (isStale(record, text))
    return (
      <section className="verdicts" aria-label="Checks" aria-live="polite">
        <p className="muted">The code has changed since the last check.</p>
      </section>
    );
  const { verdicts, outcome } = record;
  const total = verdicts[0]?.total ?? 0;
  // The report comes a moment after the run's end.
  const report = checked.run === record.run ? checked.report : null;
  if (report ? report.outcome === 'accepted' : passes(record))
    return (
      <section className="verdicts passed" aria-label="Checks" aria-live="polite">
        <p>
          <span className="sign pass">✓</span> {total === 1 ? 'The check' : `All ${total} checks`}{' '}
          passed.{' '}
          {props.open > 0 ? (
            <>
              Still open: {props.open === 1 ? 'one prediction' : `${props.open} predictions`} of the
              lesson. Answer, then check again.
            </>
          ) : props.next ? (
            <a href={lessonAddress(props.next.slug)}>Next: {props.next.title} →</a>
          ) : (
            <a href="#/learn">That was the last one. Back to the list</a>
          )}
        </p>
      </section>
    );
  const failed = verdicts.find((verdict) => !verdict.passed);
  const outside = outcome === 'ok' && !failed ? outOfRange(record.diagnostics) : null;
  return (
    <section className="verdicts" aria-label="Checks" aria-live="polite">
      {verdicts
        .filter((verdict) => verdict.passed)
        .map((verdict) => (
          <p key={verdict.index}>
            <span className="sign pass">✓</span> {verdict.name}
          </p>
        ))}
      {failed ? (
        <p className="failed">
          <span className="sign fail">✗</span> {failed.name}
          <span className="message">{failed.message}</span>
        </p>
      ) : null}
      {failed?.unreached?.map((name, index) => (
        <p key={index} className="muted">
          <span aria-hidden="true">·</span> {name} <i>(not reached)</i>
        </p>
      ))}
      {outcome === null ? (
        <p className="muted">checking{total > 0 ? ` ${verdicts.length + 1} of ${total}` : ''} …</p>
      ) : outside ? (
        <p className="failed">
          <span className="sign fail">✗</span> No access outside of the tensors
          <span className="message">
            Line {outside.location.line}: {outside.message}
          </span>
        </p>
      ) : !failed ? (
        <p className="failed">
          <span className="sign fail">✗</span>{' '}
          {outcome === 'stopped'
            ? 'Stopped before the checks were done.'
            : 'The program ended with an error before the checks were done: see Output.'}
        </p>
      ) : null}
    </section>
  );
}
