/**
 * The undo stack of changes outside of the text (settings, files, programs), latest last, each with
 * its way back. The editor has its own undo, of what was typed. Nothing here is kept beyond the
 * visit.
 */
import { create } from 'zustand';

export interface UndoEntry {
  /** Text of the change: “Deleted helpers.py”. */
  readonly text: string;
  readonly undo: () => void | Promise<void>;
  /** Entries of one kind in a row are one: after three themes, undo returns to the first. */
  readonly kind?: string;
}

export interface UndoStackState {
  readonly entries: readonly UndoEntry[];
}

/** Further back nobody remembers what there was. */
const KEPT = 40;

export const useUndoStack = create<UndoStackState>(() => ({ entries: [] }));
/**
 * Ways back that are not gone to their end. What they do adds no entry: undoing twice goes back
 * twice.
 */
let undoing = 0;
let latest: Promise<void> = Promise.resolve();

export function pushUndo(entry: UndoEntry): void {
  if (undoing > 0) return;
  const { entries } = useUndoStack.getState();
  if (entry.kind !== undefined && entries.at(-1)?.kind === entry.kind) return;
  useUndoStack.setState({ entries: [...entries, entry].slice(-KEPT) });
}

export function lastUndo(): UndoEntry | null {
  return useUndoStack.getState().entries.at(-1) ?? null;
}

/** Undoes `entry`, or else the last one, after what is being undone. */
export function undoEntry(entry: UndoEntry | null = lastUndo()): Promise<void> {
  if (!entry) return latest;
  useUndoStack.setState(({ entries }) => ({ entries: entries.filter((each) => each !== entry) }));
  latest = goBack(entry, undoing++ > 0 ? latest : null);
  return latest;
}

async function goBack(entry: UndoEntry, before: Promise<void> | null): Promise<void> {
  try {
    if (before) await before.catch(() => undefined);
    await entry.undo();
  } finally {
    undoing--;
  }
}
