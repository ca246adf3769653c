/**
 * What was done outside of the text, latest last, each with its way back: settings, files, programs. The
 * editor has its own undo, of what was typed. Nothing here is kept beyond the visit.
 */
import { create } from 'zustand';

export interface Deed {
  /** What was done: “Deleted helpers.py”. */
  readonly text: string;
  readonly undo: () => void | Promise<void>;
  /** Deeds of one kind in a row are one: who tries three themes wants the first back. */
  readonly kind?: string;
}

export interface DeedsState {
  readonly deeds: readonly Deed[];
}

/** Further back nobody remembers what there was. */
const KEPT = 40;

export const useDeeds = create<DeedsState>(() => ({ deeds: [] }));
/** Ways back that are not gone to their end. What they do is no deed: undoing twice goes back twice. */
let undoing = 0;
let latest: Promise<void> = Promise.resolve();

export function noteDeed(deed: Deed): void {
  if (undoing > 0) return;
  const { deeds } = useDeeds.getState();
  if (deed.kind !== undefined && deeds.at(-1)?.kind === deed.kind) return;
  useDeeds.setState({ deeds: [...deeds, deed].slice(-KEPT) });
}

export function lastDeed(): Deed | null {
  return useDeeds.getState().deeds.at(-1) ?? null;
}

/** Undoes `deed`, or else the last one, after what is being undone. */
export function undoDeed(deed: Deed | null = lastDeed()): Promise<void> {
  if (!deed) return latest;
  useDeeds.setState(({ deeds }) => ({ deeds: deeds.filter((each) => each !== deed) }));
  latest = goBack(deed, undoing++ > 0 ? latest : null);
  return latest;
}

async function goBack(deed: Deed, before: Promise<void> | null): Promise<void> {
  try {
    if (before) await before.catch(() => undefined);
    await deed.undo();
  } finally {
    undoing--;
  }
}
