/**
 * The history of the program that is open: each moment against the text as it is now, and the way
 * back.
 */
import { lazy, Suspense, useEffect, useState } from 'react';
import { DialogFrame } from '../DialogFrame';
import { useDocument } from '../state/document';
import { openDialog } from '../state/view';
import { plural } from '../panels/common/format';
import { listSnapshots } from './kept';
import { restore } from './programs';
import type { Snapshot } from './records';
import './programs.css';

const MonacoDiff = lazy(async () => ({
  default: (await import('../editor/MonacoView')).MonacoDiff,
}));
const WHEN = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const REASONS: Record<Snapshot['reason'], string> = {
  run: 'on run',
  pause: 'while editing',
  'before restoring': 'before an older one was restored',
  'before deleting': 'before it was deleted',
};

export default function HistoryDialog(): React.ReactNode {
  const program = useDocument((state) => state.program);
  const name = useDocument((state) => state.name);
  const files = useDocument((state) => state.files);
  const [moments, setMoments] = useState<readonly Snapshot[] | null>(null);
  const [chosen, setChosen] = useState(0);
  useEffect(() => {
    let left = false;
    void listSnapshots(program).then((list) => {
      if (!left) setMoments(list);
    });
    return () => void (left = true);
  }, [program]);
  const moment = moments?.[chosen] ?? null;
  const changed = moment
    ? [...new Set([...Object.keys(moment.files), ...Object.keys(files)])].filter(
        (file) => moment.files[file] !== files[file],
      )
    : [];
  const file = changed[0] ?? moment?.entry ?? '';
  return (
    <DialogFrame title={`History of ${name}`} className="history">
      {moments && moments.length > 0 ? (
        <div className="history-body">
          <ul className="history-list" aria-label="Moments">
            {moments.map((one, index) => (
              <li key={index}>
                <button
                  type="button"
                  aria-pressed={index === chosen}
                  onClick={() => setChosen(index)}
                >
                  {WHEN.format(one.time)}
                  <span className="muted">{REASONS[one.reason]}</span>
                </button>
              </li>
            ))}
          </ul>
          <div className="history-main">
            <div className="panel-bar">
              <span className="muted">
                {changed.length === 0
                  ? 'Same as current'
                  : `Left: then. Right: now. ${file}${changed.length > 1 ? ` and ${plural(changed.length - 1, 'other file')}` : ''}`}
              </span>
              <span className="grow" />
              <button
                type="button"
                className="button primary small"
                disabled={!moment || changed.length === 0}
                onClick={() => {
                  if (moment) restore(moment);
                  openDialog(null);
                }}
              >
                Restore
              </button>
            </div>
            <div className="code-host">
              <Suspense fallback={null}>
                <MonacoDiff
                  label={file}
                  language="python"
                  before={moment?.files[file] ?? ''}
                  after={files[file] ?? ''}
                  inline={innerWidth < 900}
                />
              </Suspense>
            </div>
          </div>
        </div>
      ) : (
        <p className="dialog-text">
          {moments
            ? 'Nothing yet: a moment is noted whenever the program runs, and every few minutes of editing.'
            : 'Looking…'}
        </p>
      )}
    </DialogFrame>
  );
}
