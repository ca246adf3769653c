/**
 * The proof of the program: its comparisons in exact algebra, and for each kernel whether its
 * accesses stay in bounds and its programs do not race. The same checks as `hippocamp prove`.
 */
import './prove.css';
import type { Diagnostic } from '../../../compiler/diagnostics';
import { countVerdicts, REMEDY, scopeText, subjectText, UNEXERCISED } from '../../prove/report';
import type { Finding, ProofReport, Unexercised, Verdict } from '../../prove/report';
import { byKernel, type KernelSummary } from '../../prove/summary';
import { programText, useDocument } from '../../state/document';
import { useInputs } from '../../state/inputs';
import { prove, stopProof, useProof, useProving } from '../../state/proof';
import { useRun } from '../../state/run';
import { choosePanel, chooseSpecialization } from '../../state/view';
import { visibleText } from '../../state/visibleText';
import { PlayIcon, StopIcon } from '../../theme/icons';
import { Empty } from '../common/Empty';
import { formatMilliseconds } from '../common/format';
import { Site } from '../common/Site';

export function Prove(): React.ReactNode {
  const proof = useProof();
  const identity = useDocument((state) => state.identity);
  const text = useDocument((state) => programText(state));
  const proving = useProving((state) => state.proving);
  const here = proving?.program === identity;
  const { report, failure } = proof;
  const begun = here || report !== null || failure !== null;
  if (!begun && proving === null)
    return (
      <div className="prove">
        <Empty title="Nothing is proved yet" action={<ProveButton label="Prove the program" />}>
          A run shows that a kernel is right for the values that it had. A proof runs the program in
          exact algebra, and decides for all programs of each launch whether they stay in bounds and
          whether two of them race.
        </Empty>
        <Meaning />
      </div>
    );
  const stale = proof.text !== null && proof.text !== text;
  return (
    <div className="prove">
      <Bar again={report !== null || failure !== null} />
      {stale && !here ? (
        <p className="notice">
          <span className="grow">The code has changed since this proof.</span>
        </p>
      ) : null}
      {failure !== null && !here ? (
        <p className="prove-failure" role="status">
          {failure}
        </p>
      ) : null}
      {report ? (
        <div className={stale ? 'stale' : undefined}>
          <Report report={report} />
        </div>
      ) : null}
      <Meaning />
    </div>
  );
}

function ProveButton({ label }: { readonly label: string }): React.ReactNode {
  return (
    <button type="button" className="button primary" onClick={prove}>
      <PlayIcon />
      {label}
    </button>
  );
}

/** The one button, and what a proof does now, of this program or of another. */
function Bar({ again }: { readonly again: boolean }): React.ReactNode {
  const proving = useProving((state) => state.proving);
  const identity = useDocument((state) => state.identity);
  if (!proving)
    return (
      <div className="panel-bar">
        <ProveButton label={again ? 'Prove again' : 'Prove the program'} />
      </div>
    );
  const what = visibleText(proving.text);
  return (
    <div className="panel-bar">
      <button type="button" className="button" onClick={stopProof}>
        <StopIcon />
        Stop the proof
      </button>
      <progress aria-label="Progress of the proof" value={proving.fraction} />
      <span className="grow prove-progress" role="status">
        {proving.program === identity ? what : `${proving.name} is being proved: ${what}`}
      </span>
    </div>
  );
}

function Report({ report }: { readonly report: ProofReport }): React.ReactNode {
  const { holds, fails, inapplicable } = countVerdicts(report.sections);
  const algebra = report.sections.find(({ check }) => check === 'algebra');
  const more = report.sections.filter(({ check }) => check === 'rounding' || check === 'sweep');
  const milliseconds = report.sections.reduce((sum, section) => sum + section.milliseconds, 0);
  const kernels = byKernel(report);
  const counts = `${holds} hold, ${fails} ${fails === 1 ? 'fails' : 'fail'}, ${inapplicable} undecided`;
  return (
    <>
      <p className="prove-counts" role="status">
        {counts} <span className="muted">in {formatMilliseconds(milliseconds)}</span>
      </p>
      {report.errors.map((error, i) => (
        <ProgramError key={i} error={error} />
      ))}
      <section aria-label="Comparisons">
        <h3>Comparisons</h3>
        {algebra && algebra.findings.length > 0 ? (
          <ul className="findings">
            {algebra.findings.map((finding, i) => (
              <FindingRow key={i} finding={finding} />
            ))}
          </ul>
        ) : report.errors.length > 0 ? (
          <p className="muted">The program ended with an error before it compared anything.</p>
        ) : (
          <p className="muted">
            The program compares nothing: a <code>torch.allclose</code> or{' '}
            <code>torch.testing.assert_close</code> with a reference is proved here.
          </p>
        )}
      </section>
      {more.map(({ check, title, findings }) => (
        <section key={check} aria-label={title}>
          <h3>{title}</h3>
          <ul className="findings">
            {findings.map((finding, i) => (
              <FindingRow key={i} finding={finding} />
            ))}
          </ul>
        </section>
      ))}
      <section aria-label="Kernels">
        <h3>Kernels</h3>
        {kernels.map((kernel) => (
          <Kernel key={kernel.kernel} {...kernel} />
        ))}
        {kernels.length === 0 ? (
          <p className="muted">
            {report.errors.length > 0
              ? 'The program ended with an error before a kernel was launched.'
              : 'The program launches no kernel that accesses memory.'}
          </p>
        ) : null}
      </section>
      <NotExercised places={report.unexercised} />
    </>
  );
}

/** Notes, no verdicts: what holds above is tested nowhere here. */
function NotExercised({ places }: { readonly places: readonly Unexercised[] }): React.ReactNode {
  if (places.length === 0) return null;
  return (
    <section aria-label={UNEXERCISED}>
      <h3>{UNEXERCISED}</h3>
      <ul className="findings">
        {places.map(({ kernel, operation, message, location }, i) => (
          <li key={i}>
            <div className="row">
              <span className="sign warn">! note</span>
              <span className="mono grow">{visibleText(`${operation} of ${kernel}`)}</span>
              <Site site={location} />
            </div>
            <p>{message}</p>
          </li>
        ))}
      </ul>
      <p className="muted">{REMEDY}</p>
    </section>
  );
}

function ProgramError({ error }: { readonly error: Diagnostic }): React.ReactNode {
  return (
    <div className="error-card" role="alert">
      <div className="row">
        <span className="sign fail grow">✗ Error in the run</span>
        <Site site={error.location} />
      </div>
      <p className="message">{visibleText(error.message)}</p>
    </div>
  );
}

const SIGNS: Readonly<Record<Verdict, readonly [sign: string, kind: string, word: string]>> = {
  holds: ['✓', 'pass', 'holds'],
  fails: ['✗', 'fail', 'fails'],
  inapplicable: ['?', 'warn', 'undecided'],
};

function Sign({ verdict }: { readonly verdict: Verdict }): React.ReactNode {
  const [sign, kind, word] = SIGNS[verdict];
  return (
    <span className={`sign ${kind}`}>
      {sign} {word}
    </span>
  );
}

function Kernel(summary: KernelSummary): React.ReactNode {
  const { kernel, verdict, text } = summary;
  return (
    <details className="prove-kernel" open={verdict !== 'holds'}>
      <summary>
        <Sign verdict={verdict} /> <span className="mono">{kernel}</span>{' '}
        <span className="muted">{text}</span>
      </summary>
      <Findings title="Accesses within bounds" findings={summary.bounds} />
      <Findings title="Races between programs" findings={summary.races} />
      <Findings title="Undefined values" findings={summary.undefined} />
    </details>
  );
}

function Findings(props: {
  readonly title: string;
  readonly findings: readonly Finding[];
}): React.ReactNode {
  if (props.findings.length === 0) return null;
  return (
    <>
      <h4>{props.title}</h4>
      <ul className="findings">
        {props.findings.map((finding, i) => (
          <FindingRow key={i} finding={finding} />
        ))}
      </ul>
    </>
  );
}

function FindingRow({ finding }: { readonly finding: Finding }): React.ReactNode {
  const { verdict, subject, message, location, scope, witnesses = [], notes = [] } = finding;
  return (
    <li>
      <div className="row">
        <Sign verdict={verdict} />
        <span className="mono grow">{visibleText(subjectText(subject))}</span>
        {location ? <Site site={location} /> : null}
      </div>
      <p>
        {visibleText(message)}
        {scope ? <span className="muted"> [{scopeText(scope)}]</span> : null}
      </p>
      {witnesses.length > 0 ? (
        <dl className="facts">
          {witnesses.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd className="mono">{value}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      <Step finding={finding} />
      {notes.map((note) => (
        <p key={note} className="muted">
          {visibleText(note)}
        </p>
      ))}
    </li>
  );
}

/** A counterexample in the debugger, with what its launch got in the proof. */
function Step({ finding }: { readonly finding: Finding }): React.ReactNode {
  const launches = useProof((state) => state.launches);
  const { at, location } = finding;
  const launch = at && launches.find((one) => one.launch === at.launch);
  if (!launch) return null;
  const [x, y, z] = at.program;
  return (
    <button
      type="button"
      className="link"
      title={`Open the debugger in this program of ${launch.kernel}${location ? `; the access is in line ${location.line}` : ''}`}
      onClick={() => {
        const specializations = useRun.getState().record?.specializations ?? [];
        const ran = specializations.some(({ key }) => key === launch.key);
        useInputs.setState({ proved: launch, program: at.program });
        chooseSpecialization({ kernel: launch.kernel, key: ran ? launch.key : null });
        choosePanel('debugger');
      }}
    >
      Step through program ({x}, {y}, {z})
    </button>
  );
}

function Meaning(): React.ReactNode {
  return (
    <details className="prove-meaning">
      <summary>What is a proof here?</summary>
      <p>
        <b>Comparisons</b> are made again with floats as integers of a ring, where sums, products
        and dots are exact: a kernel that computes what its reference does agrees in every bit,
        however it orders and tiles the work, and one with a wrong mask, operand or index does not.
        Rounding is not checked. Where the ring keeps no identity of a function, a difference
        decides nothing, and the answer is <i>undecided</i>.
      </p>
      <p>
        <b>Kernels</b> are analysed from the form of their addresses.{' '}
        <i>Proved for every program and every n</i>: for all integer arguments and grids with the
        relations that stand after <i>given</i>. <i>Proved for this launch</i>: for all of its
        programs. <i>Checked for N of M programs</i>: values in memory decide the address, and these
        programs were evaluated. A <i>counterexample</i> has been evaluated on the interpreter.{' '}
        <i>Undefined values</i> are lanes that a masked load without <code>other</code> leaves out,
        and memory that nothing has written: the launch is run with other values in their place.
      </p>
      <p>
        The terminal has the same: <code>npx hippocamp prove FILE.py</code>.
      </p>
    </details>
  );
}
