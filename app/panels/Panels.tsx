/** The right half: the tabs, each in its own error boundary, and what is said above all of them. */
import { Tabs } from 'radix-ui';
import { useCompilation } from '../state/compilation';
import { currentText, useDocument } from '../state/document';
import { isStale, run, useSession } from '../state/session';
import { choosePanel, PANELS, useView, type PanelName } from '../state/view';
import { Boundary } from './common/Boundary';
import { Compare } from './compare/Compare';
import { Output } from './output/Output';
import { Passes } from './passes/Passes';
import { Timing } from './timing/Timing';
import { Wgsl } from './wgsl/Wgsl';

const TITLES: Record<PanelName, string> = {
  output: 'Output',
  compare: 'Compare',
  timing: 'Timing',
  passes: 'Passes',
  wgsl: 'WGSL',
};
const CONTENT: Record<PanelName, () => React.ReactNode> = {
  output: () => <Output />,
  compare: () => <Compare />,
  timing: () => <Timing />,
  passes: () => <Passes />,
  wgsl: () => <Wgsl />,
};
/** Panels of the run grow old; the others follow the text. */
const OF_THE_RUN: ReadonlySet<PanelName> = new Set(['output', 'compare', 'timing']);

function Badge({ panel }: { readonly panel: PanelName }): React.ReactNode {
  const record = useSession((state) => state.record);
  const passes = useCompilation((state) => state.result?.log.length ?? 0);
  if (panel === 'compare' && record && record.comparisons.length > 0) {
    const failed = record.comparisons.filter((comparison) => !comparison.passed).length;
    const passed = record.comparisons.length - failed;
    return (
      <span className="badge">
        {passed > 0 ? <span className="sign pass">✓{passed}</span> : null}
        {failed > 0 ? <span className="sign fail">✗{failed}</span> : null}
      </span>
    );
  }
  if (panel === 'output' && record?.outcome === 'error')
    return <span className="badge sign fail">✗</span>;
  if (panel === 'passes' && passes > 0) return <span className="badge">{passes}</span>;
  return null;
}

export function Panels(): React.ReactNode {
  const panel = useView((state) => state.panel);
  const record = useSession((state) => state.record);
  const phase = useSession((state) => state.phase);
  const stale = isStale(
    record,
    useDocument((state) => currentText(state)),
  );
  return (
    <Tabs.Root
      className="tabs"
      value={panel}
      onValueChange={(value) => choosePanel(value as PanelName)}
    >
      <Tabs.List className="tablist" aria-label="Panels">
        {PANELS.map((name, index) => (
          <Tabs.Trigger
            key={name}
            className="tab"
            value={name}
            title={`Alt+${index + 1}`}
            // A click on the tab in view is a choice too.
            onClick={() => choosePanel(name)}
          >
            {TITLES[name]}
            <Badge panel={name} />
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {stale && OF_THE_RUN.has(panel) ? (
        <p className="notice">
          <span className="grow">Edited since this run.</span>
          {phase === 'ready' ? (
            <button type="button" className="link" onClick={run}>
              Run again
            </button>
          ) : null}
        </p>
      ) : null}
      {PANELS.map((name) => (
        <Tabs.Content
          key={name}
          value={name}
          tabIndex={-1}
          className={name === 'passes' || name === 'wgsl' ? 'tabpanel fixed' : 'tabpanel'}
        >
          <Boundary name={TITLES[name]}>
            {OF_THE_RUN.has(name) ? (
              <div className={stale ? 'stale' : undefined}>{CONTENT[name]()}</div>
            ) : (
              CONTENT[name]()
            )}
          </Boundary>
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}
