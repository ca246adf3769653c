/** One line at the foot of the page that says what was done, with the way back where there is one. */
import { create } from 'zustand';

export interface Notice {
  readonly text: string;
  readonly undo?: () => void;
  /** Another thing that can be done about it. */
  readonly action?: { readonly label: string; readonly run: () => void };
}
export interface NoticeState {
  readonly notice: (Notice & { readonly id: number }) | null;
}
export const useNotices = create<NoticeState>(() => ({ notice: null }));

let count = 0;
/** Replaces the one before. */
export function notify(notice: Notice): void {
  useNotices.setState({ notice: { ...notice, id: ++count } });
}
export function dismiss(): void {
  useNotices.setState({ notice: null });
}
/** Undoes what the notice tells of. */
export function undoNotice(): void {
  const { notice } = useNotices.getState();
  dismiss();
  notice?.undo?.();
}
