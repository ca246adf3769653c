/** The notice at the foot of the page; it goes after a while, unless somebody is about to use it. */
import { useEffect, useRef } from 'react';
import { CloseIcon } from '../theme/icons';
import { dismiss, undoNotice, useNotices } from './notices';

const STAYS = 12_000;

export function NoticeLine(): React.ReactNode {
  const notice = useNotices((state) => state.notice);
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
