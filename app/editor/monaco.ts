/**
 * Monaco, cut to what the page uses and loaded when first needed: the editor core, Python and WGSL
 * colouring, and our own colouring of tile IR. Nothing comes from another origin.
 */
import * as monaco from 'monaco-editor/editor/editor.api.js';
import 'monaco-editor/features/codeEditor/register.js';
import 'monaco-editor/features/codicon/register.js';
import 'monaco-editor/features/diffEditor/register.js';
import 'monaco-editor/features/anchorSelect/register.js';
import 'monaco-editor/features/bracketMatching/register.js';
import 'monaco-editor/features/caretOperations/register.js';
import 'monaco-editor/features/clipboard/register.js';
import 'monaco-editor/features/codeAction/register.js';
import 'monaco-editor/features/comment/register.js';
import 'monaco-editor/features/contextmenu/register.js';
import 'monaco-editor/features/cursorUndo/register.js';
import 'monaco-editor/features/dnd/register.js';
import 'monaco-editor/features/find/register.js';
import 'monaco-editor/features/folding/register.js';
import 'monaco-editor/features/documentSymbols/register.js';
import 'monaco-editor/features/format/register.js';
import 'monaco-editor/features/gotoError/register.js';
import 'monaco-editor/features/gotoLine/register.js';
import 'monaco-editor/features/gotoSymbol/register.js';
import 'monaco-editor/features/hover/register.js';
import 'monaco-editor/features/indentation/register.js';
import 'monaco-editor/features/inlayHints/register.js';
import 'monaco-editor/features/lineSelection/register.js';
import 'monaco-editor/features/linesOperations/register.js';
import 'monaco-editor/features/multicursor/register.js';
import 'monaco-editor/features/parameterHints/register.js';
import 'monaco-editor/features/quickOutline/register.js';
import 'monaco-editor/features/referenceSearch/register.js';
import 'monaco-editor/features/rename/register.js';
import 'monaco-editor/features/smartSelect/register.js';
import 'monaco-editor/features/snippet/register.js';
import 'monaco-editor/features/suggest/register.js';
// Monaco's own list of the feature's parts leaves out the one that opens the list.
import 'monaco-editor/editor/contrib/suggest/browser/suggestController.js';
import 'monaco-editor/features/toggleTabFocusMode/register.js';
import 'monaco-editor/features/tokenization/register.js';
import 'monaco-editor/features/unicodeHighlighter/register.js';
import 'monaco-editor/features/wordHighlighter/register.js';
import 'monaco-editor/features/wordOperations/register.js';
import 'monaco-editor/features/wordPartOperations/register.js';
import 'monaco-editor/languages/definitions/python/register.js';
import 'monaco-editor/languages/definitions/wgsl/register.js';
import type { ColorRange } from '../state/lineColors';
import './themes';
import { TILE_IR, tileIrTokens } from './tileIr';

self.MonacoEnvironment = {
  getWorker: () =>
    new Worker(new URL('./editorWorker.ts', import.meta.url), { type: 'module', name: 'monaco' }),
};

// Monaco rejects a promise that nobody holds where a diff's texts change or go while it is
// computed: the next diff is on its way then.
window.addEventListener('unhandledrejection', (event) => {
  const { reason } = event as { reason: unknown };
  if (reason instanceof Error && reason.message === 'no diff result available')
    event.preventDefault();
});

monaco.languages.register({ id: TILE_IR });
monaco.languages.setMonarchTokensProvider(TILE_IR, tileIrTokens);

/** Options that every editor on the page has in common. */
export const COMMON: monaco.editor.IEditorOptions & monaco.editor.IGlobalEditorOptions = {
  fontFamily: "'JetBrains Mono Variable', ui-monospace, monospace",
  fontLigatures: false,
  minimap: { enabled: false },
  scrollBeyondLastLine: false,
  smoothScrolling: false,
  overviewRulerLanes: 2,
  renderLineHighlight: 'line',
  guides: { indentation: true },
  bracketPairColorization: { enabled: false },

  padding: { top: 8, bottom: 8 },
  fixedOverflowWidgets: true,
  stickyScroll: { enabled: false },
  scrollbar: { verticalScrollbarSize: 10, horizontalScrollbarSize: 10, useShadows: false },
  accessibilitySupport: 'auto',
  colorDecorators: false,
  links: false,
  // Names and strings that read as others: letters of other alphabets that look like ours, and
  // characters that are not seen. In comments they do no harm.
  unicodeHighlight: {
    ambiguousCharacters: true,
    invisibleCharacters: true,
    nonBasicASCII: false,
    includeComments: false,
    includeStrings: true,
  },
};

/**
 * The classes of the element that an editor is created in. Monaco hangs its menus there, beside the
 * editor, and sets its theme's colours on `monaco-component` and on the editor only: without it,
 * menus are transparent.
 */
export const PLACE = 'monaco monaco-component';

/** Backgrounds in the lines' colours; `.line-lit`, which comes later in the style sheet, wins. */
export function colorDecorations(
  ranges: readonly ColorRange[],
): monaco.editor.IModelDeltaDecoration[] {
  return ranges.map(({ from, to, color }) => ({
    range: new monaco.Range(from, 1, to, 1),
    options: { isWholeLine: true, className: `line-color line-color-${color}` },
  }));
}

// One calm colour for brackets; it is a property of models, not of editors.
monaco.editor.onDidCreateModel((model) =>
  model.updateOptions({
    bracketColorizationOptions: { enabled: false, independentColorPoolPerBracketType: false },
  }),
);

// Monaco measures characters once; our face may arrive after that.
void document.fonts.ready.then(() => monaco.editor.remeasureFonts());

export { monaco };
