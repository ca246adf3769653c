/** The editor where Monaco does not work well: small touch screens. A text area, and nothing lost. */
import { currentText, edit, useDocument } from '../state/document';

export function PlainEditor(): React.ReactNode {
  const text = useDocument((state) => currentText(state));
  const readOnly = useDocument((state) => state.readOnly);
  return (
    <textarea
      className="plain-editor"
      aria-label="Program"
      value={text}
      readOnly={readOnly}
      spellCheck={false}
      autoCapitalize="off"
      autoCorrect="off"
      autoComplete="off"
      onChange={(event) => edit(event.target.value)}
    />
  );
}
