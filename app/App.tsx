/** The frame: top bar, editor and panels side by side (or one at a time), status bar, keyboard. */
import { lazy, Suspense, useEffect } from 'react';
import { Tooltip } from 'radix-ui';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import { PlainEditor } from './editor/PlainEditor';
import { Boundary } from './panels/common/Boundary';
import { SMALL_SCREEN, useOneHalf, useSmallScreen } from './panels/common/media';
import { Panels } from './panels/Panels';
import { StatusBar } from './StatusBar';
import { currentText, isModified, start, useDocument } from './state/document';
import { restart, run, stop, useSession } from './state/session';
import { load, save } from './state/storage';
import { choosePanel, PANELS, useView } from './state/view';
import { TopBar } from './TopBar';

const loadEditor = (): Promise<typeof import('./editor/CodeEditor')> =>
  import('./editor/CodeEditor');
// Asked for at once, not after the first text has come; phones do without.
if (!matchMedia(SMALL_SCREEN).matches) void loadEditor();
const CodeEditor = lazy(loadEditor);

const layoutStorage = {
  getItem: load,
  setItem: (key: string, value: string): void => void save(key, value),
};

function useKeyboard(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') {
        event.preventDefault();
        event.stopPropagation();
        run();
      } else if (event.key === 'Escape') stop();
      else if ((event.ctrlKey || event.metaKey) && event.key === 's') event.preventDefault();
      else if (event.altKey && !event.ctrlKey && !event.metaKey) {
        const panel = PANELS[Number(event.code.replace('Digit', '')) - 1];
        if (!panel || !event.code.startsWith('Digit')) return;
        event.preventDefault();
        choosePanel(panel);
      }
    };
    // Before Monaco, which has its own meaning for Ctrl+Enter.
    addEventListener('keydown', onKey, true);
    return () => removeEventListener('keydown', onKey, true);
  }, []);
}

export function App(): React.ReactNode {
  useKeyboard();
  const oneHalf = useOneHalf();
  return (
    <Tooltip.Provider>
      <div className="page">
        <TopBar />
        <main className="body">
          <Failure />
          {oneHalf ? <OneHalf /> : <BothHalves />}
        </main>
        <StatusBar />
      </div>
    </Tooltip.Provider>
  );
}

function BothHalves(): React.ReactNode {
  const { defaultLayout, onLayoutChanged } = useDefaultLayout({
    id: 'layout',
    storage: layoutStorage,
  });
  return (
    <Group
      className="halves"
      orientation="horizontal"
      defaultLayout={defaultLayout}
      onLayoutChanged={onLayoutChanged}
    >
      <Panel id="editor" minSize={280} defaultSize="46">
        <EditorHalf />
      </Panel>
      <Separator className="separator" aria-label="Resize the editor" />
      <Panel id="results" minSize={360}>
        <section className="half" aria-label="Results">
          <Panels />
        </section>
      </Panel>
    </Group>
  );
}

function OneHalf(): React.ReactNode {
  const half = useView((state) => state.half);
  return (
    <>
      <div className="halves">
        <div className="half" data-shown={half === 'editor'}>
          <EditorHalf />
        </div>
        <section className="half" aria-label="Results" data-shown={half === 'results'}>
          <Panels />
        </section>
      </div>
      <div className="switch-halves" role="group" aria-label="Which half to show">
        {(['editor', 'results'] as const).map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={half === one}
            onClick={() => useView.setState({ half: one })}
          >
            {one === 'editor' ? 'Program' : 'Results'}
          </button>
        ))}
      </div>
    </>
  );
}

function EditorHalf(): React.ReactNode {
  const small = useSmallScreen();
  const entry = useDocument((state) => state.entry);
  const failure = useDocument((state) => state.failure);
  const saved = useDocument((state) => state.saved);
  const modified = useDocument(isModified);
  return (
    <section className="half" aria-label="Program">
      <div className="filebar">
        <span className="file">{entry || 'program'}</span>
        <span className="hint">
          {!saved
            ? 'this browser keeps no data: copy your text'
            : modified
              ? 'edited, kept here'
              : ''}
        </span>
      </div>
      <div className="editor">
        {entry === '' ? (
          failure ? (
            <div className="empty" role="alert">
              <h3>The examples could not be loaded</h3>
              <p>{failure}</p>
              <button type="button" className="button" onClick={() => void start()}>
                Try again
              </button>
            </div>
          ) : null
        ) : small ? (
          <PlainEditor />
        ) : (
          <Boundary name="The editor">
            <Suspense fallback={<Placeholder />}>
              <CodeEditor />
            </Suspense>
          </Boundary>
        )}
      </div>
    </section>
  );
}

/** The text while Monaco loads, where Monaco will put it. */
function Placeholder(): React.ReactNode {
  const text = useDocument((state) => currentText(state));
  return <pre className="code-placeholder">{text}</pre>;
}

/** The program worker is gone: what happened, and the way back. The text is where it was. */
function Failure(): React.ReactNode {
  const phase = useSession((state) => state.phase);
  const failure = useSession((state) => state.failure);
  if (phase !== 'failed') return null;
  return (
    <div className="notice fail" role="alert">
      <span className="sign fail">✗</span>
      <span className="grow">
        Python stopped working: {failure ?? 'the worker ended'}. Your text is kept.
      </span>
      <button type="button" className="button small" onClick={restart}>
        Restart Python
      </button>
    </div>
  );
}
