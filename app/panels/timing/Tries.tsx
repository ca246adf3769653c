/** Changes of a launch, each with a button that tries it and what came out, beside the baseline. */
import {
  changeTo,
  findTrial,
  keepTrial,
  stopTrials,
  tryChanges,
  useTrials,
  useTrying,
  type Change,
  type Subject,
  type Trial,
} from '../../state/trials';
import { useSession } from '../../state/session';
import { formatMicroseconds, formatNumber } from '../common/format';
import type { Advice } from './advice';
import { changeOf, spreadOf, type Spread } from './spread';

export function Tries(props: {
  readonly advice: readonly Advice[];
  readonly subject: Subject;
  readonly text: string;
}): React.ReactNode {
  const { advice, subject, text } = props;
  const trials = useTrials();
  const idle = useSession(({ phase }) => phase === 'ready');
  const trying = useTrying(({ program }) => program !== null);
  const baseline = findTrial(trials, text, { subject, changes: [] });
  return (
    <ul className="tries" aria-label="Changes to try">
      {advice.map(({ setting, from, to, reason }) => {
        const changes = [changeTo(setting, to)];
        const trial = findTrial(trials, text, { subject, changes });
        return (
          <li key={setting.name}>
            <span className="mono">
              {setting.name} {from} → {to}
            </span>
            : {reason}.{' '}
            {trial && trial.state !== 'left' ? (
              <TrialResult trial={trial} baseline={baseline} />
            ) : (
              <button
                type="button"
                className="button small"
                disabled={!idle}
                title="Runs the program with this number, in a worker of its own; the text stays as it is"
                onClick={() => tryChanges([{ subject, changes }])}
              >
                Try {setting.name}={to}
              </button>
            )}
          </li>
        );
      })}
      {trying ? (
        <li>
          <button type="button" className="button small" onClick={stopTrials}>
            Stop
          </button>
        </li>
      ) : null}
    </ul>
  );
}

export function textOfChanges(changes: readonly Change[]): string {
  return changes.map(({ name, to }) => `${name}=${to}`).join(', ');
}

/** Why a trial has no time, or must not be kept; null where it is fine. */
export function troubleOf({ outcome }: Trial): string | null {
  if (!outcome) return null;
  if (outcome.error !== null) return outcome.error;
  if (outcome.failed > 0) return `${outcome.failed} of ${outcome.compared} comparisons fail`;
  return outcome.timing ? null : 'the launch was not timed';
}

export function spreadOfTrial(trial: Trial | null): Spread | null {
  const timing = trial?.outcome?.timing;
  return timing ? spreadOf({ timings: [timing] }) : null;
}

function TrialResult(props: {
  readonly trial: Trial;
  readonly baseline: Trial | null;
}): React.ReactNode {
  const { trial, baseline } = props;
  if (trial.state === 'waiting' || trial.state === 'running')
    return (
      <span className="muted" role="status">
        {trial.state === 'running'
          ? 'running…'
          : baseline?.state === 'running'
            ? 'measuring the program as it is first…'
            : 'waiting…'}
      </span>
    );
  const trouble = troubleOf(trial);
  if (trouble !== null) return <span className="sign fail">✗ {trouble}</span>;
  const [now, before] = [spreadOfTrial(trial), spreadOfTrial(baseline)];
  if (!now) return null;
  return (
    <span className="trial">
      <span className="mono">{formatMicroseconds(now.median)}</span>
      {before ? (
        <>
          {' '}
          <span className="muted">beside {formatMicroseconds(before.median)} as it is</span>{' '}
          <Verdict before={before} now={now} />
        </>
      ) : null}{' '}
      <button
        type="button"
        className="button small"
        title="Writes this number into the program. The editor’s undo takes it back."
        onClick={() => keepTrial(trial)}
      >
        Keep {textOfChanges(trial.changes)}
      </button>
      {trial.outcome?.compared === 0 ? (
        <span className="muted"> The program compares nothing: check its results.</span>
      ) : null}
    </span>
  );
}

function Verdict(props: { readonly before: Spread; readonly now: Spread }): React.ReactNode {
  const change = changeOf(props.before, props.now);
  switch (change.kind) {
    case 'faster':
      return <span className="sign pass">▼ {formatNumber(1 / change.ratio, 3)} × as fast</span>;
    case 'slower':
      return <span className="sign fail">▲ {formatNumber(change.ratio, 3)} × the time</span>;
    case 'same':
      return <span className="muted">no difference beyond the spread</span>;
    case 'unknown':
      return <span className="muted">{change.reason}</span>;
    default:
      return change satisfies never;
  }
}
