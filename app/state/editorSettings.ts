/** How the visitor likes the editor. Remembered. */
import { create } from 'zustand';
import { pushUndo } from './undoStack';
import { loadJson, saveJson } from './storage';

export interface EditorSettings {
  /** One background per line of the program in the editor, the IR and the WGSL. */
  readonly lineColors: boolean;
  /** Tile shapes behind assignments. */
  readonly inlayHints: boolean;
  readonly vimKeys: boolean;
  /** The editor of phones on any screen: for screen readers, and who likes it. */
  readonly plainEditor: boolean;
}

const DEFAULTS: EditorSettings = {
  lineColors: true,
  inlayHints: true,
  vimKeys: false,
  plainEditor: false,
};

/** As the menu and the palette name them. */
export const EDITOR_SETTINGS: readonly (readonly [keyof EditorSettings, string])[] = [
  ['lineColors', 'Color-match lines with IR and WGSL'],
  ['inlayHints', 'Show tile shapes inline'],
  ['vimKeys', 'Vim keys'],
  ['plainEditor', 'Accessible plain-text editor'],
];

function isPartial(value: unknown): value is Partial<EditorSettings> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((each) => typeof each === 'boolean')
  );
}

export const useEditorSettings = create<EditorSettings>(() => ({
  ...DEFAULTS,
  // A setting that came later keeps its default.
  ...loadJson<Partial<EditorSettings>>('editor', {}, isPartial),
}));
/** The visitor's own choice, which can be undone. */
export function changeEditorSettings(change: Partial<EditorSettings>): void {
  const before = useEditorSettings.getState();
  const names = Object.keys(change).join();
  pushUndo({
    text: 'Changed the editor',
    kind: `editor ${names}`,
    undo: () => useEditorSettings.setState(before),
  });
  useEditorSettings.setState(change);
}
useEditorSettings.subscribe((settings) => saveJson('editor', settings));
