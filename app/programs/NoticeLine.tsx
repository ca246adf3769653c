/**
 * The notice at the foot of the page; it goes after a while, unless somebody is about to use it.
 */
import { useEffect, useRef } from 'react';
import { CloseIcon } from '../theme/icons';
import { useSession } from '../state/session';
import { useView } from '../state/view';
import { dismiss, undoNotice, useNotices } from './notices';

const STAYS = 12_000;

/** Dialogs that have a notice line of their own. */
const WITH_NOTICES: readonly (string | null)[] = ['share', 'programs', 'open', 'trace'];

/** @param behind it stands in the page: a dialog with a line of its own says it instead. */
export function NoticeLine({ behind = false }: { readonly behind?: boolean }): React.ReactNode {
  const hidden = useView(({ dialog }) => behind && WITH_NOTICES.includes(dialog));
  const given = useNotices((state) => state.notice);
  const notice = hidden ? null : given;
  const runs = useSession(({ running }) => running !== null);
  const untilRun = given?.untilRun === true;
  useEffect(() => {
    if (runs && untilRun) dismiss();
  }, [runs, untilRun]);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!notice) return;
    const timer = setInterval(() => {
      if (!place.current?.matches(':hover, :focus-within')) dismiss();
    }, STAYS);
    return () => clearInterval(timer);
  }, [notice]);
  // The region stands from the start, so that screen readers hear what comes into it.
  return (
    <div ref={place} className="notice-place" aria-live="polite" data-notices>
      {notice ? (
        <div className="toast">
          <span className="grow">{notice.text}</span>
          {notice.undo ? (
            <button type="button" className="link" onClick={undoNotice}>
              Undo
            </button>
          ) : null}
          {notice.action ? (
            <button
              type="button"
              className="link"
              onClick={() => {
                dismiss();
                notice.action?.run();
              }}
            >
              {notice.action.label}
            </button>
          ) : null}
          <button
            type="button"
            className="button quiet icon small"
            aria-label="Dismiss"
            onClick={dismiss}
          >
            <CloseIcon />
          </button>
        </div>
      ) : null}
    </div>
  );
}
