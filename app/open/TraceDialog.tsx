/** The launches of a TritonParse trace: each opens as a program. */
import { DialogFrame } from '../DialogFrame';
import { plural } from '../panels/common/format';
import { add, freeName, usePrograms } from '../programs/programs';
import { NoticeLine } from '../programs/NoticeLine';
import { notify } from '../programs/notices';
import { openDialog } from '../state/view';
import { visibleText } from '../state/visibleText';
import { compiledOnly, launchProblem, programOfLaunch, type TraceLaunch } from './trace';
import { useTrace } from './traceState';
import '../programs/programs.css';

export default function TraceDialog(): React.ReactNode {
  const { name, trace } = useTrace();
  const rows = trace ? [...trace.launches, ...trace.compiled.map(compiledOnly)] : [];
  const all = trace?.launches.reduce((sum, { count }) => sum + count, 0) ?? 0;
  return (
    <DialogFrame title={`Trace ${visibleText(name).slice(0, 80)}`} describedBy="trace-says">
      <p id="trace-says" className="dialog-text muted">
        {plural(all, 'launch', 'launches')}, {trace?.launches.length ?? 0} different. Each opens as
        a program, with tensors of the same shapes, strides and dtypes; their elements are not in a
        trace. The Passes panel shows the trace’s TTIR beside ours. Nothing runs by itself.
        {trace && trace.more > 0 ? ` ${trace.more} more are not listed.` : ''}
      </p>
      <ul className="program-list" aria-label="Launches">
        {rows.map((launch, index) => (
          <Row key={index} launch={launch} />
        ))}
      </ul>
      <NoticeLine />
    </DialogFrame>
  );
}

function Row({ launch }: { readonly launch: TraceLaunch }): React.ReactNode {
  const problem = launchProblem(launch);
  const grid =
    launch.count === 0
      ? 'compiled, never launched in this trace'
      : `grid ${launch.grid.join(' × ')}${launch.count > 1 ? ` · ${launch.count} times` : ''}`;
  const given = launch.arguments.map(({ name, shown }) => `${name} ${shown}`).join(' · ');
  return (
    <li>
      <span className="grow program-name">
        <b>{visibleText(launch.kernel)}</b>
        <span className="muted">{grid}</span>
        <span className="muted">{problem ?? visibleText(given.slice(0, 400))}</span>
      </span>
      <span className="program-actions">
        <button
          type="button"
          className="button small"
          disabled={problem !== null}
          aria-label={`Open ${launch.kernel}, ${grid}`}
          onClick={() => void open(launch)}
        >
          Open
        </button>
      </span>
    </li>
  );
}

async function open(launch: TraceLaunch): Promise<void> {
  const { files, entry } = programOfLaunch(launch);
  const taken = (usePrograms.getState().list ?? []).map(({ name }) => name);
  const name = freeName(launch.kernel, taken);
  openDialog(null);
  await add(name, files, entry, { kind: 'link', files });
  notify({
    untilRun: true,
    text: `Opened “${name}” from the trace as a new program. Nothing ran yet.`,
  });
}
