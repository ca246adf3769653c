/** From a compared element to the debugger: the program that stored it, stopped at the store. */
import type { Producer } from './useProducer';
import { debugElement, storeOf } from './storeOf';

/** Nothing where no single program stored the element, or its launch cannot be run again here. */
export function DebugElement(props: {
  readonly producer: Producer;
  /** Row-major index in the compared tensor. */
  readonly flat: number;
  readonly short?: boolean;
}): React.ReactNode {
  const { producer, flat, short = false } = props;
  const store = storeOf(producer, flat);
  if (!store) return null;
  return (
    <button
      type="button"
      className="link"
      // The accessible name begins with the visible text.
      aria-label={short ? `Debug this element, ${store.element}` : undefined}
      title="Open the debugger at the store of this element, in the program that made it"
      onClick={(event) => {
        event.stopPropagation();
        debugElement(store);
      }}
    >
      {short ? 'Debug' : 'Debug this element'}
    </button>
  );
}
