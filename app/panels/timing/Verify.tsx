/**
 * A launch's results on the GPU beside the interpreter's: the button runs the program again, and
 * keeps the data of the launches of this line. A difference offers a report.
 */
import { verificationText } from '../../runtime/verificationText';
import type { LaunchGroup, RunRecord, VerificationEvent } from '../../state/record';
import { runVerified, useSession } from '../../state/session';
import { saveFile } from '../common/files';

/** Worst first. */
const ORDER: readonly VerificationEvent['verdict'][] = [
  'different',
  'undecided',
  'rounding',
  'same',
];
const WORDS: Readonly<Record<VerificationEvent['verdict'], string>> = {
  different: '✗ differs',
  undecided: 'not verified',
  rounding: '✓ verified',
  same: '✓ verified',
};

export function Verify(props: {
  readonly record: RunRecord;
  readonly group: LaunchGroup;
}): React.ReactNode {
  const { record, group } = props;
  const idle = useSession(({ phase }) => phase === 'ready');
  const { kernel, site } = group.first;
  const found = record.verifications
    .filter((each) => each.kernel === kernel && each.site.line === site.line)
    .sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict));
  const [worst] = found;
  if (!worst)
    return (
      <button
        type="button"
        className="link"
        disabled={!idle}
        title="Runs the program again, and compares what the GPU gives with the interpreter"
        onClick={(event) => {
          event.stopPropagation();
          runVerified(site.line);
        }}
      >
        Verify
      </button>
    );
  const { report } = worst;
  const text = found.map(verificationText).join('\n');
  return (
    <span className={worst.verdict === 'different' ? 'fail' : 'muted'} title={text}>
      {WORDS[worst.verdict]}
      {report === null ? null : (
        <button
          type="button"
          className="link"
          onClick={(event) => {
            event.stopPropagation();
            const content = new Blob([report], { type: 'text/plain' });
            saveFile(`${kernel}.verification.txt`, content);
          }}
        >
          Report
        </button>
      )}
    </span>
  );
}
