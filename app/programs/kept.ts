/**
 * Storage of programs: IndexedDB, and, until they are there, a draft in localStorage, which is
 * written before anything else happens, so that neither a reload nor a crash loses a keystroke. The
 * newer of the two counts. Nothing here throws: where the browser keeps nothing, the answer is
 * `false`.
 *
 * A database may also never answer: another tab holds it, or the disk is busy. A read then goes on
 * without it after a while, and the page says so; the text that was not read is kept as a moment of
 * the program's history before anything is written over it.
 */
import { create } from 'zustand';
import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import type { ProgramFiles } from '../events';
import { keysFrom, load, loadJson, save, saveJson } from '../state/storage';
import { programFrom, snapshotFrom, type KeptProgram, type Snapshot } from './records';

/** Snapshots of one program; the oldest go first. */
const MAX_SNAPSHOTS = 120;

interface Schema extends DBSchema {
  programs: { key: string; value: KeptProgram };
  history: { key: number; value: Snapshot; indexes: { program: string } };
}

let opened: Promise<IDBPDatabase<Schema> | null> | null = null;
function database(): Promise<IDBPDatabase<Schema> | null> {
  opened ??= (async () => {
    try {
      return await openDB<Schema>('hippocamp-programs', 1, {
        upgrade(db) {
          db.createObjectStore('programs', { keyPath: 'id' });
          const history = db.createObjectStore('history', { autoIncrement: true });
          history.createIndex('program', 'program');
        },
        // A newer page in another tab upgrades it, or somebody deletes it: the next use opens it
        // again.
        blocking: (_current, _wanted, event) => {
          opened = null;
          (event.target as IDBDatabase).close();
        },
        terminated: () => (opened = null),
      });
    } catch {
      return null;
    }
  })();
  return opened;
}
async function attempt<T>(work: (db: IDBPDatabase<Schema>) => Promise<T>): Promise<T | undefined> {
  try {
    const db = await database();
    return db ? await work(db) : undefined;
  } catch {
    return undefined;
  }
}

/** Milliseconds for the database to answer a read. */
const PATIENCE = 3000;
/** A read went on without the database, which has not answered yet. */
export const useUnanswered = create<{ readonly unanswered: boolean }>(() => ({
  unanswered: false,
}));
/** Reads that the database owes an answer. */
let owed = 0;

/**
 * Reads, and goes on without an answer after a while.
 * @param late is called when an answer comes after that.
 */
async function read<T>(
  work: (db: IDBPDatabase<Schema>) => Promise<T>,
  late?: () => void,
): Promise<T | undefined> {
  const answer = attempt(work);
  const silence = Symbol('silence');
  let timer: ReturnType<typeof setTimeout> | undefined;
  const first = await Promise.race([
    answer,
    new Promise<typeof silence>((resolve) => {
      timer = setTimeout(() => resolve(silence), PATIENCE);
    }),
  ]);
  clearTimeout(timer);
  if (first !== silence) return first;
  owed++;
  useUnanswered.setState({ unanswered: true });
  void answer.then(() => {
    owed--;
    useUnanswered.setState({ unanswered: owed > 0 });
    late?.();
  });
  return undefined;
}

/**
 * Programs that could not be read: the page has not seen what the database has of them. A draft
 * written meanwhile is marked, for the next visit.
 */
const unread = new Set<string>();
const unreadKey = (id: string): string => `unread:${id}`;
const isUnread = (id: string): boolean => unread.has(id) || load(unreadKey(id)) !== null;
function nowRead(id: string): void {
  unread.delete(id);
  if (load(unreadKey(id)) !== null) save(unreadKey(id), null);
}
let onLate = (_id: string): void => {};
/** @param hear is called where a program that could not be read now can be. */
export function onLateAnswer(hear: (id: string) => void): void {
  onLate = hear;
}

const draftKey = (id: string): string => `draft:${id}`;

/** The draft, at once. */
export function loadDraft(id: string): KeptProgram | null {
  const draft = programFrom(loadJson<unknown>(draftKey(id), null, isAnything));
  return draft?.id === id ? draft : null;
}
const isAnything = (_value: unknown): _value is unknown => true;

/** Loads a stored program; null for none. */
export async function loadKept(id: string): Promise<KeptProgram | null> {
  const draft = loadDraft(id);
  unread.add(id);
  const found = await read(
    async (db) => {
      const record = await db.get('programs', id);
      unread.delete(id);
      return record;
    },
    () => onLate(id),
  );
  const stored = programFrom(found);
  if (!stored) return draft;
  return draft && draft.updated >= stored.updated ? draft : stored;
}

/** Every program that is kept, the latest first. */
export async function listKept(): Promise<KeptProgram[]> {
  const all = new Map<string, KeptProgram>();
  for (const record of (await read((db) => db.getAll('programs'))) ?? []) {
    const program = programFrom(record);
    if (program) all.set(program.id, program);
  }
  for (const key of keysFrom(draftKey(''))) {
    const program = loadDraft(key.slice(draftKey('').length));
    if (!program) continue;
    const known = all.get(program.id);
    if (!known || program.updated >= known.updated) all.set(program.id, program);
  }
  return [...all.values()]
    .filter((program) => program.origin.kind !== 'lesson')
    .sort((a, b) => b.updated - a.updated);
}

/** Writes the draft. @returns whether the browser kept it. */
export function keepDraft(program: KeptProgram): boolean {
  if (unread.has(program.id)) save(unreadKey(program.id), 'yes');
  return saveJson(draftKey(program.id), program);
}
/** Moves a program into IndexedDB; its draft goes when it is there. */
export async function keep(program: KeptProgram): Promise<boolean> {
  const key = await attempt(async (db) => {
    if (isUnread(program.id)) await keepUnread(db, program.id, program.files);
    return db.put('programs', program);
  });
  if (key === undefined) return false;
  const draft = loadDraft(program.id);
  if (draft && draft.updated <= program.updated) save(draftKey(program.id), null);
  return true;
}
/** Notes what the database has of a program that was not read, before it is written over. */
async function keepUnread(
  db: IDBPDatabase<Schema>,
  id: string,
  instead: ProgramFiles | null,
): Promise<void> {
  const stored = programFrom(await db.get('programs', id));
  if (stored && JSON.stringify(stored.files) !== JSON.stringify(instead)) {
    const { files, entry, updated: time } = stored;
    await db.add('history', { program: id, time, reason: 'pause', entry, files });
  }
  nowRead(id);
}
/** Moves what an earlier visit left as a draft: it ended before that was done. */
export async function keepLeftDraft(id: string): Promise<void> {
  const program = await loadKept(id);
  if (program && loadDraft(id) && program.origin.kind !== 'lesson') await keep(program);
}
export async function forget(id: string): Promise<void> {
  save(draftKey(id), null);
  await attempt(async (db) => {
    if (isUnread(id)) await keepUnread(db, id, null);
    await db.delete('programs', id);
  });
}

/** Adds a snapshot, unless the last one is the same text. */
export async function addSnapshot(snapshot: Snapshot): Promise<void> {
  await attempt(async (db) => {
    const transaction = db.transaction('history', 'readwrite');
    const keys = await transaction.store.index('program').getAllKeys(snapshot.program);
    const last = keys.at(-1);
    const before = last === undefined ? undefined : await transaction.store.get(last);
    if (!before || JSON.stringify(before.files) !== JSON.stringify(snapshot.files)) {
      await transaction.store.add(snapshot);
      for (const key of keys.slice(0, Math.max(0, keys.length + 1 - MAX_SNAPSHOTS)))
        await transaction.store.delete(key);
    }
    await transaction.done;
  });
}
/** The snapshots of a program, the latest first. */
export async function listSnapshots(program: string): Promise<Snapshot[]> {
  const all = await read((db) => db.getAllFromIndex('history', 'program', program));
  return (all ?? [])
    .map(snapshotFrom)
    .filter((moment) => moment !== null)
    .reverse();
}
