/** The top bar: what program, Run and Stop, what the page is doing, theme and settings. */
import { Tooltip } from 'radix-ui';
import { ProgramMenu } from './programs/ProgramMenu';
import { SettingsPopover } from './Settings';
import { keyText } from './state/commands';
import { checkInView, problemIn } from './state/checkable';
import { useDocument } from './state/document';
import { goHome, goToLesson, isList, useRoute } from './state/route';
import { isBusy, run, stop, useSession } from './state/session';
import {
  changeSettings,
  THEME_CHOICES,
  THEME_NAMES,
  useEffectiveSettings,
  useSettings,
  type ThemeChoice,
} from './state/settings';
import { statusText } from './state/statusText';
import { openDialog } from './state/view';
import {
  ContrastIcon,
  LearnIcon,
  Mark,
  MoonIcon,
  PlayIcon,
  SearchIcon,
  ShareIcon,
  StopIcon,
  SunIcon,
  SystemIcon,
} from './theme/icons';

const RUN_KEYS = keyText('Mod+Enter').replace('Enter', '⏎');

export function TopBar(): React.ReactNode {
  const learning = useRoute((route) => route.kind === 'learn');
  const list = useRoute(isList);
  // A lesson's program may run on when its page is left.
  const busy = useSession(isBusy);
  return (
    <header className="topbar">
      <div className="brand">
        <Mark />
        <span className="word">Hippocamp</span>
        <span className="tagline">Triton in your browser</span>
      </div>
      {learning ? null : <ProgramMenu />}
      <span className="spacer" />
      {list && !busy ? null : <RunButtons />}
      <Status />
      <Doors />
      <ThemeSwitch />
      <SettingsPopover />
    </header>
  );
}

export function RunButtons(): React.ReactNode {
  const phase = useSession((state) => state.phase);
  const queued = useSession((state) => state.queued);
  const busy = useSession(isBusy);
  // A click before the program is open would have nothing to run.
  const open = useDocument((state) => state.entry !== '');
  const problem = useDocument(({ files }) => problemIn(files) !== null);
  return (
    <div className="row" style={{ gap: 4 }}>
      <button
        type="button"
        className="button primary run-button"
        disabled={!open || busy || phase === 'failed'}
        aria-keyshortcuts="Control+Enter Meta+Enter"
        onClick={run}
      >
        <PlayIcon />
        {queued ? 'Waiting' : 'Run'}
        {queued ? null : <kbd>{RUN_KEYS}</kbd>}
      </button>
      {problem ? (
        <button
          type="button"
          className="button"
          disabled={busy || phase === 'failed'}
          title="Checks the program against the reference and the hidden checks that came with it"
          onClick={checkInView}
        >
          Check
        </button>
      ) : null}
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

export function Status(): React.ReactNode {
  const state = useSession();
  const chosen = useEffectiveSettings().adapter;
  const { phase, loading, running, ended, adapter, draining } = state;
  const inView = useDocument(({ identity }) => identity === running?.program);
  const idle = phase === 'ready' && !draining;
  const forced = chosen === 'interpreter' && adapter?.kind === 'webgpu' && idle;
  const text = forced
    ? 'Python ready · interpreter (chosen in settings)'
    : running && !inView
      ? `${running.name}: ${statusText(state)}`
      : statusText(state);
  const fraction =
    phase === 'loading' && loading.total > 0
      ? loading.loaded / loading.total
      : phase === 'running'
        ? (running?.progress?.fraction ?? null)
        : null;
  const dot = idle ? 'ready' : phase === 'failed' ? 'failed' : 'busy';
  const explained = adapter?.kind === 'interpreter' && idle ? adapter.reason : null;
  return (
    <div
      className="status"
      role="status"
      data-phase={phase}
      // A short run is over before anybody could see it running.
      data-ended={ended > 0 ? ended : undefined}
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

const THEME_ICONS: Record<ThemeChoice, React.ComponentType> = {
  system: SystemIcon,
  light: SunIcon,
  dark: MoonIcon,
  contrast: ContrastIcon,
};

function ThemeSwitch(): React.ReactNode {
  const theme = useSettings((state) => state.theme);
  const next = THEME_CHOICES[(THEME_CHOICES.indexOf(theme) + 1) % THEME_CHOICES.length]!;
  const label = `Theme: ${THEME_NAMES[theme]}. Switch to ${THEME_NAMES[next]}`;
  const Icon = THEME_ICONS[theme];
  return (
    <button
      type="button"
      className="button quiet icon wide-only"
      aria-label={label}
      title={label}
      onClick={() => changeSettings({ theme: next })}
    >
      <Icon />
    </button>
  );
}

/** Buttons at the right end: learn, share, all commands. */
function Doors(): React.ReactNode {
  const learning = useRoute((route) => route.kind === 'learn');
  const list = useRoute(isList);
  const palette = `All commands (${keyText('Mod+k')})`;
  return (
    <>
      <button
        type="button"
        className="button quiet door"
        aria-pressed={learning}
        title={list ? 'Back to the editor' : 'Lessons and puzzles'}
        onClick={() => (list ? goHome() : goToLesson())}
      >
        <LearnIcon />
        <span className="label">Learn</span>
      </button>
      <button
        type="button"
        className="button quiet door"
        aria-label="Share"
        title={`Share (${keyText('Mod+s')})`}
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+S Meta+S"
        onClick={() => openDialog('share')}
      >
        <ShareIcon />
        <span className="label">Share</span>
      </button>
      <button
        type="button"
        className="button quiet icon"
        aria-label={palette}
        title={palette}
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => openDialog('palette')}
      >
        <SearchIcon />
      </button>
    </>
  );
}
