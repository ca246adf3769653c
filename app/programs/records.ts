/**
 * Programs and their moments as storage, and other tabs, hold them. Anything may stand there: an
 * older page wrote it, or a program that ran. What is read here has the shape that the page relies
 * on; what can be repaired is, because it is the visitor's text.
 */
import type { ProgramFiles } from '../events';
import { fileNameFrom, readableTitle } from '../state/fileNames';

/** Origin of a program, and so what *Reset* returns to. */
export type Origin =
  | { readonly kind: 'own' }
  | { readonly kind: 'example'; readonly file: string }
  | { readonly kind: 'lesson'; readonly file: string }
  /** Files as the link brought them. */
  | { readonly kind: 'link'; readonly files: ProgramFiles };

export interface KeptProgram {
  readonly id: string;
  readonly name: string;
  readonly entry: string;
  readonly files: ProgramFiles;
  readonly origin: Origin;
  /** Milliseconds since the epoch. */
  readonly updated: number;
}

const REASONS = ['run', 'pause', 'before restoring', 'before deleting'] as const;

/** A moment of a program: to look at, and to return to. */
export interface Snapshot {
  readonly program: string;
  readonly time: number;
  readonly reason: (typeof REASONS)[number];
  readonly entry: string;
  readonly files: ProgramFiles;
}

type Fields = Readonly<Record<string, unknown>>;
function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** The latest time that a date can have. */
const LAST_TIME = 8.64e15;
function timeFrom(value: unknown): number {
  return typeof value === 'number' && value >= 0 && value <= LAST_TIME ? value : 0;
}

/**
 * Names become such that a program may have; a second file of one name gets a number. Null for no
 * files.
 */
function filesFrom(value: unknown): ProgramFiles | null {
  if (typeof value !== 'object' || value === null) return null;
  const files = new Map<string, string>();
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== 'string') return null;
    const inside = fileNameFrom(name);
    if (inside === null) continue;
    // The file that has the name already comes first: no text is lost.
    const taken = (one: string): boolean =>
      files.has(one) || (one !== name && Object.hasOwn(value, one));
    let free: string = inside;
    for (let count = 2; taken(free); count++)
      free = inside.replace(/(\.\w+)?$/, (end) => `_${count}${end}`);
    if (fileNameFrom(free) !== null) files.set(free, text);
  }
  return files.size === 0 ? null : Object.fromEntries(files);
}
function entryFrom(value: unknown, files: ProgramFiles): string {
  const entry = typeof value === 'string' ? fileNameFrom(value) : null;
  return entry !== null && Object.hasOwn(files, entry) ? entry : Object.keys(files)[0]!;
}
function originFrom(value: unknown): Origin {
  const { kind, file, files } = fieldsOf(value);
  if ((kind === 'example' || kind === 'lesson') && typeof file === 'string') return { kind, file };
  const originals = kind === 'link' ? filesFrom(files) : null;
  return originals ? { kind: 'link', files: originals } : { kind: 'own' };
}

/** The program of a record; null where it holds none. */
export function programFrom(value: unknown): KeptProgram | null {
  const { id, name, entry, files, origin, updated } = fieldsOf(value);
  const read = filesFrom(files);
  if (typeof id !== 'string' || id === '' || !read) return null;
  const first = entryFrom(entry, read);
  return {
    id,
    name: readableTitle(typeof name === 'string' ? name : '') || first,
    entry: first,
    files: read,
    origin: originFrom(origin),
    updated: timeFrom(updated),
  };
}

/** The moment of a record; null where it holds none. */
export function snapshotFrom(value: unknown): Snapshot | null {
  const { program, time, reason, entry, files } = fieldsOf(value);
  const read = filesFrom(files);
  if (typeof program !== 'string' || !read) return null;
  return {
    program,
    time: timeFrom(time),
    reason: REASONS.find((one) => one === reason) ?? 'pause',
    entry: entryFrom(entry, read),
    files: read,
  };
}
