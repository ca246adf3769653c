/** What the visitor prefers: theme, adapter, memory cap, check mode. Remembered. */
import { create } from 'zustand';
import type { RunOptions } from '../events';
import { loadJson, saveJson } from './storage';

export type ThemeChoice = 'system' | 'light' | 'dark';
/** Bytes, or by what the adapter is. */
export type MemoryCap = 'auto' | number;

export interface Settings {
  readonly theme: ThemeChoice;
  readonly adapter: RunOptions['adapter'];
  readonly memoryCap: MemoryCap;
  readonly check: boolean;
}

const DEFAULTS: Settings = { theme: 'system', adapter: 'webgpu', memoryCap: 'auto', check: false };

export const MEMORY_CAPS: readonly number[] = [64, 256, 1024, 4096].map((mib) => mib * 2 ** 20);

function isSettings(value: unknown): value is Settings {
  if (typeof value !== 'object' || value === null) return false;
  const { theme, adapter, memoryCap, check } = value as Record<string, unknown>;
  return (
    (theme === 'system' || theme === 'light' || theme === 'dark') &&
    (adapter === 'webgpu' || adapter === 'interpreter') &&
    (memoryCap === 'auto' || typeof memoryCap === 'number') &&
    typeof check === 'boolean'
  );
}

export const useSettings = create<Settings>(() => loadJson('settings', DEFAULTS, isSettings));
useSettings.subscribe((settings) => saveJson('settings', settings));

export function runOptions(settings: Settings): RunOptions {
  const { memoryCap } = settings;
  return {
    adapter: settings.adapter,
    maxBytes: memoryCap === 'auto' ? null : memoryCap,
    check: settings.check,
    seed: 0,
  };
}

/** Keeps `data-theme` on the root in step with the choice and the system. */
export function followTheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = (): void => {
    const { theme } = useSettings.getState();
    const resolved = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
    document.documentElement.dataset['theme'] = resolved;
    useTheme.setState({ theme: resolved });
  };
  dark.addEventListener('change', apply);
  useSettings.subscribe(apply);
  apply();
}

/** The theme in effect. */
export const useTheme = create<{ readonly theme: 'light' | 'dark' }>(() => ({ theme: 'light' }));
