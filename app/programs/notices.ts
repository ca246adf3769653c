/** One line at the foot of the page that says what was done, with the way back where there is one. */
import { create } from 'zustand';
import { noteDeed, undoDeed, type Deed } from '../state/deeds';

export interface Notice {
  readonly text: string;
  /** The way back stays among the deeds when the notice has gone. */
  readonly undo?: () => void | Promise<void>;
  /** Another thing that can be done about it. */
  readonly action?: { readonly label: string; readonly run: () => void };
}
export interface NoticeState {
  readonly notice: (Notice & { readonly id: number; readonly deed: Deed | null }) | null;
}
export const useNotices = create<NoticeState>(() => ({ notice: null }));

let count = 0;
/** Replaces the one before. */
export function notify(notice: Notice): void {
  const { text, undo } = notice;
  const deed = undo ? { text: text.replace(/\.$/, ''), undo } : null;
  if (deed) noteDeed(deed);
  useNotices.setState({ notice: { ...notice, id: ++count, deed } });
}
export function dismiss(): void {
  useNotices.setState({ notice: null });
}
/** Undoes what the notice tells of. */
export function undoNotice(): void {
  const { notice } = useNotices.getState();
  dismiss();
  if (notice?.deed) void undoDeed(notice.deed);
}
