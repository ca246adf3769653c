/**
 * The program's editor. The document store is the truth: every keystroke goes there first, and text
 * that changes elsewhere (another example, Reset) comes back as an edit that can be undone. Each
 * example keeps its own model, so its undo history survives looking at another.
 */
import { useEffect, useRef } from 'react';
import type { Diagnostic } from '../../compiler/diagnostics';
import { useCompilation } from '../state/compilation';
import { currentText, edit, useDocument } from '../state/document';
import { isStale, useSession } from '../state/session';
import { useTheme } from '../state/settings';
import { coloredLines } from '../state/lineColors';
import { select, useLocation } from '../state/location';
import { explain, useView } from '../state/view';
import { useLineColors } from '../panels/common/useLineColors';
import { colorDecorations, COMMON, monaco, applyTheme } from './monaco';
import { failuresOf, markersOf } from './markers';

function modelFor(undoKey: string, entry: string, text: string): monaco.editor.ITextModel {
  // Programs whose files have one name must not share an undo history.
  const authority = encodeURIComponent(undoKey);
  const uri = monaco.Uri.from({ scheme: 'file', authority, path: `/${entry}` });
  const known = monaco.editor.getModel(uri);
  if (!known) return monaco.editor.createModel(text, 'python', uri);
  if (known.getValue() !== text)
    known.pushEditOperations([], [{ range: known.getFullModelRange(), text }], () => null);
  return known;
}

function offerFixes(): monaco.IDisposable {
  return monaco.languages.registerCodeActionProvider('python', {
    provideCodeActions(model, _range, context) {
      const fixes = useCompilation
        .getState()
        .diagnostics.filter((diagnostic): diagnostic is Required<Diagnostic> => !!diagnostic.fix);
      const actions = fixes.flatMap(({ code, location, fix }) => {
        const marker = context.markers.find(
          (one) =>
            (typeof one.code === 'string' ? one.code : one.code?.value) === code &&
            one.startLineNumber === location.line,
        );
        if (!marker) return [];
        const { line, column, endLine, endColumn } = fix.location;
        const range = new monaco.Range(line, column, endLine, endColumn);
        return [
          {
            title: fix.title,
            kind: 'quickfix',
            diagnostics: [marker],
            isPreferred: true,
            edit: {
              edits: [
                { resource: model.uri, versionId: undefined, textEdit: { range, text: fix.text } },
              ],
            },
          },
        ];
      });
      return { actions, dispose: () => undefined };
    },
  });
}

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

export default function CodeEditor(): React.ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<monaco.editor.IStandaloneCodeEditor>(null);
  const lit = useRef<monaco.editor.IEditorDecorationsCollection>(null);
  const painted = useRef<monaco.editor.IEditorDecorationsCollection>(null);
  const failed = useRef<monaco.editor.IEditorDecorationsCollection>(null);
  const theme = useTheme((state) => state.theme);
  const entry = useDocument((state) => state.entry);
  const undoKey = useDocument((state) => state.undoKey);
  const readOnly = useDocument((state) => state.readOnly);
  const text = useDocument((state) => currentText(state));
  const diagnostics = useCompilation((state) => state.diagnostics);
  const record = useSession((state) => state.record);
  const line = useLocation((state) => state.selected);
  // Colours say something only beside the code that shares them.
  const beside = useView(({ panel }) => panel === 'passes' || panel === 'wgsl');
  const lineColors = useLineColors();

  useEffect(() => {
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
      wordBasedSuggestions: 'currentDocument',
    });
    editor.current = made;
    lit.current = made.createDecorationsCollection();
    painted.current = made.createDecorationsCollection();
    failed.current = made.createDecorationsCollection();
    const fixes = offerFixes();
    made.onDidChangeModelContent(() => edit(made.getValue()));
    made.onDidChangeCursorPosition((event) => {
      if (!made.hasTextFocus()) return;
      const { entry: file } = useDocument.getState();
      select({ file, line: event.position.lineNumber, from: 'editor' });
    });
    return () => {
      fixes.dispose();
      made.dispose();
    };
  }, []);

  useEffect(() => applyTheme(theme), [theme]);
  useEffect(() => editor.current?.updateOptions({ readOnly, domReadOnly: readOnly }), [readOnly]);

  useEffect(() => {
    const made = editor.current;
    if (!made || entry === '') return;
    const model = modelFor(undoKey, entry, text);
    if (made.getModel() !== model) made.setModel(model);
  }, [undoKey, entry, text]);

  const stale = isStale(record, text);
  useEffect(() => {
    const model = editor.current?.getModel();
    if (!model) return;
    const live = diagnostics.filter((diagnostic) => diagnostic.location.file === entry);
    const ran = stale ? [] : (record?.diagnostics ?? []);
    monaco.editor.setModelMarkers(
      model,
      'hippocamp',
      markersOf(live, ran, entry).map((marker) => linked(marker)),
    );
    const failures = stale || !record ? [] : failuresOf(record, entry);
    failed.current?.set(
      failures.map((failure) => ({
        range: new monaco.Range(failure.line, 1, failure.line, 1),
        options: {
          isWholeLine: true,
          className: 'line-failed',
          glyphMarginClassName: failure.kind === 'error' ? 'glyph-fail' : 'glyph-mismatch',
          glyphMarginHoverMessage: { value: failure.message },
          overviewRuler: { color: '#b3301a', position: monaco.editor.OverviewRulerLane.Right },
        },
      })),
    );
  }, [diagnostics, record, stale, entry]);

  useEffect(() => {
    const lines = beside && lineColors ? coloredLines(lineColors, entry) : [];
    painted.current?.set(
      colorDecorations(lines.map(({ line: at, color }) => ({ from: at, to: at, color }))),
    );
  }, [lineColors, beside, entry]);

  useEffect(() => {
    const made = editor.current;
    if (!made) return;
    if (!line || line.file !== entry || line.from === 'editor') {
      lit.current?.clear();
      return;
    }
    const range = new monaco.Range(line.line, 1, line.line, 1);
    // A failing line keeps its own colour.
    const failing = failed.current?.getRanges().some((one) => one.startLineNumber === line.line);
    const className = failing ? 'line-failed' : 'line-lit';
    lit.current?.set([{ range, options: { isWholeLine: true, className } }]);
    made.revealLineInCenterIfOutsideViewport(line.line);
    if (line.column !== undefined) {
      made.setPosition({ lineNumber: line.line, column: line.column });
      made.focus();
    }
  }, [line, entry]);

  return <div ref={place} className="monaco" />;
}
