/** Everything wrong, from the live text and from the last run of it, with the way to each line. */
import type { Diagnostic } from '../../../compiler/diagnostics';
import { uniqueDiagnostics } from '../../editor/markers';
import { useCompilation } from '../../state/compilation';
import { programText, useDocument } from '../../state/document';
import { isStale, useSession } from '../../state/session';
import { CodeChip, Explanation } from '../common/Explanation';
import { FixButton } from '../common/FixButton';
import { goTo } from '../common/Site';
import './problems.css';

const RANK = { error: 0, warning: 1, info: 2 } as const;
const SIGN = { error: ['✗', 'fail'], warning: ['!', 'warn'], info: ['i', ''] } as const;

export function useProblems(): Diagnostic[] {
  const live = useCompilation((state) => state.diagnostics);
  const compiled = useCompilation((state) => state.result?.diagnostics);
  const record = useSession((state) => state.record);
  const stale = isStale(
    record,
    useDocument((state) => programText(state)),
  );
  return uniqueDiagnostics([live, compiled ?? [], stale ? [] : (record?.diagnostics ?? [])]).sort(
    (a, b) => RANK[a.severity] - RANK[b.severity] || a.location.line - b.location.line,
  );
}

export function Problems({
  problems,
}: {
  readonly problems: readonly Diagnostic[];
}): React.ReactNode {
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
                <span style={{ overflowWrap: 'anywhere' }}>{problem.message.split('\n')[0]}</span>
                <span className="where mono">
                  {problem.location.file}:{problem.location.line}
                </span>
                {note ? <span className="note">{note.message}</span> : null}
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
