/**
 * The program's editor: Monaco over the document's files (`models.ts`), with what the compiler and
 * the last run say of each line. The language features stand in `languageFeatures.ts`.
 */
import { useEffect, useRef } from 'react';
import { withoutLogPrefix } from '../logLines';
import { moveBreakpoints, toggleBreakpoint, useBreakpoints } from '../state/breakpoints';
import { programText, shownFile, useDocument } from '../state/document';
import { showFile } from '../state/files';
import { useRun } from '../state/run';
import { isStale } from '../state/session';
import { coloredLines } from '../state/lineColors';
import { isCostStale, useLineCosts } from '../state/lineCosts';
import { select, useLocation } from '../state/location';
import { useProblems } from '../state/problems';
import { explain, openDialog, useView } from '../state/view';
import { useLineColors } from '../panels/common/useLineColors';
import { setActiveEditor, type EditorAction } from './active';
import { registerLanguageFeatures } from './languageFeatures';
import { breakpointDecorations, failureDecorations, launchDecorations } from './margin';
import { failuresOf, launchTimesOf, markersOf } from './markers';
import { fileOf, forgetOldModels, modelOf, syncModels } from './models';
import { colorDecorations, COMMON, monaco, PLACE } from './monaco';
import { letTabPass } from './tabPasses';
import { useVim } from './vim';

/** A hover's code leads to its page. */
const EXPLAIN = 'hippocamp-explain';
function linked(marker: monaco.editor.IMarkerData): monaco.editor.IMarkerData {
  if (typeof marker.code !== 'string') return marker;
  const target = monaco.Uri.from({ scheme: EXPLAIN, path: `/${marker.code}` });
  return { ...marker, code: { value: marker.code, target } };
}
monaco.editor.registerLinkOpener({
  open(link) {
    if (link.scheme !== EXPLAIN) return false;
    explain(link.path.slice(1));
    return true;
  },
});

/** Monaco's names of what menus outside of it offer. */
const ACTIONS: Record<EditorAction, string> = {
  format: 'editor.action.formatDocument',
  outline: 'editor.action.quickOutline',
  rename: 'editor.action.rename',
  hover: 'editor.action.showHover',
  breakpoint: 'hippocamp.toggleBreakpoint',
};

type Decorations = monaco.editor.IEditorDecorationsCollection;

export default function CodeEditor(): React.ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<monaco.editor.IStandaloneCodeEditor>(null);
  const lit = useRef<Decorations>(null);
  const painted = useRef<Decorations>(null);
  const failed = useRef<Decorations>(null);
  const stops = useRef<Decorations>(null);
  const launched = useRef<Decorations>(null);
  const file = useDocument(shownFile);
  const files = useDocument((state) => state.files);
  const identity = useDocument((state) => state.identity);
  const readOnly = useDocument((state) => state.readOnly);
  const text = useDocument((state) => programText(state));
  const problems = useProblems();
  const record = useRun((state) => state.record);
  const line = useLocation((state) => state.selected);
  // Colours say something only beside the code that shares them.
  const beside = useView(({ panel, second }) =>
    [panel, second].some((each) => each === 'passes' || each === 'wgsl'),
  );
  const lineColors = useLineColors();
  const breakpoints = useBreakpoints((state) => state.breakpoints);

  useEffect(() => {
    registerLanguageFeatures();
    const made = monaco.editor.create(place.current!, {
      ...COMMON,
      model: null,
      automaticLayout: true,
      fontSize: 13,
      lineHeight: 20,
      glyphMargin: true,
      lineNumbersMinChars: 3,
      folding: true,
      tabSize: 4,
      rulers: [],
      // Half a screen is narrower than the lines of most programs.
      wordWrap: 'on',
      wrappingIndent: 'indent',
      ariaLabel: 'Program',
      wordBasedSuggestions: 'off',
      quickSuggestions: { other: true, comments: false, strings: false },
      suggest: { showWords: false, preview: false },
      inlayHints: { enabled: 'on', fontSize: 11 },
      gotoLocation: { multipleReferences: 'peek' },
    });
    editor.current = made;
    lit.current = made.createDecorationsCollection();
    painted.current = made.createDecorationsCollection();
    failed.current = made.createDecorationsCollection();
    stops.current = made.createDecorationsCollection();
    launched.current = made.createDecorationsCollection();
    made.onDidChangeModelContent(() => {
      const model = made.getModel();
      if (!model) return;
      // Breakpoints move with their lines.
      const lines = stops.current!.getRanges().map(({ startLineNumber }) => startLineNumber);
      if (lines.length > 0) moveBreakpoints(fileOf(model), lines);
    });
    made.onDidPaste(({ range }) => {
      const pasted = made.getModel()?.getValueInRange(range) ?? '';
      const text = withoutLogPrefix(pasted.replaceAll('\r\n', '\n'));
      if (text !== pasted) made.executeEdits('hippocamp.log', [{ range, text }]);
    });
    made.onDidChangeCursorPosition((event) => {
      const model = made.getModel();
      if (!made.hasTextFocus() || !model) return;
      select({ file: fileOf(model), line: event.position.lineNumber, from: 'editor' });
    });
    made.onMouseDown(({ target }) => {
      const model = made.getModel();
      if (target.type === monaco.editor.MouseTargetType.GUTTER_GLYPH_MARGIN && model)
        toggleBreakpoint(fileOf(model), target.position.lineNumber);
    });
    // Monaco registers actions for the page: they outlive the editor, and hold it.
    const breakpoints = made.addAction({
      id: 'hippocamp.toggleBreakpoint',
      label: 'Toggle Breakpoint',
      keybindings: [monaco.KeyCode.F9],
      run: () => {
        const [model, position] = [made.getModel(), made.getPosition()];
        if (model && position) toggleBreakpoint(fileOf(model), position.lineNumber);
      },
    });
    // The page takes the key before Monaco does; here it labels the entry of the context menu.
    const commands = made.addAction({
      id: 'hippocamp.commands',
      label: 'All Commands',
      keybindings: [monaco.KeyMod.CtrlCmd | monaco.KeyCode.KeyK],
      contextMenuGroupId: 'z_commands',
      run: () => openDialog('palette'),
    });
    const release = setActiveEditor((action) => {
      made.focus();
      void made.getAction(ACTIONS[action])?.run();
    });
    const endTabs = letTabPass(made);
    return () => {
      endTabs();
      release();
      breakpoints.dispose();
      commands.dispose();
      made.dispose();
    };
  }, []);

  useEffect(() => editor.current?.updateOptions({ readOnly, domReadOnly: readOnly }), [readOnly]);
  useVim(editor);

  useEffect(() => {
    const made = editor.current;
    if (!made || file === '') return;
    const old = made.getModel();
    if (old && old !== modelOf(file)) {
      views.set(old.uri.toString(), made.saveViewState());
      made.setModel(null);
    }
    forgetOldModels(identity);
    syncModels(identity, files);
    const model = modelOf(file);
    if (made.getModel() === model) return;
    made.setModel(model);
    const view = model && views.get(model.uri.toString());
    if (view) made.restoreViewState(view);
  }, [identity, file, files]);

  const stale = isStale(record, text);
  useEffect(() => {
    for (const name of Object.keys(files)) {
      const model = modelOf(name);
      const markers = markersOf(problems, name).map((marker) => linked(marker));
      if (model) monaco.editor.setModelMarkers(model, 'hippocamp', markers);
    }
  }, [problems, files]);
  useEffect(() => {
    const model = editor.current?.getModel();
    if (!model) return;
    failed.current?.set(failureDecorations(failuresOf(problems, stale ? null : record, file)));
    launched.current?.set(
      launchDecorations(stale || !record ? [] : launchTimesOf(record, file), model),
    );
  }, [problems, record, stale, file]);

  const costs = useLineCosts();
  const drawn = costs.shown && !isCostStale(costs, text) ? costs.costs : null;
  const { measure } = costs;
  useEffect(() => {
    const made = editor.current;
    if (!made || !drawn) return;
    let clear = (): void => {};
    let current = true;
    void import('./costMargin').then(({ drawCosts }) => {
      if (current) clear = drawCosts(made, file, drawn, measure);
    });
    return () => {
      current = false;
      clear();
    };
  }, [drawn, measure, file]);

  useEffect(() => {
    const own = breakpoints.filter((each) => each.file === file);
    stops.current?.set(breakpointDecorations(own));
  }, [breakpoints, file]);

  useEffect(() => {
    const lines = beside && lineColors ? coloredLines(lineColors, file) : [];
    painted.current?.set(
      colorDecorations(lines.map(({ line: at, color }) => ({ from: at, to: at, color }))),
    );
  }, [lineColors, beside, file]);

  useEffect(() => {
    // The line selected elsewhere is shown, in whichever file it stands.
    if (line && line.from !== 'editor') showFile(line.file);
  }, [line]);
  useEffect(() => {
    const made = editor.current;
    if (!made) return;
    if (!line || line.file !== file || line.from === 'editor') {
      lit.current?.clear();
      return;
    }
    const range = new monaco.Range(line.line, 1, line.line, 1);
    // A failing line keeps its own colour.
    const failing = failed.current?.getRanges().some((one) => one.startLineNumber === line.line);
    const className = failing ? 'line-failed' : 'line-lit';
    lit.current?.set([{ range, options: { isWholeLine: true, className } }]);
    // Before it is laid out (Monaco says 5 pixels then), the line would come to stand at its top.
    if (made.getLayoutInfo().height > LAID_OUT) made.revealLineInCenterIfOutsideViewport(line.line);
    else {
      const once = made.onDidLayoutChange(({ height }) => {
        if (height <= LAID_OUT) return;
        once.dispose();
        made.revealLineInCenterIfOutsideViewport(line.line);
      });
    }
    if (line.column !== undefined) {
      made.setPosition({ lineNumber: line.line, column: line.column });
      made.focus();
    }
  }, [line, file]);

  return <div ref={place} className={PLACE} />;
}

/** Pixels that an editor is higher than, once it has its place. */
const LAID_OUT = 40;

/** Scroll position of each file. */
const views = new Map<string, monaco.editor.ICodeEditorViewState | null>();
