/**
 * Read-only code with Monaco: tile IR and WGSL, alone or as a diff. Lines can be lit and clicked.
 */
import { useEffect, useRef } from 'react';
import { colorRanges } from '../state/lineColors';
import { colorDecorations, COMMON, monaco, PLACE } from './monaco';

const READ_ONLY: monaco.editor.IStandaloneEditorConstructionOptions = {
  ...COMMON,
  readOnly: true,
  domReadOnly: true,
  automaticLayout: true,
  fontSize: 12,
  lineHeight: 18,
  lineNumbersMinChars: 3,
  glyphMargin: false,
  lineDecorationsWidth: 8,
  folding: true,
  renderLineHighlight: 'none',
  contextmenu: false,
  occurrencesHighlight: 'singleFile',
};

/**
 * Lines above and below those in view that have their colour: to colour 100,000 holds up the page.
 */
const PAINTED = 400;

export interface CodeViewProps {
  readonly label: string;
  readonly language: string;
  readonly text: string;
  /** 1-based lines to light. */
  readonly lit: readonly number[];
  /** For each line the colour of the program's line that it comes from. */
  readonly colors?: readonly (number | null)[] | null;
  /** Scroll to the first lit line. */
  readonly reveal: boolean;
  /** The line at the top at first; 1 where it is absent. */
  readonly start?: number;
  readonly onLine: (line: number) => void;
}

export default function MonacoView(props: CodeViewProps): React.ReactNode {
  const { label, language, text, lit, colors, reveal, start = 1, onLine } = props;
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<monaco.editor.IStandaloneCodeEditor>(null);
  const decorations = useRef<monaco.editor.IEditorDecorationsCollection>(null);
  const painted = useRef<monaco.editor.IEditorDecorationsCollection>(null);
  const handler = useRef(onLine);
  /** Text of the model: reading it back would join all of its lines. */
  const shown = useRef('');
  useEffect(() => {
    handler.current = onLine;
  });

  useEffect(() => {
    const model = monaco.editor.createModel('', language);
    const made = monaco.editor.create(place.current!, { ...READ_ONLY, model, ariaLabel: label });
    editor.current = made;
    shown.current = '';
    painted.current = made.createDecorationsCollection();
    decorations.current = made.createDecorationsCollection();
    made.onDidChangeCursorPosition((event) => {
      if (made.hasTextFocus()) handler.current(event.position.lineNumber);
    });
    return () => {
      made.dispose();
      model.dispose();
    };
  }, [language, label]);

  useEffect(() => {
    const made = editor.current;
    if (!made || shown.current === text) return;
    const first = shown.current === '';
    shown.current = text;
    // Keeps the place while stepping through passes or while the text is being edited.
    const [top, left] = [made.getScrollTop(), made.getScrollLeft()];
    made.setValue(text);
    made.setScrollPosition({
      scrollTop: first ? made.getTopForLineNumber(start) : top,
      scrollLeft: left,
    });
  }, [text, start]);

  useEffect(() => {
    const made = editor.current;
    if (!made) return;
    const ranges = colorRanges(colors ?? []);
    let drawn = { from: 1, to: 0 };
    const draw = (): void => {
      const seen = made.getVisibleRanges();
      const from = seen[0]?.startLineNumber ?? 1;
      const to = seen.at(-1)?.endLineNumber ?? from;
      if (drawn.from <= Math.max(1, from - PAINTED / 2) && to + PAINTED / 2 <= drawn.to) return;
      drawn = { from: Math.max(1, from - PAINTED), to: to + PAINTED };
      const near = ranges.filter((range) => range.to >= drawn.from && range.from <= drawn.to);
      painted.current?.set(colorDecorations(near));
    };
    draw();
    const follows = [made.onDidScrollChange(draw), made.onDidLayoutChange(draw)];
    return () => follows.forEach((one) => one.dispose());
  }, [colors, text]);

  useEffect(() => {
    decorations.current?.set(
      lit.map((line) => ({
        range: new monaco.Range(line, 1, line, 1),
        options: { isWholeLine: true, className: 'line-lit' },
      })),
    );
    if (reveal && lit[0] !== undefined) editor.current?.revealLineInCenterIfOutsideViewport(lit[0]);
  }, [lit, reveal, text]);

  return <div ref={place} className={PLACE} />;
}

export interface DiffProps {
  readonly label: string;
  readonly language: string;
  readonly before: string;
  readonly after: string;
  readonly inline: boolean;
}

export function MonacoDiff({ label, language, before, after, inline }: DiffProps): React.ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<monaco.editor.IStandaloneDiffEditor>(null);

  useEffect(() => {
    const original = monaco.editor.createModel('', language);
    const modified = monaco.editor.createModel('', language);
    const made = monaco.editor.createDiffEditor(place.current!, {
      ...READ_ONLY,
      originalAriaLabel: `${label}, before`,
      modifiedAriaLabel: `${label}, after`,
      originalEditable: false,
      // The visitor chooses: an inline view of its own accord would make both choices one.
      useInlineViewWhenSpaceIsLimited: false,
      hideUnchangedRegions: { enabled: true, contextLineCount: 4, minimumLineCount: 4 },
      renderOverviewRuler: false,
      ignoreTrimWhitespace: false,
      diffWordWrap: 'off',
    });
    made.setModel({ original, modified });
    editor.current = made;
    return () => {
      made.setModel(null);
      made.dispose();
      original.dispose();
      modified.dispose();
    };
  }, [language, label]);
  useEffect(() => editor.current?.updateOptions({ renderSideBySide: !inline }), [inline]);
  useEffect(() => {
    const models = editor.current?.getModel();
    if (models && models.original.getValue() !== before) models.original.setValue(before);
    if (models && models.modified.getValue() !== after) models.modified.setValue(after);
  }, [before, after, language, label]);

  return <div ref={place} className={PLACE} />;
}
