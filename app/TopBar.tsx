/** The top bar: what program, Run and Stop, what the page is doing, theme and settings. */
import { DropdownMenu, Popover, Tooltip } from 'radix-ui';
import { isModified, open, reset, useDocument } from './state/document';
import { run, stop, useSession, type SessionState } from './state/session';
import { MEMORY_CAPS, useSettings, type Settings, type ThemeChoice } from './state/settings';
import { defaultMaxBytes } from './runtime/limits';
import { formatBytes } from './panels/common/format';
import {
  ChevronIcon,
  GearIcon,
  Mark,
  MoonIcon,
  PlayIcon,
  ResetIcon,
  StopIcon,
  SunIcon,
  SystemIcon,
} from './theme/icons';

const APPLE = /Mac|iPhone|iPad/.test(navigator.platform);
const RUN_KEYS = APPLE ? '⌘⏎' : 'Ctrl ⏎';

export function TopBar(): React.ReactNode {
  return (
    <header className="topbar">
      <div className="brand">
        <Mark />
        <span className="word">Hippocamp</span>
        <span className="tagline">Triton in your browser</span>
      </div>
      <Examples />
      <span className="spacer" />
      <RunButtons />
      <Status />
      <ThemeSwitch />
      <SettingsPopover />
    </header>
  );
}

function Examples(): React.ReactNode {
  const examples = useDocument((state) => state.examples);
  const entry = useDocument((state) => state.entry);
  const modified = useDocument(isModified);
  const title = examples.find((example) => example.file === entry)?.title ?? (entry || 'Examples');
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="button example-button" aria-label={`Example: ${title}`}>
        <span className="name">{title}</span>
        <ChevronIcon />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="start" sideOffset={4} collisionPadding={8}>
          <DropdownMenu.RadioGroup value={entry} onValueChange={(file) => void open(file)}>
            {examples.map((example) => (
              <DropdownMenu.RadioItem
                key={example.file}
                value={example.file}
                className="menu-item"
                textValue={example.title}
              >
                <span className="title">
                  {example.title}
                  {example.file === entry && modified ? (
                    <span className="muted">edited</span>
                  ) : null}
                </span>
                <span className="summary">{example.summary}</span>
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
          {modified ? (
            <DropdownMenu.Item className="menu-item" onSelect={reset}>
              <span className="title">
                <ResetIcon /> Reset to the original
              </span>
              <span className="summary">Your edits can be brought back with Undo.</span>
            </DropdownMenu.Item>
          ) : null}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function RunButtons(): React.ReactNode {
  const phase = useSession((state) => state.phase);
  const queued = useSession((state) => state.queued);
  const busy = phase === 'running' || queued;
  return (
    <div className="row" style={{ gap: 4 }}>
      <button
        type="button"
        className="button primary run-button"
        disabled={busy || phase === 'failed'}
        aria-keyshortcuts="Control+Enter Meta+Enter"
        onClick={run}
      >
        <PlayIcon />
        {queued ? 'Waiting' : 'Run'}
        {queued ? null : <kbd>{RUN_KEYS}</kbd>}
      </button>
      <button
        type="button"
        className="button icon"
        aria-label="Stop"
        title="Stop (Esc)"
        aria-keyshortcuts="Escape"
        disabled={!busy}
        onClick={stop}
      >
        <StopIcon />
      </button>
    </div>
  );
}

const MEGABYTE = 1e6;

/** What the page is doing, in one line. */
export function statusText(state: SessionState): string {
  const { phase, loading, adapter, record, queued } = state;
  switch (phase) {
    case 'loading': {
      const { text, loaded, total } = loading;
      const amount =
        total > MEGABYTE
          ? ` ${Math.floor(loaded / MEGABYTE)} of ${Math.ceil(total / MEGABYTE)} MB`
          : '';
      const what = /^(loading|starting|preparing)/i.test(text) ? text : `loading ${text}`;
      return `${what}${amount}${queued ? ', then runs' : ''}`;
    }
    case 'running':
      return record?.progress?.text || 'running';
    case 'failed':
      return 'Python stopped working';
    case 'ready':
      if (!adapter) return 'python ready';
      return adapter.kind === 'webgpu'
        ? `python ready · ${adapter.name} · webgpu`
        : 'no WebGPU: runs on the interpreter (slower)';
    default: {
      const unknown: never = phase;
      return unknown;
    }
  }
}

function Status(): React.ReactNode {
  const state = useSession();
  const chosen = useSettings((settings) => settings.adapter);
  const { phase, loading, record, adapter } = state;
  const forced = chosen === 'interpreter' && adapter?.kind === 'webgpu' && phase === 'ready';
  const text = forced ? 'python ready · interpreter (chosen in settings)' : statusText(state);
  const fraction =
    phase === 'loading' && loading.total > 0
      ? loading.loaded / loading.total
      : phase === 'running'
        ? (record?.progress?.fraction ?? null)
        : null;
  const dot = phase === 'ready' ? 'ready' : phase === 'failed' ? 'failed' : 'busy';
  const explained = adapter?.kind === 'interpreter' && phase === 'ready' ? adapter.reason : null;
  return (
    <div
      className="status"
      role="status"
      data-phase={phase}
      // A short run is over before anybody could see it running.
      data-ended={record?.outcome ? record.run : undefined}
    >
      <span className={`dot ${dot}`} aria-hidden="true" />
      {explained ? (
        <Tooltip.Root delayDuration={150}>
          <Tooltip.Trigger className="text explain">{text}</Tooltip.Trigger>
          <Tooltip.Portal>
            <Tooltip.Content className="tooltip" sideOffset={4} collisionPadding={8}>
              {explained}
            </Tooltip.Content>
          </Tooltip.Portal>
        </Tooltip.Root>
      ) : (
        <span className="text" title={text}>
          {text}
        </span>
      )}
      {fraction === null ? null : (
        <span className="meter" aria-hidden="true">
          <div style={{ width: `${Math.round(100 * Math.min(1, fraction))}%` }} />
        </span>
      )}
    </div>
  );
}

const THEMES: readonly ThemeChoice[] = ['system', 'light', 'dark'];
const THEME_NAMES: Record<ThemeChoice, string> = {
  system: 'as the system',
  light: 'light',
  dark: 'dark',
};

function ThemeSwitch(): React.ReactNode {
  const theme = useSettings((state) => state.theme);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
  const label = `Theme: ${THEME_NAMES[theme]}. Switch to ${THEME_NAMES[next]}`;
  return (
    <button
      type="button"
      className="button quiet icon"
      aria-label={label}
      title={label}
      onClick={() => useSettings.setState({ theme: next })}
    >
      {theme === 'system' ? <SystemIcon /> : theme === 'light' ? <SunIcon /> : <MoonIcon />}
    </button>
  );
}

function Choice<T extends string | number>(props: {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly onChoose: (value: T) => void;
}): React.ReactNode {
  return (
    <span className="segmented" role="radiogroup" aria-label={props.label}>
      {props.options.map(([value, name]) => (
        <button
          key={value}
          type="button"
          role="radio"
          aria-checked={props.value === value}
          onClick={() => props.onChoose(value)}
        >
          {name}
        </button>
      ))}
    </span>
  );
}

function SettingsPopover(): React.ReactNode {
  const settings = useSettings();
  const adapter = useSession((state) => state.adapter);
  const set = (change: Partial<Settings>): void => useSettings.setState(change);
  const caps = [
    ['auto', 'Auto'] as const,
    ...MEMORY_CAPS.map((bytes) => [bytes, formatBytes(bytes)] as const),
  ];
  return (
    <Popover.Root>
      <Popover.Trigger className="button quiet icon" aria-label="Settings" title="Settings">
        <GearIcon />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="popover"
          align="end"
          sideOffset={4}
          collisionPadding={8}
          aria-label="Settings"
        >
          <div className="setting">
            <p className="name">Runs on</p>
            <Choice
              label="Runs on"
              value={settings.adapter}
              options={[
                ['webgpu', 'WebGPU'],
                ['interpreter', 'Interpreter'],
              ]}
              onChoose={(chosen) => set({ adapter: chosen })}
            />
            <p className="help">
              The interpreter executes the IR on the CPU: slower, exact, and there without a GPU.
            </p>
          </div>
          <div className="setting">
            <p className="name">Largest tensor</p>
            <Choice
              label="Largest tensor"
              value={settings.memoryCap}
              options={caps}
              onChoose={(memoryCap) => set({ memoryCap })}
            />
            <p className="help">
              Larger tensors are refused, and benchmark sizes above it are left out. Auto is{' '}
              {formatBytes(defaultMaxBytes(adapter))} on this adapter.
            </p>
          </div>
          <div className="setting">
            <label className="row">
              <input
                type="checkbox"
                checked={settings.check}
                onChange={(event) => set({ check: event.target.checked })}
              />
              Check mode
            </label>
            <p className="help">
              Runs the IR after every pass on the program’s inputs, and marks the pass that changed
              a result. Much slower.
            </p>
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
