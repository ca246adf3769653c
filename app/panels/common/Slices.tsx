/** Which plane of a tensor is looked at: the two dimensions that lie down and across, and where the
 * others stand. */
import type { Plane } from '../../inspection/planes';

export function Slices(props: {
  readonly shape: readonly number[];
  readonly plane: Plane;
  readonly onChange: (plane: Plane) => void;
}): React.ReactNode {
  const { shape, plane, onChange } = props;
  if (shape.length < 3) return null;
  const choose = (which: 'down' | 'across', axis: number): void => {
    const other = which === 'down' ? 'across' : 'down';
    // Choosing the other one's dimension swaps them.
    const swapped = plane[other] === axis ? { [other]: plane[which] } : {};
    onChange({ ...plane, [which]: axis, ...swapped });
  };
  const set = (axis: number, value: number): void => {
    const size = shape[axis]!;
    const index = Math.min(size - 1, Math.max(0, Math.round(value) || 0));
    onChange({ ...plane, at: plane.at.map((old, i) => (i === axis ? index : old)) });
  };
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
