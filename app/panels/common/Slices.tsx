/**
 * Which plane of a tensor or a tile is looked at: the two dimensions that lie down and across, and
 * where the others stand.
 */
import { useState } from 'react';
import { defaultPlane, wrapVector, type Plane } from '../../inspection/planes';

interface SlicesProps {
  readonly shape: readonly number[];
  readonly plane: Plane;
  readonly onChange: (plane: Plane) => void;
}

/** Moves the plane along one of the other dimensions, to what was typed. */
function moved(shape: readonly number[], plane: Plane, axis: number, typed: number): Plane {
  const index = Math.min(shape[axis]! - 1, Math.max(0, Math.round(typed) || 0));
  return { ...plane, at: plane.at.map((old, i) => (i === axis ? index : old)) };
}

export function Slices(props: SlicesProps): React.ReactNode {
  const { shape, plane, onChange } = props;
  if (shape.length < 3) return null;
  const choose = (which: 'down' | 'across', axis: number): void => {
    const other = which === 'down' ? 'across' : 'down';
    // Choosing the other one's dimension swaps them.
    const swapped = plane[other] === axis ? { [other]: plane[which] } : {};
    onChange({ ...plane, [which]: axis, ...swapped });
  };
  const set = (axis: number, value: number): void => onChange(moved(shape, plane, axis, value));
  const axes = (which: 'down' | 'across', text: string): React.ReactNode => (
    <label>
      {text}
      <select
        value={plane[which] ?? 0}
        onChange={(event) => choose(which, Number(event.target.value))}
      >
        {shape.map((size, axis) => (
          <option key={axis} value={axis}>
            dim {axis} ({size})
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <div className="slices" role="group" aria-label="Slice">
      {axes('down', 'Down')}
      {axes('across', 'Across')}
      {shape.map((size, axis) =>
        axis === plane.down || axis === plane.across ? null : (
          <label key={axis}>
            dim {axis}
            <input
              type="range"
              min={0}
              max={size - 1}
              value={plane.at[axis]}
              aria-label={`Index of dimension ${axis}`}
              onChange={(event) => set(axis, event.target.valueAsNumber)}
            />
            <input
              type="number"
              min={0}
              max={size - 1}
              value={plane.at[axis]}
              aria-label={`Index of dimension ${axis} as a number`}
              onChange={(event) => set(axis, event.target.valueAsNumber)}
            />
            <span className="muted">of {size}</span>
          </label>
        ),
      )}
    </div>
  );
}

/**
 * The last two dimensions of a tile, of a vector rows of `perRow`. What was picked stays where the
 * tile changes, as far as its shape allows.
 */
export function useTilePlane(
  shape: readonly number[],
  perRow: number,
): readonly [Plane, (plane: Plane) => void] {
  const [picked, setPicked] = useState<readonly number[]>([]);
  const at = shape.map((size, axis) => Math.min(size - 1, picked[axis] ?? 0));
  const plane = wrapVector(shape, { ...defaultPlane(shape), at }, perRow);
  return [plane, (next) => setPicked(next.at)];
}

/**
 * For the head of a tile's drawing: one number for each dimension that does not lie in the plane.
 */
export function SlicePickers({ shape, plane, onChange }: SlicesProps): React.ReactNode {
  return shape.map((size, axis) =>
    axis === plane.down || axis === plane.across ? null : (
      <label key={axis} className="muted">
        {' '}
        dim {axis}{' '}
        <input
          className="field number"
          type="number"
          min={0}
          max={size - 1}
          value={plane.at[axis]}
          onChange={(event) => onChange(moved(shape, plane, axis, event.target.valueAsNumber))}
        />
      </label>
    ),
  );
}
