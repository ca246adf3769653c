/** The editor that this screen and visitor want: Monaco, or the plain one. */
import { lazy, Suspense } from 'react';
import { Boundary } from '../panels/common/Boundary';
import { SMALL_SCREEN, useSmallScreen } from '../panels/common/media';
import { currentText, useDocument } from '../state/document';
import { useEditorSettings } from '../state/editorSettings';
import { PlainEditor } from './PlainEditor';

const loadMonaco = (): Promise<typeof import('./CodeEditor')> => import('./CodeEditor');
const CodeEditor = lazy(loadMonaco);

/** Asks for Monaco before there is a text to show; phones and the plain editor do without it. */
export function startEditor(): void {
  if (!matchMedia(SMALL_SCREEN).matches && !useEditorSettings.getState().plainEditor)
    void loadMonaco();
}

export function ProgramEditor(): React.ReactNode {
  const small = useSmallScreen();
  const plain = useEditorSettings((state) => state.plainEditor);
  if (small || plain) return <PlainEditor />;
  return (
    <Boundary name="The editor">
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
