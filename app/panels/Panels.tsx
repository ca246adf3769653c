/**
 * The right half: one group of tabs, or two with a divider between them. Each panel stands in its
 * own error boundary; what a run shows is dimmed when the text is no longer the one that ran.
 */
import { Suspense, useContext, useEffect, useRef } from 'react';
import { Tabs, Tooltip } from 'radix-ui';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import { Runs } from '../jupyter/Runs';
import { keyText } from '../state/commands';
import { programText, useDocument } from '../state/document';
import { useRun } from '../state/run';
import { RunRecordContext } from '../state/runRecord';
import { useDrawn } from '../state/drawn';
import { isStale, run, stop, useSession } from '../state/session';
import { layoutStorage } from '../state/storage';
import {
  choosePanel,
  PANELS,
  split,
  unsplit,
  useView,
  type GroupName,
  type PanelName,
} from '../state/view';
import { CloseIcon, SplitIcon } from '../theme/icons';
import { Boundary } from './common/Boundary';
import { PANEL_ENTRIES, panelKeys } from './registry';

/** @param only the panels to offer, in an embedded page; all where absent. */
export function Panels({ only }: { readonly only?: readonly PanelName[] }): React.ReactNode {
  const second = useView((state) => state.second);
  const direction = useView((state) => state.splitDirection);
  const { defaultLayout, onLayoutChanged } = useDefaultLayout({
    id: `split-${direction}`,
    storage: layoutStorage,
  });
  if (second === null || only) return <PanelGroup name="first" only={only} />;
  return (
    <Group
      key={direction}
      className="split"
      orientation={direction === 'right' ? 'horizontal' : 'vertical'}
      defaultLayout={defaultLayout}
      onLayoutChanged={onLayoutChanged}
    >
      <Panel id="first" minSize={120}>
        <PanelGroup name="first" />
      </Panel>
      <Separator
        className={direction === 'right' ? 'separator' : 'separator across'}
        aria-label="Resize the two groups of panels"
      />
      <Panel id="second" minSize={120}>
        <PanelGroup name="second" />
      </Panel>
    </Group>
  );
}

function PanelGroup(props: {
  readonly name: GroupName;
  readonly only?: readonly PanelName[];
}): React.ReactNode {
  const { name: group, only } = props;
  const first = useView((state) => state.panel);
  const second = useView((state) => state.second);
  const names = only ?? PANELS;
  const wanted = group === 'first' ? first : (second ?? first);
  const panel = names.includes(wanted) ? wanted : (names[0] ?? 'output');
  const phase = useSession((state) => state.phase);
  const record = useRun((state) => state.record);
  const text = useDocument((state) => programText(state));
  // The check of a result states whose program ran.
  const stale = isStale(record, text) && record?.foreign === false;
  const tabs = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const list = tabs.current;
    if (!list) return;
    // Also where the strip becomes narrower than its tabs.
    const follow = new ResizeObserver(() =>
      list
        .querySelector('[aria-selected=true]')
        ?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    );
    follow.observe(list);
    return () => follow.disconnect();
  }, [panel]);
  return (
    <Tabs.Root
      className="tabs"
      value={panel}
      onValueChange={(value) => choosePanel(value as PanelName, group)}
      onFocusCapture={() => {
        if (useView.getState().group !== group) useView.setState({ group });
      }}
    >
      <div className="tabstrip">
        <Tabs.List
          ref={tabs}
          className="tablist"
          aria-label={group === 'first' ? 'Panels' : 'Panels of the second group'}
        >
          {names.map((name) => (
            <Tab key={name} panel={name} group={group} />
          ))}
        </Tabs.List>
        {only ? null : <SplitButton group={group} />}
      </div>
      {stale && PANEL_ENTRIES[panel].ofTheRun ? (
        <p className="notice">
          <span className="grow">The code has changed since this run.</span>
          {phase === 'ready' ? (
            <button type="button" className="link" onClick={run}>
              Run again
            </button>
          ) : null}
        </p>
      ) : null}
      {PANEL_ENTRIES[panel].ofTheRun ? <AnotherRuns /> : null}
      {names.map((name) => (
        <PanelContent key={name} name={name} stale={stale} />
      ))}
    </Tabs.Root>
  );
}

/** Python runs one program at a time; this one has no results meanwhile. */
function AnotherRuns(): React.ReactNode {
  const running = useSession((state) => state.running);
  const program = useDocument((state) => state.identity);
  if (!running || running.program === program) return null;
  return (
    <p className="notice">
      <span className="grow">{running.name} is still running.</span>
      <button type="button" className="link" onClick={stop}>
        Stop it
      </button>
    </p>
  );
}

function Tab(props: { readonly panel: PanelName; readonly group: GroupName }): React.ReactNode {
  const { title, Badge } = PANEL_ENTRIES[props.panel];
  const keys = panelKeys(props.panel);
  return (
    <Tabs.Trigger
      className="tab"
      value={props.panel}
      title={keys ? keyText(keys) : undefined}
      // A click on the tab in view is a choice too.
      onClick={() => choosePanel(props.panel, props.group)}
    >
      {title}
      {Badge ? <Badge /> : null}
    </Tabs.Trigger>
  );
}

function PanelContent(props: {
  readonly name: PanelName;
  readonly stale: boolean;
}): React.ReactNode {
  const { name, stale } = props;
  const { title, ofTheRun, fixed, View } = PANEL_ENTRIES[name];
  const drawn = useDrawn();
  const text = useDocument((state) => programText(state));
  const program = useDocument((state) => state.identity);
  const view = (
    <Suspense fallback={null}>
      <View />
    </Suspense>
  );
  return (
    <Tabs.Content value={name} tabIndex={-1} className={fixed ? 'tabpanel fixed' : 'tabpanel'}>
      <Boundary
        // A panel's own state, such as the comparison in view, belongs to one program.
        key={program}
        name={title}
        of={drawn}
      >
        {ofTheRun ? (
          <Runs text={text}>
            <StaleOrNot stale={stale}>{view}</StaleOrNot>
          </Runs>
        ) : (
          view
        )}
      </Boundary>
    </Tabs.Content>
  );
}

/** Dims what the run in the browser showed; the run elsewhere has its own age. */
function StaleOrNot(props: {
  readonly stale: boolean;
  readonly children: React.ReactNode;
}): React.ReactNode {
  const elsewhere = useContext(RunRecordContext) !== undefined;
  return <div className={props.stale && !elsewhere ? 'stale' : undefined}>{props.children}</div>;
}

function SplitButton({ group }: { readonly group: GroupName }): React.ReactNode {
  const second = useView((state) => state.second);
  const direction = useView((state) => state.splitDirection);
  if (group === 'second')
    return (
      <span className="split-buttons">
        <IconButton
          label={direction === 'right' ? 'Put the second group below' : 'Put it to the right'}
          onClick={() => split(direction === 'right' ? 'below' : 'right')}
        >
          <SplitIcon />
        </IconButton>
        <IconButton
          label="Close this group"
          onClick={() => {
            useView.setState({ group: 'first' });
            unsplit();
          }}
        >
          <CloseIcon />
        </IconButton>
      </span>
    );
  if (second !== null) return null;
  return (
    <span className="split-buttons">
      <IconButton label="Split: two panels at once" onClick={() => split(direction)}>
        <SplitIcon />
      </IconButton>
    </span>
  );
}

function IconButton(props: {
  readonly label: string;
  readonly onClick: () => void;
  readonly children: React.ReactNode;
}): React.ReactNode {
  return (
    <Tooltip.Root delayDuration={400}>
      <Tooltip.Trigger asChild>
        <button
          type="button"
          className="button quiet icon small"
          aria-label={props.label}
          onClick={props.onClick}
        >
          {props.children}
        </button>
      </Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content className="tooltip" sideOffset={4} collisionPadding={8}>
          {props.label}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
