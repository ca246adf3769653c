/**
 * The editor where Monaco does not work well: small touch screens and screen readers. CodeMirror,
 * loaded when it is first needed, over the same language features; a text area until it is there.
 */
import { lazy, Suspense } from 'react';
import { editFile, shownFile, useDocument } from '../state/document';
import { Boundary } from '../panels/common/Boundary';

export const loadTouchEditor = (): Promise<typeof import('./TouchEditor')> =>
  import('./TouchEditor');
const TouchEditor = lazy(loadTouchEditor);

export function PlainEditor(): React.ReactNode {
  const program = useDocument((state) => state.program);
  return (
    <Boundary name="The editor" of={program}>
      <Suspense fallback={<TextArea />}>
        <TouchEditor />
      </Suspense>
    </Boundary>
  );
}

function TextArea(): React.ReactNode {
  const file = useDocument(shownFile);
  const text = useDocument((state) => state.files[shownFile(state)] ?? '');
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
      onChange={(event) => editFile(file, event.target.value)}
    />
  );
}
