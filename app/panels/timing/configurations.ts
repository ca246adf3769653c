/**
 * How the configurations of a tuning are listed: a column for each setting that differs, what all
 * have said once, and an order that keeps configurations of one code together.
 */
import type { TunedConfiguration } from '../../events';
import { shortNames } from '../../state/specializations';

export interface Names {
  /** In the configurations' order: what differs, as text. */
  readonly own: readonly string[];
  /** Settings common to all: '' where there are none. */
  readonly common: string;
  /** The settings that differ, with a short name; all of them where nothing does. */
  readonly columns: readonly { readonly name: string; readonly short: string }[];
  /**
   * In the configurations' order: settings that only some have (options of the compiler that were
   * tried).
   */
  readonly options: readonly string[];
}

/** The name of a setting, or the median. */
export type SortKey = string;
export interface Sorting {
  readonly key: SortKey;
  readonly descending: boolean;
}

export function namesOf(configurations: readonly TunedConfiguration[]): Names {
  const [first] = configurations;
  if (!first) return { own: [], common: '', columns: [], options: [] };
  const all = [...new Set(configurations.flatMap(({ settings }) => Object.keys(settings)))];
  const differs = (name: string): boolean =>
    configurations.some(({ settings }) => settings[name] !== first.settings[name]);
  const different = all.filter(differs);
  const everywhere = (name: string): boolean =>
    configurations.every(({ settings }) => settings[name] !== undefined);
  const listed = different.filter(everywhere);
  const some = different.filter((name) => !everywhere(name));
  const shown = different.length > 0 ? listed : all.filter((name) => isSet(first, name));
  const shared = all.filter((name) => !different.includes(name) && isSet(first, name));
  const say = ({ settings }: TunedConfiguration, names: readonly string[]): string =>
    names
      .filter((name) => settings[name] !== undefined)
      .map((name) => `${name}: ${settings[name]}`)
      .join(', ');
  const short = shortNames(shown);
  return {
    own: configurations.map((one) => say(one, different) || one.text),
    common: different.length === 0 ? '' : say(first, shared),
    columns: shown.map((name, index) => ({ name, short: short[index]! })),
    options: configurations.map((one) => say(one, some)),
  };
}

function isSet({ settings }: TunedConfiguration, name: string): boolean {
  return settings[name] !== 'None' && settings[name] !== null && settings[name] !== undefined;
}

/**
 * Places in the list. By time, what has none comes last, and what is the same code as another
 * stands below it.
 */
export function orderOf(configurations: readonly TunedConfiguration[], by: Sorting): number[] {
  const leader = (index: number): number => configurations[index]!.sameAs ?? index;
  const timeOf = (index: number): number =>
    configurations[leader(index)]?.timing?.median ?? Infinity;
  const byTime = (a: number, b: number): number => difference(timeOf(a), timeOf(b));
  const byPlace = (a: number, b: number): number => leader(a) - leader(b) || a - b;
  const bySetting = (a: number, b: number): number =>
    compare(configurations[a]!.settings[by.key], configurations[b]!.settings[by.key]);
  const main = by.key === 'time' ? byTime : bySetting;
  const untimed = (index: number): number =>
    Number(by.key === 'time' && timeOf(index) === Infinity);
  const sign = by.descending ? -1 : 1;
  return configurations
    .map((_, index) => index)
    .sort((a, b) => untimed(a) - untimed(b) || sign * main(a, b) || byTime(a, b) || byPlace(a, b));
}

type Setting = TunedConfiguration['settings'][string] | undefined;
function compare(a: Setting, b: Setting): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a ?? '').localeCompare(String(b ?? ''), 'en');
}

/** Two infinite times are equal. */
function difference(a: number, b: number): number {
  return a === b ? 0 : a - b;
}
