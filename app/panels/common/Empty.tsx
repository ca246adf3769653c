/** An empty panel says what would fill it and offers the one click that does. */
import { PlayIcon } from '../../theme/icons';
import { run, useSession } from '../../state/session';

export function Empty(props: {
  readonly title: string;
  readonly children: React.ReactNode;
  readonly action?: React.ReactNode;
}): React.ReactNode {
  return (
    <div className="empty">
      <h3>{props.title}</h3>
      <p>{props.children}</p>
      {props.action}
    </div>
  );
}

/** Run, as offered inside panels. */
export function RunAction({
  label = 'Run the program',
}: {
  readonly label?: string;
}): React.ReactNode {
  const phase = useSession((state) => state.phase);
  const queued = useSession((state) => state.queued);
  const waiting = phase === 'running' || phase === 'failed' || queued;
  return (
    <button type="button" className="button primary" disabled={waiting} onClick={run}>
      <PlayIcon />
      {queued ? 'Starts when Python is ready' : phase === 'running' ? 'Running' : label}
    </button>
  );
}
