/**
 * The check of a program against its problem, above its output: the verdict, the checks, the times
 * with their floors, and the result as a text that can be checked again. A lesson shows its checks
 * by itself.
 */
import { useState } from 'react';
import type { JudgeReport, MeasuredTime } from '../../judge/report';
import { useChecked, type Checked } from '../../state/checking';
import { useDocument } from '../../state/document';
import type { RunRecord } from '../../state/record';
import { useRoute } from '../../state/route';
import { copyText } from '../common/files';
import { formatMilliseconds, plural } from '../common/format';

export function Judged({ record }: { readonly record: RunRecord }): React.ReactNode {
  const isLesson = useRoute(({ kind }) => kind === 'learn');
  const checked = useChecked();
  const report = checked.run === record.run ? checked.report : null;
  return (
    <section className="judged" aria-label="Check">
      {report && checked.again ? <Again {...checked.again} report={report} /> : null}
      {isLesson || !report ? null : <Verdict report={report} />}
      {isLesson ? null : <Checks record={record} />}
      {report?.times.map((time, index) => (
        <Time key={index} time={time} />
      ))}
      {report?.result ? <Result result={report.result} /> : null}
    </section>
  );
}

const SAID = { accepted: 'Accepted', refused: 'Refused', undecided: 'Not decided' } as const;

function Verdict({ report }: { readonly report: JudgeReport }): React.ReactNode {
  const { outcome, checks, notReached, seed, adapter, diagnostics } = report;
  const held = checks.filter(({ passed }) => passed).length;
  const all = checks.length + notReached.length;
  const outside = outcome === 'refused' && held === all ? diagnostics[0] : undefined;
  return (
    <p className={`verdict ${outcome}`} role="status">
      <b>{SAID[outcome]}</b>
      {outside ? `: line ${outside.location.line} ${outside.message}` : null}
      <span className="muted">
        {' '}
        {held} of {plural(all, 'check')} held · inputs of seed {seed} ·{' '}
        {adapter?.name ?? 'no adapter'}
      </span>
    </p>
  );
}

/** A result beside the check that was made of it again. */
function Again(
  props: NonNullable<Checked['again']> & { readonly report: JudgeReport },
): React.ReactNode {
  const { result, difference, report } = props;
  const text = useDocument(({ files, entry }) => files[entry]);
  return (
    <p className={`verdict ${difference === null ? 'accepted' : 'refused'}`}>
      <b>{difference === null ? 'The same as the result' : 'Another result'}</b>
      {difference === null ? null : `: ${difference}`}
      <span className="muted">
        {' '}
        {result.adapter} then, {report.adapter?.name ?? 'no adapter'} now
        {text === result.files[result.entry]
          ? ''
          : ' · of the result’s program, not of the one in view'}
      </span>
    </p>
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

function Time({ time }: { readonly time: MeasuredTime }): React.ReactNode {
  const { name, milliseconds, samples, floor, refused } = time;
  return (
    <p className={refused === null ? '' : 'muted'}>
      <span aria-hidden="true">◔</span> {name}: <b>{formatMilliseconds(milliseconds)}</b>{' '}
      <span className="muted">
        median of {samples}
        {floor === null ? '' : `, at least ${formatMilliseconds(floor)} by memory`}
        {refused === null ? '' : `; does not count: ${refused}`}
      </span>
    </p>
  );
}

function Result({ result }: { readonly result: string }): React.ReactNode {
  const [copied, setCopied] = useState(false);
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
