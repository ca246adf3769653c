/**
 * The problem that the program in view brings along: its statement, and a result's text that is
 * checked again against it.
 */
import { useMemo, useState } from 'react';
import { checkResultInView, problemIn } from '../../state/checkable';
import { useDocument } from '../../state/document';
import { isBusy, useSession } from '../../state/session';
import { untrustedHtml } from '../../tutorials/player/markdown';
import './problem.css';

/** @param open whether the statement is shown at once. */
export function ProblemCard({ open }: { readonly open: boolean }): React.ReactNode {
  const files = useDocument((state) => state.files);
  const identity = useDocument((state) => state.identity);
  const statement = files['statement.md'] ?? null;
  const html = useMemo(() => (statement === null ? null : untrustedHtml(statement)), [statement]);
  if (problemIn(files) === null) return null;
  return (
    <section className="judged" aria-label="Problem">
      {html === null ? null : (
        <details open={open}>
          <summary>The problem</summary>
          <div className="statement" dangerouslySetInnerHTML={{ __html: html }} />
        </details>
      )}
      {/* The typed text, and why nothing was checked, belong to one program. */}
      <Again key={identity} />
    </section>
  );
}

/** A field for a result's text, pasted or dropped. */
function Again(): React.ReactNode {
  const [text, setText] = useState('');
  const [failure, setFailure] = useState<string | null>(null);
  const busy = useSession(isBusy);
  return (
    <details>
      <summary>Check a result again</summary>
      <p className="muted">
        A result that <i>Copy the result</i> or <code>hippocamp check</code> gave: its program is
        checked with the same inputs, and what comes out is compared.
      </p>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          void checkResultInView(text).then(setFailure);
        }}
      >
        <input
          className="field grow mono"
          aria-label="Text of a result"
          placeholder="hippocamp-result:1.…"
          value={text}
          onChange={(event) => {
            setFailure(null);
            setText(event.target.value);
          }}
          onDrop={(event) => {
            const file = event.dataTransfer.files[0];
            if (!file) return;
            event.preventDefault();
            event.stopPropagation();
            void file.text().then((dropped) => setText(dropped.trim()));
          }}
        />
        <button type="submit" className="button" disabled={busy || text.trim() === ''}>
          Check it again
        </button>
      </form>
      {failure === null ? null : (
        <p className="failed" role="alert">
          {failure}
        </p>
      )}
    </details>
  );
}
