/** The settings, behind the gear of the top bar. */
import { Popover } from 'radix-ui';
import { KeptTunings } from './KeptTunings';
import { OfflineSetting } from './offline/Offline';
import { formatBytes } from './panels/common/format';
import { defaultMaxBytes } from './runtime/limits';
import { useSession } from './state/session';
import {
  changeSettings,
  MEMORY_CAPS,
  THEME_CHOICES,
  useEffectiveSettings,
  type Settings,
  type ThemeChoice,
} from './state/settings';
import { openDialog, useView } from './state/view';
import { GearIcon } from './theme/icons';

const THEME_TITLES: Record<ThemeChoice, string> = {
  system: 'System',
  light: 'Light',
  dark: 'Dark',
  contrast: 'Contrast',
};

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

function Switch(props: {
  readonly on: boolean;
  readonly onTurn: (on: boolean) => void;
  readonly children: string;
}): React.ReactNode {
  return (
    <label className="row">
      <input
        type="checkbox"
        checked={props.on}
        onChange={(event) => props.onTurn(event.target.checked)}
      />
      {props.children}
    </label>
  );
}

export function SettingsPopover(): React.ReactNode {
  const settings = useEffectiveSettings();
  const adapter = useSession((state) => state.adapter);
  const open = useView((state) => state.dialog === 'settings');
  const set = (change: Partial<Settings>): void => changeSettings(change);
  const caps = [
    ['auto', 'Auto'] as const,
    ...MEMORY_CAPS.map((bytes) => [bytes, formatBytes(bytes)] as const),
  ];
  return (
    <Popover.Root open={open} onOpenChange={(now) => openDialog(now ? 'settings' : null)}>
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
            <p className="name">Theme</p>
            <Choice
              label="Theme"
              value={settings.theme}
              options={THEME_CHOICES.map((theme) => [theme, THEME_TITLES[theme]] as const)}
              onChoose={(theme) => set({ theme })}
            />
          </div>
          <div className="setting">
            <p className="name">Run on</p>
            <Choice
              label="Run on"
              value={settings.adapter}
              options={[
                ['webgpu', 'WebGPU'],
                ['interpreter', 'Interpreter'],
              ]}
              onChoose={(chosen) => set({ adapter: chosen })}
            />
            <p className="help">
              The interpreter executes the IR on the CPU: slower but exact; works without a GPU.
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
              Larger tensors raise an error; larger benchmark sizes are skipped. Auto is{' '}
              {formatBytes(defaultMaxBytes(adapter))} on this adapter.
            </p>
          </div>
          <div className="setting">
            <Switch on={settings.check} onTurn={(check) => set({ check })}>
              Verify compiler passes
            </Switch>
            <p className="help">
              Runs the IR after every pass on the program’s inputs, and marks the pass that changed
              a result. Much slower.
            </p>
          </div>
          <div className="setting">
            <Switch on={settings.tune} onTurn={(tune) => set({ tune })}>
              Tune schedules
            </Switch>
            <p className="help">
              Before a kernel’s first launch, thread counts, staging and unrolling are searched for
              this GPU; what is faster is used and kept. Results change by rounding at most.
            </p>
            <KeptTunings />
          </div>
          <div className="setting">
            <label className="row">
              Seed
              <input
                className="field"
                type="number"
                min={0}
                step={1}
                value={settings.seed}
                onChange={(event) => {
                  const seed = event.target.valueAsNumber;
                  if (Number.isSafeInteger(seed) && seed >= 0) set({ seed });
                }}
              />
            </label>
            <p className="help">Default seed for torch, unless the program sets one.</p>
          </div>
          <div className="setting">
            <Switch on={settings.stillness} onTurn={(stillness) => set({ stillness })}>
              Reduce motion
            </Switch>
            <Switch on={settings.singleKeys} onTurn={(singleKeys) => set({ singleKeys })}>
              Single-key shortcuts
            </Switch>
            <p className="help">
              j, k, d, c and ? work outside text fields. Turn off if you use speech input.
            </p>
          </div>
          <OfflineSetting />
          <div className="setting">
            <button type="button" className="link" onClick={() => openDialog('packages')}>
              Packages: what programs import, and its size
            </button>
          </div>
          <div className="setting">
            <button type="button" className="link" onClick={() => openDialog('privacy')}>
              Privacy: what is kept, and where
            </button>
          </div>
          <div className="setting">
            <a href="./device.html" target="_blank" rel="noopener">
              Device report: measure this GPU
            </a>
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
