/** The editor that this screen and visitor want: Monaco, or the plain one. */
import { lazy, Suspense } from 'react';
import { Boundary } from '../panels/common/Boundary';
import { SMALL_SCREEN, useSmallScreen } from '../panels/common/media';
import { currentText, useDocument } from '../state/document';
import { useEditorSettings } from '../state/editorSettings';
import { loadTouchEditor, PlainEditor } from './PlainEditor';

const loadMonaco = (): Promise<typeof import('./CodeEditor')> => import('./CodeEditor');
const CodeEditor = lazy(loadMonaco);

/** Downloads the editor before there is a text to show: phones have the plain one, not Monaco. */
export async function startEditor(): Promise<void> {
  const plain = matchMedia(SMALL_SCREEN).matches || useEditorSettings.getState().plainEditor;
  await (plain ? loadTouchEditor() : loadMonaco());
}

export function ProgramEditor(): React.ReactNode {
  const small = useSmallScreen();
  const plain = useEditorSettings((state) => state.plainEditor);
  const program = useDocument((state) => state.program);
  if (small || plain) return <PlainEditor />;
  return (
    <Boundary name="The editor" of={program}>
      <Suspense fallback={<Placeholder />}>
        <CodeEditor />
      </Suspense>
    </Boundary>
  );
}

/** The text while Monaco loads, where Monaco will put it. */
function Placeholder(): React.ReactNode {
  const text = useDocument((state) => currentText(state));
  return <pre className="code-placeholder">{text}</pre>;
}
