/** Placeholder of a figure before a run has something to draw. */
import { run, useRunsInView, useSession } from '../../state/session';

/** @param props.children what it is drawn from */
export function NotYet(props: { readonly children: React.ReactNode }): React.ReactNode {
  const phase = useSession((state) => state.phase);
  const running = useRunsInView();
  if (running) return <p className="muted">The program runs …</p>;
  return (
    <p className="muted">
      <button
        type="button"
        className="link"
        disabled={phase === 'failed' || phase === 'running'}
        onClick={run}
      >
        Run the program
      </button>{' '}
      and this is drawn from {props.children}.
    </p>
  );
}
