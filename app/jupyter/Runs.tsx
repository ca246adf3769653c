/**
 * A panel of a run, shown for the run in the browser, for the one on real Triton, or for both
 * beside each other. Without a run there it is the panel alone.
 */
import { useRun } from '../state/run';
import { isStale } from '../state/session';
import { RunRecordContext } from '../state/runRecord';
import {
  showRuns,
  stopThere,
  useRealRun,
  useRealTriton,
  type RunsShown,
} from '../state/realTriton';
import './jupyter.css';

export function Runs(props: {
  readonly children: React.ReactNode;
  /** The program's text now. */
  readonly text: string;
}): React.ReactNode {
  const { shown, phase } = useRealTriton();
  const record = useRealRun((state) => state.record);
  const here = useRun((state) => state.record);
  if (!record) return props.children;
  const place = record.adapter?.name ?? 'real Triton';
  const names: Record<RunsShown, string> = {
    here: here?.adapter?.name ?? 'here',
    there: place,
    both: 'Both',
  };
  const stale = isStale(record, props.text);
  const there = (
    <RunRecordContext value={record}>
      <div className={stale ? 'stale' : undefined}>{props.children}</div>
    </RunRecordContext>
  );
  return (
    <>
      <div className="runs-shown">
        <span className="segmented" role="radiogroup" aria-label="Runs shown">
          {(['here', 'both', 'there'] as const).map((one) => (
            <button
              key={one}
              type="button"
              role="radio"
              aria-checked={shown === one}
              onClick={() => showRuns(one)}
            >
              {names[one]}
            </button>
          ))}
        </span>
        {phase === 'running' && record.outcome === null ? (
          <>
            <span className="muted">running there…</span>
            <button type="button" className="link" onClick={stopThere}>
              Stop it
            </button>
          </>
        ) : stale ? (
          <span className="muted">The run there was of an earlier text.</span>
        ) : null}
      </div>
      {shown === 'both' ? (
        <div className="runs-beside">
          <section aria-label={names.here}>
            <h3>{names.here}</h3>
            {props.children}
          </section>
          <section aria-label={place}>
            <h3>{place}</h3>
            {there}
          </section>
        </div>
      ) : shown === 'there' ? (
        there
      ) : (
        props.children
      )}
    </>
  );
}
