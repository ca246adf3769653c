/**
 * What a link carries, in its newest version, and how older versions become it. A link is for ever:
 * every version keeps its upgrader, and a test with a link of its time.
 */
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
  /** What the panels themselves want to travel. */
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

/** A file name that stays inside the program. */
function isFileName(name: string): boolean {
  return (
    name.length > 0 &&
    name.length < 200 &&
    !name.startsWith('/') &&
    name.split('/').every((part) => part !== '' && part !== '.' && part !== '..') &&
    !/[\0-\x1f\\]/.test(name)
  );
}

/** Leaves out what is undefined, and objects that are empty then: one state has one form. */
function compact<T extends object>(value: T): T | undefined {
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as T);
}

/** The value, if it is a program; what is odd beside the program is dropped. @throws where it is none. */
export function checked(value: Json): Shared {
  const { name, entry, files, run, view, panels } = record(value);
  const texts = Object.entries(record(files));
  const good = texts.every(([file, one]) => isFileName(file) && typeof one === 'string');
  if (texts.length === 0 || texts.length > 100 || !good) throw new Error('it holds no program');
  if (typeof entry !== 'string' || !texts.some(([file]) => file === entry))
    throw new Error('it does not say which file runs');
  const { seed, adapter, memoryCap, check, tune } = record(run);
  const { panel, second, direction, kernel, specialization, line } = record(view);
  const { file: lineFile, line: lineNumber } = record(line);
  return {
    name: text(name) ?? entry,
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
      panels: compact(record(panels)),
    }),
  };
}
