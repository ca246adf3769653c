/** Which specialization the one in view is compared with, and the ways to choose it. */
import { compareWith, useCompared } from '../../state/compared';
import { currentOptions, useCompilation } from '../../state/compilation';
import { choosePanel, chooseSpecialization, type SpecializationChoice } from '../../state/view';

/** In the bar of a panel that shows code: the select, and while there is a choice, the way back. */
export function ComparedSelect(): React.ReactNode {
  const inView = useCompilation((state) => state.inView);
  const choice = useCompared((state) => state.choice);
  const options = currentOptions().filter(
    ({ kernel, key }) => kernel === inView?.kernel && key !== inView.key,
  );
  if (options.length === 0) return null;
  const value = options.findIndex(({ key }) => choice !== null && key === choice.key);
  return (
    <select
      className="field small compared"
      aria-label="Compare with another specialization"
      title="Show the difference from another specialization of this kernel"
      value={value}
      onChange={(event) => void compareWith(options[Number(event.target.value)] ?? null)}
    >
      <option value={-1}>{choice ? 'Stop comparing' : 'Compare with…'}</option>
      {options.map(({ label, key }, index) => (
        <option key={key ?? index} value={index}>
          vs {label}
        </option>
      ))}
    </select>
  );
}

/**
 * In a row of a table of times: opens the code of its specialization, or its difference from the
 * one in view.
 */
export function CodeLinks({ choice }: { readonly choice: SpecializationChoice }): React.ReactNode {
  const inView = useCompilation((state) => state.inView);
  const other = inView !== null && inView.kernel === choice.kernel && inView.key !== choice.key;
  const open = (event: React.MouseEvent, compared: SpecializationChoice | null): void => {
    event.stopPropagation();
    chooseSpecialization(choice);
    void compareWith(compared);
    choosePanel('wgsl');
  };
  return (
    <span className="code-links">
      <button
        type="button"
        className="link"
        title="Open the WGSL of this specialization"
        onClick={(event) => open(event, null)}
      >
        WGSL
      </button>
      {other ? (
        <button
          type="button"
          className="link"
          title={`Show how its WGSL differs from that in view: ${inView.label}`}
          onClick={(event) => open(event, inView)}
        >
          Diff
        </button>
      ) : null}
    </span>
  );
}
