/** The colours of a map of memory, each with what it stands for. */

/** @param of a colour's class (`.touch-key`), and its text. */
export function Legend(props: {
  readonly of: readonly (readonly [kind: string, label: string])[];
}): React.ReactNode {
  return (
    <ul className="touch-legend" aria-label="Colours">
      {props.of.map(([kind, label]) => (
        <li key={kind}>
          <span className={`touch-key ${kind}`} aria-hidden="true" /> {label}
        </li>
      ))}
    </ul>
  );
}
