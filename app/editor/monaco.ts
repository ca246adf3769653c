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
import 'monaco-editor/features/quickCommand/register.js';
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
import 'monaco-editor/features/wordHighlighter/register.js';
import 'monaco-editor/features/wordOperations/register.js';
import 'monaco-editor/features/wordPartOperations/register.js';
import 'monaco-editor/languages/definitions/python/register.js';
import 'monaco-editor/languages/definitions/wgsl/register.js';
import { useTheme, type ThemeState } from '../state/settings';
import type { ColorRange } from '../state/lineColors';
import { TILE_IR, tileIrTokens } from './tileIr';

self.MonacoEnvironment = {
  getWorker: () =>
    new Worker(new URL('./editorWorker.ts', import.meta.url), { type: 'module', name: 'monaco' }),
};

// Where a diff's texts change or go while it is being computed, Monaco rejects a promise that nobody
// holds. The next diff is on its way then.
window.addEventListener('unhandledrejection', (event) => {
  const { reason } = event as { reason: unknown };
  if (reason instanceof Error && reason.message === 'no diff result available')
    event.preventDefault();
});

monaco.languages.register({ id: TILE_IR });
monaco.languages.setMonarchTokensProvider(TILE_IR, tileIrTokens);

const light = {
  comment: '5f6f6b',
  keyword: '7a3e9d',
  string: '8a5200',
  number: '1f5fa8',
  type: '08766a',
  operator: '3d4a48',
};
const dark = {
  comment: '84938f',
  keyword: 'd3a4f2',
  string: 'e3b261',
  number: '8cbcff',
  type: '4cc9b4',
  operator: 'b4c2c0',
};
/** High contrast: 7:1 and more. */
const stark = {
  light: {
    comment: '3b4946',
    keyword: '5b2280',
    string: '5a3700',
    number: '0b3d7a',
    type: '004d43',
    operator: '1c2624',
  },
  dark: {
    comment: 'b4c2be',
    keyword: 'e2c0ff',
    string: 'ffcf7d',
    number: 'b3d4ff',
    type: '6ff2dc',
    operator: 'dfe8e6',
  },
};

function rules(colors: typeof light): monaco.editor.ITokenThemeRule[] {
  return [
    { token: 'comment', foreground: colors.comment, fontStyle: 'italic' },
    { token: 'keyword', foreground: colors.keyword },
    { token: 'string', foreground: colors.string },
    { token: 'string.escape', foreground: colors.string },
    { token: 'number', foreground: colors.number },
    { token: 'type', foreground: colors.type },
    { token: 'tag', foreground: colors.type },
    { token: 'annotation', foreground: colors.keyword },
    { token: 'predefined', foreground: colors.type },
    { token: 'variable.predefined', foreground: colors.type },
    { token: 'delimiter', foreground: colors.operator },
    { token: 'operator', foreground: colors.operator },
    { token: 'function', foreground: colors.number },
  ];
}

monaco.editor.defineTheme('hippocamp-light', {
  base: 'vs',
  inherit: true,
  rules: rules(light),
  colors: {
    'editor.background': '#ffffff',
    'editor.foreground': '#15201f',
    'editorGutter.background': '#ffffff',
    'editorLineNumber.foreground': '#6b7875',
    'editorLineNumber.activeForeground': '#15201f',
    'editor.lineHighlightBackground': '#f4f6f6',
    'editor.lineHighlightBorder': '#00000000',
    'editor.selectionBackground': '#c5e5e0',
    'editorWidget.background': '#ffffff',
    'editorWidget.border': '#c3cdcc',
    focusBorder: '#0a8f80',
    'diffEditor.insertedTextBackground': '#0a8f8030',
    'diffEditor.removedTextBackground': '#b3301a26',
    'diffEditor.insertedLineBackground': '#0a8f8016',
    'diffEditor.removedLineBackground': '#b3301a12',
    'scrollbar.shadow': '#00000000',
    'editorError.foreground': '#b3301a',
    'editorWarning.foreground': '#9c6300',
  },
});
monaco.editor.defineTheme('hippocamp-dark', {
  base: 'vs-dark',
  inherit: true,
  rules: rules(dark),
  colors: {
    'editor.background': '#121818',
    'editor.foreground': '#e2eae8',
    'editorGutter.background': '#121818',
    'editorLineNumber.foreground': '#66756f',
    'editorLineNumber.activeForeground': '#e2eae8',
    'editor.lineHighlightBackground': '#182020',
    'editor.lineHighlightBorder': '#00000000',
    'editor.selectionBackground': '#1f4b45',
    'editorWidget.background': '#1a2222',
    'editorWidget.border': '#3a4948',
    focusBorder: '#4cc9b4',
    'diffEditor.insertedTextBackground': '#4cc9b433',
    'diffEditor.removedTextBackground': '#ff8f7830',
    'diffEditor.insertedLineBackground': '#4cc9b414',
    'diffEditor.removedLineBackground': '#ff8f7814',
    'scrollbar.shadow': '#00000000',
    'editorError.foreground': '#ff8f78',
    'editorWarning.foreground': '#e3b261',
  },
});

/** What every editor on the page has in common. */
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
};

/** Backgrounds in the lines' colours; `.line-lit`, which comes later in the style sheet, wins. */
export function colorDecorations(
  ranges: readonly ColorRange[],
): monaco.editor.IModelDeltaDecoration[] {
  return ranges.map(({ from, to, color }) => ({
    range: new monaco.Range(from, 1, to, 1),
    options: { isWholeLine: true, className: `line-color line-color-${color}` },
  }));
}

for (const [theme, base] of [
  ['light', 'hc-light'],
  ['dark', 'hc-black'],
] as const)
  monaco.editor.defineTheme(`hippocamp-contrast-${theme}`, {
    base,
    inherit: true,
    rules: rules(stark[theme]),
    colors: {},
  });

// The theme is Monaco's own, not an editor's: every editor follows.
const applyTheme = ({ theme, contrast }: ThemeState): void =>
  monaco.editor.setTheme(`hippocamp-${contrast ? 'contrast-' : ''}${theme}`);
applyTheme(useTheme.getState());
useTheme.subscribe(applyTheme);

// One calm colour for brackets; it is a property of models, not of editors.
monaco.editor.onDidCreateModel((model) =>
  model.updateOptions({
    bracketColorizationOptions: { enabled: false, independentColorPoolPerBracketType: false },
  }),
);

// Monaco measures characters once; our face may arrive after that.
void document.fonts.ready.then(() => monaco.editor.remeasureFonts());

export { monaco };
