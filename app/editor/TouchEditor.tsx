/**
 * CodeMirror over the document: completion, signatures, diagnostics, and what an expression is,
 * from the same answers that Monaco shows. Its text is real text in the page, which phones and
 * screen readers know how to edit.
 */
import { useEffect, useRef, useState } from 'react';
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab, undo } from '@codemirror/commands';
import { python } from '@codemirror/lang-python';
import {
  bracketMatching,
  defaultHighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import { lintGutter, setDiagnostics, type Diagnostic as Lint } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { Annotation, EditorState, StateEffect, StateField, type Text } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  type DecorationSet,
} from '@codemirror/view';
import { noteText, type Diagnostic } from '../../compiler/diagnostics';
import { factAt } from '../../compiler/language/facts';
import { factMarkdown } from '../../compiler/language/factText';
import { withoutLogPrefix } from '../logLines';
import { askLanguage } from '../state/compilation';
import { editFile, programText, shownFile, useDocument } from '../state/document';
import { showFile } from '../state/files';
import { currentFacts, factContext } from '../state/inView';
import { select, useLocation } from '../state/location';
import { useProblems } from '../state/problems';
import { useRun } from '../state/run';
import { isStale } from '../state/session';
import { toggleBreakpoint } from '../state/breakpoints';
import { setActiveEditor } from './active';
import { formatPython } from './format';
import { failuresOf } from './markers';
import { lookalikes } from './lookalikes';
import { highlightStyle } from './touchTheme';

/** An edit that came from the document, and need not go back there. */
const fromOutside = Annotation.define<boolean>();

const TYPES: Readonly<Record<string, string>> = {
  kernel: 'function',
  argument: 'property',
  parameter: 'variable',
  value: 'constant',
  module: 'namespace',
  file: 'namespace',
};

async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  const before = context.matchBefore(/[\w.]*/);
  if (!context.explicit && (!before || before.from === before.to)) return null;
  const state = useDocument.getState();
  const file = shownFile(state);
  const files = { ...state.files, [file]: context.state.doc.toString() };
  const found = await askLanguage<'complete'>({
    kind: 'complete',
    files,
    file,
    index: context.pos,
  });
  if (!found || found.items.length === 0) return null;
  return {
    from: found.from,
    validFor: /^\w*$/,
    options: found.items.map(({ label, insert, kind, detail, doc, rank }) => ({
      label,
      apply: insert ?? label,
      type: TYPES[kind] ?? kind,
      boost: -10 * rank,
      ...(detail ? { detail } : {}),
      ...(doc ? { info: doc } : {}),
    })),
  };
}

const setLines = StateEffect.define<DecorationSet>();
/** The selected line, and those that failed. */
const lines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    let next = value.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setLines)) next = effect.value;
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const clamp = (value: number, low: number, high: number): number =>
  Math.min(Math.max(value, low), high);
function offset(doc: Text, line: number, column: number): number {
  const at = doc.line(clamp(line, 1, doc.lines));
  return clamp(at.from + column - 1, at.from, at.to);
}
function toLint(doc: Text, { severity, message, notes, location, fix }: Diagnostic): Lint {
  const from = offset(doc, location.line, location.column);
  const hints = notes.filter((note) => !note.message.includes('\n')).map(noteText);
  return {
    from,
    to: Math.max(from, offset(doc, location.endLine, location.endColumn)),
    severity,
    message: [message, ...hints].join('\n'),
    ...(fix && fix.location.file === location.file
      ? {
          actions: [
            {
              name: fix.title,
              apply: (view) => {
                const at = fix.location;
                const start = offset(view.state.doc, at.line, at.column);
                const end = offset(view.state.doc, at.endLine, at.endColumn);
                view.dispatch({ changes: { from: start, to: end, insert: fix.text } });
              },
            },
          ],
        }
      : {}),
  };
}

const EXTENSIONS = [
  lineNumbers(),
  history(),
  python(),
  indentUnit.of('    '),
  indentOnInput(),
  bracketMatching(),
  search({ top: true }),
  lintGutter(),
  lines,
  // Python obeys characters that are not seen, or that show a line in another order.
  highlightSpecialChars({ addSpecialChars: /[\u202A-\u202C\u2060-\u2064\u2068]/g }),
  lookalikes,
  syntaxHighlighting(highlightStyle),
  syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
  autocompletion({ override: [complete], maxRenderedOptions: 60 }),
  keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
  EditorView.lineWrapping,
  EditorView.clipboardInputFilter.of(withoutLogPrefix),
  EditorView.contentAttributes.of({
    'aria-label': 'Program',
    // Said apart, because tools do not count what is editable as something that takes the focus.
    tabindex: '0',
    autocapitalize: 'off',
    autocorrect: 'off',
    spellcheck: 'false',
  }),
];

/** Each file keeps its own history of edits while the page is open: those of the last files. */
const states = new Map<string, EditorState>();
const MOST_STATES = 100;
function keepState(key: string, state: EditorState): void {
  states.delete(key);
  states.set(key, state);
  const [oldest] = states.keys();
  if (states.size > MOST_STATES && oldest !== undefined) states.delete(oldest);
}

export default function TouchEditor(): React.ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const [about, setAbout] = useState<string | null>(null);
  const file = useDocument(shownFile);
  const identity = useDocument((state) => state.identity);
  const text = useDocument((state) => state.files[shownFile(state)] ?? '');
  const whole = useDocument((state) => programText(state));
  const problems = useProblems();
  const record = useRun((state) => state.record);
  const line = useLocation((state) => state.selected);
  const readOnly = useDocument((state) => state.readOnly);
  const stale = isStale(record, whole);

  useEffect(() => {
    const made = new EditorView({
      parent: place.current!,
      extensions: [],
    });
    view.current = made;
    const release = setActiveEditor((action) => {
      if (action === 'breakpoint') {
        const { number } = made.state.doc.lineAt(made.state.selection.main.head);
        toggleBreakpoint(shownFile(useDocument.getState()), number);
      }
      if (action === 'format')
        void formatPython(made.state.doc.toString()).then((formatted) => {
          if (formatted === null) return;
          const changes = { from: 0, to: made.state.doc.length, insert: formatted };
          made.dispatch({ changes });
        });
    });
    return () => {
      release();
      made.destroy();
      view.current = null;
    };
  }, []);

  useEffect(() => {
    const made = view.current;
    if (!made) return;
    const key = `${identity} ${file}`;
    const listener = EditorView.updateListener.of((update) => {
      keepState(key, update.state);
      const outside = update.transactions.some((each) => each.annotation(fromOutside));
      if (update.docChanged && !outside) editFile(file, update.state.doc.toString());
      if (!update.selectionSet || outside || !update.view.hasFocus) return;
      const at = update.state.doc.lineAt(update.state.selection.main.head);
      select({ file, line: at.number, from: 'editor' });
    });
    const doc = useDocument.getState().files[file] ?? '';
    made.setState(
      states.get(key) ??
        EditorState.create({
          doc,
          extensions: [...EXTENSIONS, listener, EditorState.readOnly.of(readOnly)],
        }),
    );
    setAbout(null);
  }, [identity, file, readOnly]);

  useEffect(() => {
    const made = view.current;
    if (!made || made.state.doc.toString() === text) return;
    made.dispatch({
      changes: { from: 0, to: made.state.doc.length, insert: text },
      annotations: fromOutside.of(true),
    });
  }, [text, identity, file]);

  useEffect(() => {
    const made = view.current;
    if (!made) return;
    const shown = problems.filter(({ location }) => location.file === file);
    const { doc } = made.state;
    made.dispatch(
      setDiagnostics(
        made.state,
        shown.map((each) => toLint(doc, each)),
      ),
    );
  }, [problems, file]);

  useEffect(() => {
    if (line && line.from !== 'editor') showFile(line.file);
  }, [line]);
  useEffect(() => {
    const made = view.current;
    if (!made) return;
    const { doc } = made.state;
    const marks = new Map<number, string>();
    for (const failure of failuresOf(problems, stale ? null : record, file))
      if (failure.ran) marks.set(failure.line, 'line-failed');
    const shown = line && line.file === file && line.from !== 'editor' ? line : null;
    if (shown && !marks.has(shown.line)) marks.set(shown.line, 'line-lit');
    const decorations = [...marks]
      .filter(([number]) => number >= 1 && number <= doc.lines)
      .sort(([a], [b]) => a - b)
      .map(([number, name]) => Decoration.line({ class: name }).range(doc.line(number).from));
    made.dispatch({ effects: setLines.of(Decoration.set(decorations)) });
  }, [line, file, problems, record, stale]);
  useEffect(() => {
    const made = view.current;
    if (!made || !line || line.file !== file || line.from === 'editor') return;
    const at = offset(made.state.doc, line.line, line.column ?? 1);
    made.dispatch({
      effects: EditorView.scrollIntoView(at, { y: 'center' }),
      annotations: fromOutside.of(true),
      ...(line.column === undefined ? {} : { selection: { anchor: at } }),
    });
    if (line.column !== undefined) made.focus();
  }, [line, file]);

  const insert = (piece: string): void => {
    const made = view.current;
    if (!made) return;
    made.dispatch(made.state.replaceSelection(piece));
    made.focus();
  };
  return (
    <div className="touch-editor">
      <div ref={place} className="touch-text" />
      {about === null ? null : (
        <div className="touch-about" role="status">
          <pre>{about}</pre>
          <button type="button" className="link" onClick={() => setAbout(null)}>
            Close
          </button>
        </div>
      )}
      <div className="touch-keys" role="toolbar" aria-label="Editing">
        <button
          type="button"
          className="button small"
          onClick={() => view.current && void explainAt(view.current, file).then(setAbout)}
        >
          What is this?
        </button>
        <button
          type="button"
          className="button small"
          aria-label="Indent"
          onClick={() => insert('    ')}
        >
          ⇥
        </button>
        {['(', ')', '[', ']', ':', '=', '_'].map((piece) => (
          <button key={piece} type="button" className="button small" onClick={() => insert(piece)}>
            {piece}
          </button>
        ))}
        <button
          type="button"
          className="button small"
          onClick={() => view.current && undo(view.current)}
        >
          Undo
        </button>
      </div>
    </div>
  );
}

/** Hover at the cursor, as in Monaco, without its Markdown. */
async function explainAt(view: EditorView, file: string): Promise<string> {
  const { head } = view.state.selection.main;
  const at = view.state.doc.lineAt(head);
  const position = { line: at.number, column: head - at.from + 1 };
  const state = useDocument.getState();
  const text = view.state.doc.toString();
  const files = { ...state.files, [file]: text };
  const parts: string[] = [];
  const fact = factAt(currentFacts(file, text), file, position.line, position.column);
  if (fact) parts.push(factMarkdown(fact, factContext()));
  const described = await askLanguage<'describe'>({ kind: 'describe', files, file, position });
  if (described) parts.push(described.code, described.doc);
  const said = parts.filter((part) => part !== '').join('\n\n');
  return said === ''
    ? 'No info here. Put the cursor on a name or expression inside a kernel.'
    : said.replace(/^- /gm, '· ').replace(/[`*]/g, '');
}
