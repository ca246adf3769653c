/** How the configurations of a tuning are named: by what differs between them, and once by what does not. */
import type { TunedConfiguration } from '../../events';

export interface Names {
  /** In the configurations' order. */
  readonly own: readonly string[];
  /** What all have: '' where nothing is. */
  readonly common: string;
}

export function namesOf(configurations: readonly TunedConfiguration[]): Names {
  const [first] = configurations;
  if (!first || configurations.length < 2)
    return { own: configurations.map(({ text }) => text), common: '' };
  const common = new Set(
    Object.keys(first.settings).filter((name) =>
      configurations.every(({ settings }) => settings[name] === first.settings[name]),
    ),
  );
  const say = (settings: TunedConfiguration['settings'], of: (name: string) => boolean): string =>
    Object.entries(settings)
      .filter(([name]) => of(name))
      .map(([name, value]) => `${name}: ${value}`)
      .join(', ');
  return {
    own: configurations.map(
      ({ settings, text }) => say(settings, (name) => !common.has(name)) || text,
    ),
    common: say(first.settings, (name) => common.has(name) && first.settings[name] !== 'None'),
  };
}
