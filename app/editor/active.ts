/**
 * The editor that is open, for menus outside of it: which actions it has, whichever editor it is.
 */
export type EditorAction = 'format' | 'outline' | 'rename' | 'hover' | 'breakpoint';

let run: ((action: EditorAction) => void) | null = null;

/** @returns takes it back. */
export function setActiveEditor(handler: (action: EditorAction) => void): () => void {
  run = handler;
  return () => {
    if (run === handler) run = null;
  };
}

export function editorAction(action: EditorAction): void {
  run?.(action);
}
