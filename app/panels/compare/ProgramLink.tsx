/** The program that wrote an element, as a button that shows it and its store. */
import { goToProgram, ownerText, type Producer } from './useProducer';

/** @param props.onPick before it is shown: marks the element in the pictures */
export function ProgramLink(props: {
  readonly producer: Producer;
  readonly owner: number | undefined;
  readonly onPick?: () => void;
}): React.ReactNode {
  const { producer, owner, onPick } = props;
  return (
    <button
      type="button"
      className="link"
      title="Show this program in Memory, and its store in the editor"
      onClick={() => {
        onPick?.();
        goToProgram(producer, owner);
      }}
    >
      {ownerText(owner, producer.launch.grid)}
    </button>
  );
}
