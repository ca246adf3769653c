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
/** What an undo does is no deed: undoing twice goes back twice. */
let undoing = false;

export function noteDeed(deed: Deed): void {
  if (undoing) return;
  const { deeds } = useDeeds.getState();
  if (deed.kind !== undefined && deeds.at(-1)?.kind === deed.kind) return;
  useDeeds.setState({ deeds: [...deeds, deed].slice(-KEPT) });
}

export function lastDeed(): Deed | null {
  return useDeeds.getState().deeds.at(-1) ?? null;
}

/** Undoes `deed`, or else the last one. */
export async function undoDeed(deed: Deed | null = lastDeed()): Promise<void> {
  if (!deed || undoing) return;
  useDeeds.setState(({ deeds }) => ({ deeds: deeds.filter((each) => each !== deed) }));
  undoing = true;
  try {
    await deed.undo();
  } finally {
    undoing = false;
  }
}
