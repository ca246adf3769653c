/** How the visitor likes the editor. Remembered. */
import { create } from 'zustand';
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
  inlayHints: false,
  vimKeys: false,
  plainEditor: false,
};

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
useEditorSettings.subscribe((settings) => saveJson('editor', settings));
