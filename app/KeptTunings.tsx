/** Kept results of autotuning and of schedule searches, and a button that removes them. */
import { useEffect, useState } from 'react';
import { clearTunings, countTunings } from './workers/tunings';

/** Nothing while nothing is kept. */
export function KeptTunings(): React.ReactNode {
  const [count, setCount] = useState(0);
  const [failed, setFailed] = useState(false);
  const look = (): void => void countTunings().then(setCount);
  useEffect(look, []);
  if (count === 0) return null;
  const forget = (): void => {
    void clearTunings().then(look, () => setFailed(true));
  };
  return (
    <p className="row">
      <span className="help">
        {failed
          ? 'This browser refused to remove them.'
          : `Results of ${count} tuning ${count === 1 ? 'run' : 'runs'} are kept.`}
      </span>
      <button type="button" className="button small" onClick={forget}>
        Forget them
      </button>
    </p>
  );
}
