/** The frame: top bar, lesson, editor and panels side by side (or one at a time), status bar. */
import { lazy, Suspense, useEffect, useRef } from 'react';
import { Tooltip } from 'radix-ui';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import { Dialogs } from './Dialogs';
import { EditorMenu, FileBar } from './editor/FileBar';
import { ProgramEditor } from './editor/ProgramEditor';
import { Boundary } from './panels/common/Boundary';
import { useOneHalf, useSmallScreen } from './panels/common/media';
import { Panels } from './panels/Panels';
import { useUnanswered } from './programs/kept';
import { NoticeLine } from './programs/NoticeLine';
import { usePrograms } from './programs/programs';
import { takeOver } from './programs/tabs';
import { RootBoundary } from './RootBoundary';
import type { Embed } from './share/embed';
import { StatusBar } from './StatusBar';
import { problemIn } from './state/checkable';
import { isModified, start, useDocument } from './state/document';
import { useLineCosts } from './state/lineCosts';
import { isList, useRoute } from './state/route';
import { useRun } from './state/run';
import { restart, useSession } from './state/session';
import { layoutStorage } from './state/storage';
import { useDrawn } from './state/drawn';
import { useView } from './state/view';
import { visibleText } from './state/visibleText';
import { TopBar } from './TopBar';

const CostBar = lazy(() => import('./editor/CostBar'));
const Learn = lazy(() => import('./tutorials/player/Learn'));

const EmbedFrame = lazy(() => import('./share/EmbedFrame'));

/** @param embed where the page is part of another one. */
export function App({ embed }: { readonly embed: Embed | null }): React.ReactNode {
  return (
    <RootBoundary>
      <Tooltip.Provider>
        {embed ? (
          <Suspense fallback={null}>
            <EmbedFrame embed={embed} />
          </Suspense>
        ) : (
          <Page />
        )}
      </Tooltip.Provider>
    </RootBoundary>
  );
}

function Page(): React.ReactNode {
  const oneHalf = useOneHalf();
  const learning = useRoute((route) => route.kind === 'learn');
  const list = useRoute(isList);
  const drawn = useDrawn();
  const was = useRef(learning);
  useEffect(() => {
    // The editor held a lesson's program: back to the visitor's own.
    if (was.current && !learning) {
      useView.setState({ half: 'editor' });
      // A link opens its own.
      if (useRoute.getState().kind === 'home') void start();
    }
    was.current = learning;
  }, [learning]);
  return (
    <div className="page">
      <Boundary
        name="The top bar"
        of={drawn}
        frame={(message) => <header className="topbar">{message}</header>}
      >
        <TopBar />
      </Boundary>
      <main className="body">
        <Failure />
        {learning ? (
          <Boundary name="The lessons">
            <Suspense fallback={<div className="halves" aria-busy="true" />}>
              <Learn />
            </Suspense>
          </Boundary>
        ) : oneHalf ? (
          <OneHalf />
        ) : (
          <BothHalves />
        )}
      </main>
      {list ? null : (
        <Boundary name="The status bar" of={drawn} frame={(message) => <footer>{message}</footer>}>
          <StatusBar />
        </Boundary>
      )}
      <NoticeLine behind />
      <Dialogs />
    </div>
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
  const program = useDocument((state) => state.identity);
  const stated = useDocument(({ files }) => 'statement.md' in files && problemIn(files) !== null);
  const ran = useRun(({ record }) => record !== null);
  // Who opens a problem reads it first; the output, where it is, has nothing else yet.
  const reads = stated && !ran;
  useEffect(() => {
    if (reads && !useView.getState().chosen) useView.setState({ half: 'results' });
    // oxlint-disable-next-line exhaustive-deps
  }, [program, stated]);
  return (
    <>
      <div className="halves">
        <div className="half" data-shown={half !== 'results'}>
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
            aria-pressed={(half === 'results') === (one === 'results')}
            onClick={() => useView.setState({ half: one })}
          >
            {one === 'editor' ? 'Program' : reads ? 'Problem' : 'Results'}
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
  const costs = useLineCosts((state) => state.shown);
  return (
    <section className="half" aria-label="Program">
      <div className="filebar">
        <FileBar />
        <Kept />
        <span className="grow" />
        <EditorMenu small={small} />
      </div>
      {costs ? (
        <Suspense fallback={null}>
          <CostBar />
        </Suspense>
      ) : null}
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
        ) : (
          <ProgramEditor />
        )}
      </div>
    </section>
  );
}

/** State of saving what one types. */
function Kept(): React.ReactNode {
  const saved = useDocument((state) => state.saved);
  const modified = useDocument(isModified);
  const elsewhere = usePrograms((state) => state.elsewhere);
  const unanswered = useUnanswered((state) => state.unanswered);
  if (elsewhere)
    return (
      <span className="hint">
        open in another tab; changes here go into a copy{' '}
        <button type="button" className="link" onClick={() => void takeOver()}>
          Take over
        </button>
      </span>
    );
  if (!saved) return <span className="hint">this browser keeps no data: copy your text</span>;
  if (unanswered)
    return (
      <span className="hint">
        this browser’s storage does not answer: earlier text may be missing
      </span>
    );
  return <span className="hint">{modified ? 'edited · saved in this browser' : ''}</span>;
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
        Python stopped working. Your text is kept. Its worker said:{' '}
        <code>{visibleText((failure ?? 'nothing').slice(0, 300))}</code>
      </span>
      <button type="button" className="button small" onClick={restart}>
        Restart Python
      </button>
    </div>
  );
}
