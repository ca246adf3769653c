/**
 * The gallery: every example by subject, searched as one types; what each teaches and what it
 * costs.
 */
import { useMemo, useState } from 'react';
import { DialogFrame } from '../DialogFrame';
import { exampleId, useDocument, type Example } from '../state/document';
import { openDialog } from '../state/view';
import { groupsOf, search } from './gallery';
import { goTo } from './programs';
import './programs.css';

export default function GalleryDialog(): React.ReactNode {
  const examples = useDocument((state) => state.examples);
  const program = useDocument((state) => state.program);
  const [query, setQuery] = useState('');
  const groups = useMemo(() => groupsOf(search(examples, query)), [examples, query]);
  const show = (example: Example): void => {
    openDialog(null);
    void goTo(exampleId(example.file));
  };
  return (
    <DialogFrame title="Gallery" className="gallery" describedBy="gallery-say">
      <p id="gallery-say" className="dialog-text muted">
        {examples.length} programs with a reference in PyTorch. Each runs unchanged on CUDA.
      </p>
      <div className="dialog-bar">
        <input
          className="field"
          type="search"
          aria-label="Search the gallery"
          placeholder="Search: attention, int8, scan, backward …"
          value={query}
          autoFocus
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => {
            const first = groups[0]?.examples[0];
            if (event.key === 'Enter' && first) show(first);
          }}
        />
      </div>
      <div className="gallery-list">
        {groups.map(({ name, examples: inside }) => (
          <section key={name} aria-label={name}>
            <h3>{name}</h3>
            <ul>
              {inside.map((example) => (
                <li key={example.file}>
                  <button
                    type="button"
                    aria-current={program === exampleId(example.file)}
                    onClick={() => show(example)}
                  >
                    <span className="title">{example.title}</span>
                    <span className="summary">{example.summary}</span>
                    <span className="note">
                      <b>Teaches</b> {example.teaches}
                    </span>
                    <span className="note">
                      <b>Costs</b> {example.costs}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
        {groups.length === 0 ? <p className="muted">No results</p> : null}
      </div>
    </DialogFrame>
  );
}
