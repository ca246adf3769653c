/**
 * Settings of the visitor: theme, motion, keys, adapter, memory cap, check mode, tuning.
 * Remembered.
 */
import { create } from 'zustand';
import type { RunOptions } from '../events';
import { pushUndo } from './undoStack';
import { loadJson, saveJson } from './storage';

export const THEME_CHOICES = ['system', 'light', 'dark', 'contrast'] as const;
/** High contrast is light or dark as the system is. */
export type ThemeChoice = (typeof THEME_CHOICES)[number];
export const THEME_NAMES: Record<ThemeChoice, string> = {
  system: 'as the system',
  light: 'light',
  dark: 'dark',
  contrast: 'high contrast',
};
/** Bytes, or by what the adapter is. */
export type MemoryCap = 'auto' | number;

export interface Settings {
  readonly theme: ThemeChoice;
  /** No motion, also where the system does not ask for that. */
  readonly stillness: boolean;
  /** Keys without a modifier (j, k, d, c, ?); who uses speech input turns them off. */
  readonly singleKeys: boolean;
  readonly adapter: RunOptions['adapter'];
  readonly memoryCap: MemoryCap;
  readonly check: boolean;
  /** Schedules of kernels are searched, and what is kept of them is used. */
  readonly tune: boolean;
  /** From which `torch` starts its random numbers where the program sets no seed. */
  readonly seed: number;
}

const DEFAULTS: Settings = {
  theme: 'system',
  stillness: false,
  singleKeys: true,
  adapter: 'webgpu',
  memoryCap: 'auto',
  check: false,
  tune: false,
  seed: 0,
};

/** As a sentence names them: “Changed the theme”. */
const SETTING_NAMES: Record<keyof Settings, string> = {
  theme: 'the theme',
  stillness: 'motion',
  singleKeys: 'single-key shortcuts',
  adapter: 'what programs run on',
  memoryCap: 'the largest tensor',
  check: 'check mode',
  tune: 'what is tuned',
  seed: 'the seed',
};

export const MEMORY_CAPS: readonly number[] = [64, 256, 1024, 4096].map((mib) => mib * 2 ** 20);

const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
/** One test a setting: a value that does not pass falls back alone, and leaves the others. */
const ACCEPTS: { readonly [K in keyof Settings]: (value: unknown) => boolean } = {
  theme: (value) => THEME_CHOICES.some((choice) => choice === value),
  stillness: isBoolean,
  singleKeys: isBoolean,
  adapter: (value) => value === 'webgpu' || value === 'interpreter',
  memoryCap: (value) => value === 'auto' || (typeof value === 'number' && value > 0),
  check: isBoolean,
  tune: isBoolean,
  seed: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
};

/** Settings among the fields of `value`, whoever wrote it: this page, an older one, or a link. */
function settingsFrom(value: unknown): Partial<Settings> {
  if (typeof value !== 'object' || value === null) return {};
  const fits = Object.entries(value).filter(
    ([name, one]) => Object.hasOwn(ACCEPTS, name) && ACCEPTS[name as keyof Settings](one),
  );
  return Object.fromEntries(fits) as Partial<Settings>;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
export const useSettings = create<Settings>(() => ({
  ...DEFAULTS,
  ...settingsFrom(loadJson('settings', {}, isObject)),
}));
useSettings.subscribe((settings) => saveJson('settings', settings));

/** The settings of a link: they hold in place of the visitor's until the visitor changes one. */
export const useLinked = create<{ readonly settings: Partial<Settings> | null }>(() => ({
  settings: null,
}));
export function effectiveSettings(): Settings {
  return { ...useSettings.getState(), ...useLinked.getState().settings };
}
/** The settings in effect, as a hook. */
export function useEffectiveSettings(): Settings {
  const own = useSettings();
  const linked = useLinked((state) => state.settings);
  return { ...own, ...linked };
}
/** The visitor's own choice: it counts from now on, also where a link said otherwise. */
export function changeSettings(change: Partial<Settings>): void {
  const { settings } = useLinked.getState();
  const own = useSettings.getState();
  const before = Object.fromEntries(
    Object.keys(change).map((name) => [name, own[name as keyof Settings]]),
  ) as Partial<Settings>;
  const names = Object.keys(change).map((name) => SETTING_NAMES[name as keyof Settings]);
  pushUndo({
    text: `Changed ${names.join(', ')}`,
    kind: `setting ${names.join()}`,
    undo: () => {
      useLinked.setState({ settings });
      useSettings.setState(before);
    },
  });
  if (settings) {
    const rest = Object.entries(settings).filter(([name]) => !(name in change));
    useLinked.setState({ settings: Object.fromEntries(rest) });
  }
  useSettings.setState(change);
}

export function runOptions(settings: Settings = effectiveSettings()): RunOptions {
  const { memoryCap } = settings;
  return {
    adapter: settings.adapter,
    maxBytes: memoryCap === 'auto' ? null : memoryCap,
    check: settings.check,
    ...(settings.tune ? { tuneChoices: true } : {}),
    seed: settings.seed,
  };
}

export interface ThemeState {
  readonly theme: 'light' | 'dark';
  readonly contrast: boolean;
}
/** The theme in effect. */
export const useTheme = create<ThemeState>(() => ({ theme: 'light', contrast: false }));

/** Keeps the attributes on the root in step with the choices and the system.
 * @param only the theme of an embedded page, whatever the visitor chose elsewhere. */
export function followTheme(only?: ThemeChoice): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const more = matchMedia('(prefers-contrast: more)');
  const apply = (): void => {
    const { stillness } = useSettings.getState();
    const theme = only ?? useSettings.getState().theme;
    const follows = theme === 'system' || theme === 'contrast';
    const resolved = follows ? (dark.matches ? 'dark' : 'light') : theme;
    const contrast = theme === 'contrast' || (theme === 'system' && more.matches);
    const { dataset } = document.documentElement;
    dataset['theme'] = resolved;
    dataset['contrast'] = contrast ? 'more' : 'normal';
    dataset['motion'] = stillness ? 'none' : 'system';
    const now = useTheme.getState();
    if (now.theme !== resolved || now.contrast !== contrast)
      useTheme.setState({ theme: resolved, contrast });
  };
  dark.addEventListener('change', apply);
  more.addEventListener('change', apply);
  useSettings.subscribe(apply);
  apply();
}
