/**
 * A diagnostic as a card: what, where, its cure, its notes, and its code with the page that
 * explains it.
 */
import type { Diagnostic } from '../../../compiler/diagnostics';
import { programText, useDocument } from '../../state/document';
import { useRun } from '../../state/run';
import { isStale } from '../../state/session';
import { openDialog } from '../../state/view';
import { visibleText } from '../../state/visibleText';
import { isTraceback } from '../../traceback';
import { CodeChip } from '../common/Explanation';
import { FixButton } from '../common/FixButton';
import { Site, goTo } from '../common/Site';

export function ErrorCard({ diagnostic }: { readonly diagnostic: Diagnostic }): React.ReactNode {
  const { location, severity, notes, message } = diagnostic;
  const long = notes.filter((note) => note.message.includes('\n'));
  const short = notes.filter((note) => !note.message.includes('\n'));
  const word = severity === 'error' ? 'Error' : severity === 'warning' ? 'Warning' : 'Note';
  return (
    <div className={severity === 'error' ? 'error-card' : 'error-card warning'} role="alert">
      <div className="row">
        <span className={severity === 'error' ? 'sign fail' : 'sign warn'}>
          {severity === 'error' ? '✗' : '!'} {word}
        </span>
        <span className="grow">
          <CodeChip code={diagnostic.code} />
        </span>
        <Site site={location} />
      </div>
      <p className="message">{visibleText(message)}</p>
      {diagnostic.code === 'HC0905' && message.startsWith('No module named') ? (
        <p>
          <button type="button" className="link" onClick={() => openDialog('packages')}>
            Packages…
          </button>
        </p>
      ) : null}
      {diagnostic.fix ? <Fix fix={diagnostic.fix} /> : null}
      {short.map((note, index) => (
        <p key={index} className="muted">
          {visibleText(note.message)}{' '}
          {note.location ? (
            <button
              type="button"
              className="site"
              onClick={() => note.location && goTo(note.location)}
            >
              {note.location.file}:{note.location.line}
            </button>
          ) : null}
        </p>
      ))}
      {long.map((note, index) => (
        <details key={index} open={isTraceback(note.message) && isShort(note.message)}>
          <summary>{isTraceback(note.message) ? 'Traceback' : 'Details'}</summary>
          <pre>{visibleText(note.message)}</pre>
        </details>
      ))}
    </div>
  );
}

/** A longer traceback stays closed: the card's own sentence and line come first. */
function isShort(traceback: string): boolean {
  return traceback.split('\n').length <= 12;
}

/** A fix proposed for the text that ran is no cure for another. */
function Fix({ fix }: { readonly fix: NonNullable<Diagnostic['fix']> }): React.ReactNode {
  const record = useRun((state) => state.record);
  const stale = isStale(
    record,
    useDocument((state) => programText(state)),
  );
  return stale ? null : <FixButton fix={fix} />;
}
