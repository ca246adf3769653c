/**
 * Draws a layout that somebody pastes: `#ttg.blocked<{…}>` of an IR dump, or Gluon's
 * `BlockedLayout(…)`.
 */
import { useId, useMemo, useState } from 'react';
import { linearName } from '../../../compiler/inspect/naming';
import { describeLayout } from '../../../compiler/ir/layoutAlgebra';
import { pastedTile } from './pasted';
import { useLayout } from './state';
import { holderText, TileMap, type Pointed } from './TileMap';

export function PastedLayout(): React.ReactNode {
  const { text, shape } = useLayout((state) => state.pasted);
  // As it is first shown; then the visitor's.
  const [open] = useState(() => text !== '');
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const found = useMemo(() => pastedTile(text, shape), [text, shape]);
  const [textId, shapeId] = [useId(), useId()];
  const set = (change: { readonly text?: string; readonly shape?: string }): void => {
    setPointed(null);
    useLayout.setState({ pasted: { text, shape, ...change } });
  };
  return (
    <details className="pasted-layout" open={open}>
      <summary>Draw another layout</summary>
      <div className="pasted-fields">
        <label htmlFor={textId}>Layout</label>
        <textarea
          id={textId}
          className="field"
          rows={3}
          spellCheck={false}
          placeholder="#ttg.blocked<{…}>, #ttg.slice<{…}>, #ttg.linear<{…}> or BlockedLayout(…)"
          value={text}
          onChange={(event) => set({ text: event.target.value })}
        />
        <label htmlFor={shapeId}>Shape</label>
        <input
          id={shapeId}
          className="field"
          type="text"
          spellCheck={false}
          placeholder="of its own"
          value={shape}
          onChange={(event) => set({ shape: event.target.value })}
        />
      </div>
      {'refused' in found ? (
        <p className="pad" role="status">
          {found.refused}
        </p>
      ) : null}
      {'tile' in found ? (
        <>
          <p className="layout-facts">
            <span className="mono">{found.tile.type}</span>{' '}
            <span className="muted">
              Elements: {describeLayout(found.tile.layout, found.tile.shape)}.
            </span>
          </p>
          <TileMap
            key={found.tile.type}
            tile={found.tile}
            subgroups
            pointed={pointed}
            onPoint={setPointed}
          />
          <p className="readout" role="status">
            {pointed
              ? holderText(found.tile, pointed, true)
              : 'Colour: lane. Hatch: subgroup, Triton’s warp. Number: register. Point at an element to see who holds it.'}
          </p>
          <div className="layout-name">
            <pre>{linearName(found.tile.layout)}</pre>
          </div>
        </>
      ) : null}
    </details>
  );
}
