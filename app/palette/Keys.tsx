/** A shortcut as keys. */
import { keyNames } from '../state/commands';

export function Keys({ keys }: { readonly keys: string }): React.ReactNode {
  return (
    <span className="keycaps">
      {keyNames(keys).map((name) => (
        <kbd key={name}>{name}</kbd>
      ))}
    </span>
  );
}
