/**
 * Above the editor while costs stand in its margin: which launch they are of, how much of it was
 * counted, the measure, and the lines that cost most, each a way to its line.
 */
import type { LineCosts } from '../../compiler/inspect/lineCosts';
import { useCompilation } from '../state/compilation';
import { programText, useDocument } from '../state/document';
import {
  chooseMeasure,
  hideLineCosts,
  isCostPast,
  isCostStale,
  MEASURES,
  showLineCosts,
  useLineCosts,
  type LineCostState,
  type Measure,
} from '../state/lineCosts';
import { select } from '../state/location';
import { useRun } from '../state/run';
import { run as runProgram, useSession } from '../state/session';
import { formatShape, plural } from '../panels/common/format';
import { changes, marginText, MEASURE_NAMES } from './costText';
import './costs.css';

export default function CostBar(): React.ReactNode {
  const state = useLineCosts();
  const text = useDocument((document) => programText(document));
  const stale = isCostStale(state, text);
  const { costs, measure } = state;
  return (
    <section className="cost-bar" aria-label="Cost by line">
      <div className="cost-head">
        <Whose state={state} stale={stale} />
        {costs && !stale ? (
          <select
            className="field small"
            aria-label="Measure in the margin"
            value={measure}
            onChange={(event) => chooseMeasure(event.target.value as Measure)}
          >
            {MEASURES.map((each) => (
              <option key={each} value={each} disabled={costs.total[each] === 0}>
                {MEASURE_NAMES[each]}
                {costs.total[each] === 0 ? ': none' : ''}
              </option>
            ))}
          </select>
        ) : null}
        <button type="button" className="button small" onClick={hideLineCosts}>
          Hide costs
        </button>
      </div>
      {costs && !stale ? <Top costs={costs} measure={measure} /> : null}
    </section>
  );
}

function Whose({ state, stale }: { readonly state: LineCostState; readonly stale: boolean }) {
  const { launch, costs, refused, counting } = state;
  const idle = useSession(({ phase }) => phase === 'ready');
  const inView = useCompilation((compilation) => compilation.inView);
  const run = useRun(({ record }) => record?.run ?? null);
  const label = launch && (
    <span className="mono">
      {launch.kernel}
      {formatShape(launch.grid)}
    </span>
  );
  if (stale)
    return (
      <span>
        The code has changed since {label} was launched: its costs are gone.{' '}
        <button type="button" className="button small" disabled={!idle} onClick={runProgram}>
          Run again
        </button>
      </span>
    );
  if (counting) return <span role="status">Counting the cost of {label}…</span>;
  if (refused !== null) return <span>{refused}</span>;
  if (!costs || !launch) return null;
  const part = `${plural(costs.sampled, 'program')} of ${costs.programs.toLocaleString('en-US')} interpreted`;
  const past = isCostPast(state, run);
  const other = inView?.key !== undefined && inView.key !== null && inView.key !== launch.key;
  return (
    <span>
      Cost by line of {label}, launch {launch.launch}: {part}
      {costs.cut ? ', the last one not to its end' : ''}.
      {past || other ? (
        <>
          {' '}
          {past ? 'The program has run again since.' : 'Another specialization is in view.'}{' '}
          <button type="button" className="button small" onClick={() => void showLineCosts()}>
            {past ? 'Count again' : 'Show its costs'}
          </button>
        </>
      ) : null}
    </span>
  );
}

/** Lines that are listed. */
const MOST = 3;

function Top(props: { readonly costs: LineCosts; readonly measure: Measure }): React.ReactNode {
  const { costs, measure } = props;
  const lines = costs.lines
    .filter((line) => line[measure] > 0)
    .sort((a, b) => b[measure] - a[measure])
    .slice(0, MOST);
  const { elsewhere, total } = costs;
  return (
    <ul className="cost-top" aria-label={`${MEASURE_NAMES[measure]}: the lines that have most`}>
      {lines.map((line) => (
        <li key={`${line.file}:${line.line}`}>
          <button
            type="button"
            className="link"
            onClick={() => select({ file: line.file, line: line.line, column: 1, from: 'timing' })}
          >
            {line.file}:{line.line}
          </button>{' '}
          {marginText(line, total, measure)}
          {measure === 'registers' ? ' registers' : ''}
          <span className="muted"> {changes(line, total)[0]?.replaceAll('`', '') ?? ''}</span>
        </li>
      ))}
      {measure !== 'registers' && elsewhere[measure] > 0 ? (
        <li className="muted">
          {marginText(elsewhere, total, measure)} comes from no single line.
        </li>
      ) : null}
    </ul>
  );
}
