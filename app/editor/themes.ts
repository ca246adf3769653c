/**
 * Monaco's themes: the page's colours (`theme/tokens.css`) for its text and for the widgets over
 * it.
 */
import * as monaco from 'monaco-editor/editor/editor.api.js';
import { useTheme, type ThemeState } from '../state/settings';

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

/** Colours of menus, hovers, completions, peeks and the other widgets over the text. */
interface WidgetColors {
  readonly text: string;
  readonly muted: string;
  readonly background: string;
  readonly sunken: string;
  readonly line: string;
  readonly selected: string;
  readonly accent: string;
  readonly found: string;
}

function widgets(colors: WidgetColors): monaco.editor.IColors {
  const { text, muted, background, sunken, line, selected, accent, found } = colors;
  return {
    foreground: text,
    descriptionForeground: muted,
    focusBorder: accent,
    'editorWidget.background': background,
    'editorWidget.foreground': text,
    'editorWidget.border': line,
    'menu.background': background,
    'menu.foreground': text,
    'menu.border': line,
    'menu.separatorBackground': line,
    'menu.selectionBackground': selected,
    'menu.selectionForeground': text,
    'editorSuggestWidget.selectedBackground': selected,
    'editorSuggestWidget.selectedForeground': text,
    'editorSuggestWidget.selectedIconForeground': text,
    'editorSuggestWidget.highlightForeground': accent,
    'editorSuggestWidget.focusHighlightForeground': accent,
    'list.focusBackground': selected,
    'list.focusForeground': text,
    'list.activeSelectionBackground': selected,
    'list.activeSelectionForeground': text,
    'list.highlightForeground': accent,
    'list.focusHighlightForeground': accent,
    'quickInputList.focusBackground': selected,
    'quickInputList.focusForeground': text,
    'quickInputList.focusIconForeground': text,
    'textLink.foreground': accent,
    'textLink.activeForeground': accent,
    'peekView.border': accent,
    'peekViewTitle.background': sunken,
    'peekViewTitleLabel.foreground': text,
    'peekViewTitleDescription.foreground': muted,
    'peekViewEditor.background': background,
    'peekViewEditorGutter.background': background,
    'peekViewEditor.matchHighlightBackground': found,
    'peekViewResult.background': sunken,
    'peekViewResult.fileForeground': text,
    'peekViewResult.lineForeground': text,
    'peekViewResult.selectionBackground': selected,
    'peekViewResult.selectionForeground': text,
    'peekViewResult.matchHighlightBackground': found,
  };
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
    ...widgets({
      text: '#15201f',
      muted: '#4c5a56',
      background: '#ffffff',
      sunken: '#eef1f1',
      line: '#c3cdcc',
      selected: '#dff1ee',
      accent: '#08766a',
      found: '#f3dca8',
    }),
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
    'editorLineNumber.foreground': '#7d8c86',
    'editorLineNumber.activeForeground': '#e2eae8',
    'editor.lineHighlightBackground': '#182020',
    'editor.lineHighlightBorder': '#00000000',
    'editor.selectionBackground': '#1f4b45',
    ...widgets({
      text: '#e2eae8',
      muted: '#9cacaa',
      background: '#1a2222',
      sunken: '#0d1212',
      line: '#3a4948',
      selected: '#163631',
      accent: '#4cc9b4',
      found: '#4a3d22',
    }),
    'diffEditor.insertedTextBackground': '#4cc9b433',
    'diffEditor.removedTextBackground': '#ff8f7830',
    'diffEditor.insertedLineBackground': '#4cc9b414',
    'diffEditor.removedLineBackground': '#ff8f7814',
    'scrollbar.shadow': '#00000000',
    'editorError.foreground': '#ff8f78',
    'editorWarning.foreground': '#e3b261',
  },
});

for (const [theme, base, link] of [
  ['light', 'hc-light', '#004d43'],
  ['dark', 'hc-black', '#6ff2dc'],
] as const)
  monaco.editor.defineTheme(`hippocamp-contrast-${theme}`, {
    base,
    inherit: true,
    rules: rules(stark[theme]),
    colors: { 'textLink.foreground': link, 'textLink.activeForeground': link },
  });

// The theme belongs to Monaco, not to an editor: every editor follows.
const applyTheme = ({ theme, contrast }: ThemeState): void =>
  monaco.editor.setTheme(`hippocamp-${contrast ? 'contrast-' : ''}${theme}`);
applyTheme(useTheme.getState());
useTheme.subscribe(applyTheme);
