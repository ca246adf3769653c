/**
 * Expressions that are shown after every step: names, and elements of tiles. Kept between visits.
 */
import { useState } from 'react';
import { setWatches, useDebugger, useWatches } from './state';

export function Watches(): React.ReactNode {
  const watches = useWatches((state) => state.watches);
  const watched = useDebugger((debug) => debug.watched);
  const [text, setText] = useState('');
  return (
    <section aria-label="Watches">
      <h3 className="debug-heading">Watch</h3>
      <ul className="watches">
        {watches.map((expression, i) => (
          <li key={expression}>
            <span className="mono">{expression}</span>
            <span className="mono grow">{watched[i] ?? ''}</span>
            <button
              type="button"
              className="button quiet icon small"
              aria-label={`Stop watching ${expression}`}
              onClick={() => setWatches(watches.filter((each) => each !== expression))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <form
        className="watch-form"
        onSubmit={(event) => {
          event.preventDefault();
          const wanted = text.trim();
          if (wanted !== '' && !watches.includes(wanted)) setWatches([...watches, wanted]);
          setText('');
        }}
      >
        <input
          className="field mono"
          aria-label="Expression to watch"
          placeholder="acc[3, 17]"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" className="button small" disabled={text.trim() === ''}>
          Watch
        </button>
      </form>
    </section>
  );
}
