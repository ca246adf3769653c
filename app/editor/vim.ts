/** Vim's keys, as a setting: loaded when it is switched on. Its status stands below the text. */
import { useEffect, type RefObject } from 'react';
import { useEditorSettings } from '../state/editorSettings';
import type { monaco } from './monaco';

export function useVim(editor: RefObject<monaco.editor.IStandaloneCodeEditor | null>): void {
  const on = useEditorSettings((state) => state.vimKeys);
  useEffect(() => {
    const made = editor.current;
    const host = made?.getDomNode()?.closest('.editor');
    if (!on || !made || !host) return;
    let ended = false;
    let dispose: (() => void) | null = null;
    const status = document.createElement('div');
    status.className = 'vim-status';
    status.setAttribute('aria-label', 'Vim');
    host.append(status);
    void import('monaco-vim').then(({ initVimMode }) => {
      if (ended) return;
      const mode = initVimMode(made, status);
      dispose = () => mode.dispose();
    });
    return () => {
      ended = true;
      dispose?.();
      status.remove();
    };
  }, [on, editor]);
}
