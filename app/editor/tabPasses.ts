/**
 * Tab on its way through the page: who comes into the editor by Tab, and has neither typed nor
 * moved the cursor there, goes on by Tab, so that nobody changes a program by walking over it. From
 * then on Tab indents, as in every editor; Ctrl M lets it move on.
 */
import type { monaco } from './monaco';

type Editor = ReturnType<typeof monaco.editor.create>;

/** @returns ends it. */
export function letTabPass(editor: Editor): () => void {
  let byTab = false;
  const note = (event: Event): void => {
    byTab = event instanceof KeyboardEvent && event.key === 'Tab';
  };
  const indent = (): void => {
    editor.updateOptions({ tabFocusMode: false });
  };
  window.addEventListener('keydown', note, true);
  window.addEventListener('pointerdown', note, true);
  const heard = [
    editor.onDidFocusEditorText(() => editor.updateOptions({ tabFocusMode: byTab })),
    editor.onDidChangeCursorPosition(indent),
    editor.onDidChangeModelContent(indent),
    editor.onMouseDown(indent),
  ];
  return () => {
    window.removeEventListener('keydown', note, true);
    window.removeEventListener('pointerdown', note, true);
    for (const each of heard) each.dispose();
  };
}
