/**
 * One line at the foot of the page that says what was done, with the way back where there is one.
 */
import { create } from 'zustand';
import { pushUndo, undoEntry, type UndoEntry } from '../state/undoStack';
import { visibleText } from '../state/visibleText';

export interface Notice {
  readonly text: string;
  /** The way back stays on the undo stack when the notice has gone. */
  readonly undo?: () => void | Promise<void>;
  /** It goes when a program runs. */
  readonly untilRun?: boolean;
  /** Another thing that can be done about it. */
  readonly action?: { readonly label: string; readonly run: () => void };
}
export interface NoticeState {
  readonly notice: (Notice & { readonly id: number; readonly entry: UndoEntry | null }) | null;
}
export const useNotices = create<NoticeState>(() => ({ notice: null }));

/** Characters of a notice: names of files that were opened stand in it. */
const LONGEST = 1000;

let count = 0;
/** Replaces the one before. */
export function notify(notice: Notice): void {
  const { undo } = notice;
  const cut = notice.text.length > LONGEST ? `${notice.text.slice(0, LONGEST)}…` : notice.text;
  const text = visibleText(cut);
  const entry = undo ? { text: text.replace(/\.$/, ''), undo } : null;
  if (entry) pushUndo(entry);
  useNotices.setState({ notice: { ...notice, text, id: ++count, entry } });
}
export function dismiss(): void {
  useNotices.setState({ notice: null });
}
/** Undoes what the notice reports. */
export function undoNotice(): void {
  const { notice } = useNotices.getState();
  dismiss();
  if (notice?.entry) void undoEntry(notice.entry);
}
