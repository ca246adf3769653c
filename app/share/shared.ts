/**
 * Content of a link, in its newest version, and how older versions become it. A link is for ever:
 * every version keeps its upgrader, and a test with a link of its time.
 */
import { isFileName, MOST_FILES, readableTitle } from '../state/fileNames';
import type { Json } from './slices';

export interface Shared {
  readonly name: string;
  readonly entry: string;
  readonly files: Readonly<Record<string, string>>;
  /** How it is run: absent where it is the default. */
  readonly run?: {
    readonly seed?: number;
    readonly adapter?: 'interpreter';
    readonly memoryCap?: number;
    readonly check?: true;
    readonly tune?: true;
  };
  readonly view?: {
    readonly panel?: string;
    readonly second?: string;
    readonly direction?: 'right';
    /** The kernel in view. */
    readonly kernel?: string;
    /** Which of what ran of this kernel, counted from 0; after a run it is in view again. */
    readonly specialization?: number;
    readonly line?: { readonly file: string; readonly line: number };
  };
  /** Slices of the panels, by name. */
  readonly panels?: Readonly<Record<string, Json>>;
}

export const VERSION = 2;

/** From version n to n + 1. They see whatever a link holds, so they trust nothing. */
const UPGRADERS: Readonly<Record<number, (value: Json) => Json>> = {
  // Version 1, a draft that was never published, had one file and the panel beside it.
  1: (value) => {
    const { text, file, panel } = record(value);
    const entry = typeof file === 'string' ? file : 'main.py';
    return {
      name: entry.replace(/\.py$/, ''),
      entry,
      files: { [entry]: typeof text === 'string' ? text : '' },
      ...(typeof panel === 'string' ? { view: { panel } } : {}),
    };
  },
};

export function upgrade(
  value: Json,
  from: number,
  to = VERSION,
  upgraders: Readonly<Record<number, (value: Json) => Json>> = UPGRADERS,
): Json {
  let current = value;
  for (let version = from; version < to; version++) {
    const step = upgraders[version];
    if (!step) throw new Error(`links of version ${version} are not known`);
    current = step(current);
  }
  return current;
}

function record(value: Json | undefined): Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)
    : {};
}
const text = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value.length < 200 ? value : undefined;
const whole = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** Slices of a link; of each, its levels, values and characters. */
const MOST_SLICES = 20;
const DEEPEST = 8;
const MOST_VALUES = 2000;
const MOST_CHARACTERS = 100_000;

/** A link of a few characters can nest without end, or unfold to megabytes. */
function isSmall(slice: Json): boolean {
  let values = 0;
  let characters = 0;
  const within = (value: Json, depth: number): boolean => {
    if (++values > MOST_VALUES || depth > DEEPEST) return false;
    if (typeof value === 'string') return (characters += value.length) <= MOST_CHARACTERS;
    if (typeof value !== 'object' || value === null) return true;
    return Object.entries(value).every(([key, one]) => {
      characters += key.length;
      return within(one as Json, depth + 1);
    });
  };
  return within(slice, 1) && characters <= MOST_CHARACTERS;
}
function smallSlices(panels: Readonly<Record<string, Json>>): Record<string, Json> {
  const small = Object.entries(panels).filter(
    ([name, slice]) => name.length < 100 && isSmall(slice),
  );
  return Object.fromEntries(small.slice(0, MOST_SLICES));
}

/** Leaves out what is undefined, and objects that are empty then: one state has one form. */
function compact<T extends object>(value: T): T | undefined {
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as T);
}

/**
 * The value, if it is a program; what is odd beside the program is dropped. @throws where it is
 * none.
 */
export function checked(value: Json): Shared {
  const { name, entry, files, run, view, panels } = record(value);
  const texts = Object.entries(record(files));
  if (texts.length === 0 || texts.some(([, one]) => typeof one !== 'string'))
    throw new Error('it holds no program');
  if (texts.length > MOST_FILES)
    throw new Error(`it has ${texts.length} files, and a program holds at most ${MOST_FILES}`);
  const odd = texts.find(([file]) => !isFileName(file))?.[0];
  if (odd !== undefined)
    throw new Error(`it has a file with a name that cannot be shared: ${odd.slice(0, 60)}`);
  if (typeof entry !== 'string' || !texts.some(([file]) => file === entry))
    throw new Error('it does not say which file runs');
  const { seed, adapter, memoryCap, check, tune } = record(run);
  const { panel, second, direction, kernel, specialization, line } = record(view);
  const { file: lineFile, line: lineNumber } = record(line);
  return {
    name: readableTitle(text(name) ?? '') || entry,
    entry,
    files: Object.fromEntries(texts) as Record<string, string>,
    ...compact({
      run: compact({
        seed: whole(seed) || undefined,
        adapter: adapter === 'interpreter' ? ('interpreter' as const) : undefined,
        memoryCap: whole(memoryCap) || undefined,
        check: check === true ? (true as const) : undefined,
        tune: tune === true ? (true as const) : undefined,
      }),
      view: compact({
        panel: text(panel),
        second: text(second),
        direction: direction === 'right' ? ('right' as const) : undefined,
        kernel: text(kernel),
        specialization: whole(specialization),
        line:
          text(lineFile) !== undefined && whole(lineNumber)
            ? { file: text(lineFile)!, line: whole(lineNumber)! }
            : undefined,
      }),
      panels: compact(smallSlices(record(panels))),
    }),
  };
}
