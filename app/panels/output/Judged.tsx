/**
 * The checks of a program's problem, above its output, and the result as a text that can be checked
 * again. A lesson shows its checks by itself.
 */
import { useState } from 'react';
import { useChecked } from '../../state/checking';
import type { RunRecord } from '../../state/record';
import { useRoute } from '../../state/route';
import { copyText } from '../common/files';

export function Judged({ record }: { readonly record: RunRecord }): React.ReactNode {
  const isLesson = useRoute(({ kind }) => kind === 'learn');
  return (
    <section className="judged" aria-label="Check">
      {isLesson ? null : <Checks record={record} />}
      {record.outcome === null ? null : <Result run={record.run} />}
    </section>
  );
}

function Checks({ record }: { readonly record: RunRecord }): React.ReactNode {
  const { verdicts, outcome } = record;
  const failed = verdicts.find(({ passed }) => !passed);
  return (
    <>
      {verdicts.map(({ index, name, passed, message }) => (
        <p key={index} className={passed ? '' : 'failed'}>
          <span className={`sign ${passed ? 'pass' : 'fail'}`}>{passed ? '✓' : '✗'}</span> {name}
          {message ? <span className="message">: {message}</span> : null}
        </p>
      ))}
      {failed?.unreached?.map((name, index) => (
        <p key={index} className="muted">
          <span aria-hidden="true">·</span> {name} <i>(not reached)</i>
        </p>
      ))}
      {outcome === null ? (
        <p className="muted">
          checking {verdicts.length + 1} of {verdicts[0]?.total ?? '…'}
        </p>
      ) : verdicts.length === 0 ? (
        <p className="failed">No check was reached.</p>
      ) : null}
    </>
  );
}

function Result({ run }: { readonly run: number }): React.ReactNode {
  const checked = useChecked();
  const [copied, setCopied] = useState(false);
  if (checked.run !== run || checked.result === null) return null;
  const { result } = checked;
  return (
    <p>
      <button
        type="button"
        className="link"
        title="The program, its inputs’ seed and what came out, as a text that hippocamp check --result checks again"
        onClick={() => void copyText(result).then(setCopied)}
      >
        Copy the result
      </button>
      {copied ? <span className="muted"> copied</span> : null}
    </p>
  );
}
