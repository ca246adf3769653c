/**
 * Every command of the page, in one registry: the palette, the shortcuts and the help sheet are
 * derived from it, so none of them can know a command that the others do not. Whoever offers
 * commands registers a function that lists them, asked anew each time (examples, kernels and
 * programs come and go).
 */

export const COMMAND_GROUPS = [
  'Run',
  'Panels',
  'Program',
  'Share',
  'Editor',
  'Inspect',
  'View',
  'Learn',
  'Help',
] as const;
export type CommandGroup = (typeof COMMAND_GROUPS)[number];

export interface Command {
  /** Unique, and the same in every session. */
  readonly id: string;
  readonly title: string;
  readonly group: CommandGroup;
  /**
   * `Mod+Enter` (⌘ or Ctrl), `Alt+1`, `Escape`, `j`. A single character never works while typing.
   */
  readonly keys?: readonly string[];
  /** More words by which the palette finds it. */
  readonly words?: string;
  /** Its keys are handled where they belong (Monaco's, say); here they are only listed. */
  readonly helpOnly?: boolean;
  /** Always, where absent. A command that is not available is neither listed nor run. */
  readonly available?: () => boolean;
  readonly run: () => void;
}

type Lister = () => readonly Command[];
const sources = new Map<string, Lister>();

/** @returns what takes them away again. */
export function registerCommands(source: string, list: Lister): () => void {
  sources.set(source, list);
  return () => {
    if (sources.get(source) === list) sources.delete(source);
  };
}

export function allCommands(): readonly Command[] {
  return [...sources.values()].flatMap((list) => list());
}
export function availableCommands(): readonly Command[] {
  return allCommands().filter((command) => command.available?.() ?? true);
}

export interface KeyPress {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/**
 * Whether the keys pressed are the ones written. ⌘ and Ctrl both count as `Mod`, on every system.
 */
export function matchesKeys(written: string, event: KeyPress): boolean {
  const parts = written.split('+');
  const key = parts.pop() ?? '';
  const requires = (name: string): boolean => parts.includes(name);
  if (requires('Mod') !== (event.ctrlKey || event.metaKey) || requires('Alt') !== event.altKey)
    return false;
  // A sign such as ? needs Shift on one keyboard and not on another.
  const letter = /^[a-z0-9]$/i.test(key);
  if ((letter || key.length > 1) && requires('Shift') !== event.shiftKey) return false;
  if (/^\d$/.test(key)) return event.code === `Digit${key}`;
  // With Alt a Mac's letters become signs, and other alphabets have other letters under ⌘.
  if (/^[a-z]$/i.test(key) && parts.length > 0)
    return (
      event.key.toLowerCase() === key.toLowerCase() || event.code === `Key${key.toUpperCase()}`
    );
  return event.key.toLowerCase() === key.toLowerCase();
}

/** A key that types something, so that it must not act while something is typed. */
function isSingleKey(written: string): boolean {
  return written.length === 1;
}

/** The available command that a key press means, if any. */
export function commandFor(
  event: KeyPress,
  options: { readonly typing: boolean; readonly singleKeys: boolean },
): Command | null {
  for (const command of allCommands()) {
    if (command.helpOnly) continue;
    const hit = command.keys?.some((keys) => {
      if (isSingleKey(keys) && (options.typing || !options.singleKeys)) return false;
      return matchesKeys(keys, event);
    });
    if (hit && (command.available?.() ?? true)) return command;
  }
  return null;
}

const APPLE = typeof navigator === 'undefined' ? false : /Mac|iPhone|iPad/.test(navigator.platform);
const SIGNS: Record<string, readonly [apple: string, others: string]> = {
  Mod: ['⌘', 'Ctrl'],
  Alt: ['⌥', 'Alt'],
  Shift: ['⇧', 'Shift'],
  Enter: ['⏎', 'Enter'],
  Escape: ['Esc', 'Esc'],
  ArrowDown: ['↓', '↓'],
  ArrowUp: ['↑', '↑'],
};

/** The keys as this system's keyboards name them, one string a key. */
export function keyNames(written: string, apple = APPLE): string[] {
  return written.split('+').map((part) => {
    const sign = SIGNS[part];
    if (sign) return apple ? sign[0] : sign[1];
    return part.length === 1 && written.length > 1 ? part.toUpperCase() : part;
  });
}

/** `⌘K`, `Ctrl K`. */
export function keyText(written: string, apple = APPLE): string {
  return keyNames(written, apple).join(apple ? '' : ' ');
}
