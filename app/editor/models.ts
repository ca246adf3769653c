/**
 * One Monaco model for each file of the program. The document store is the truth: what is typed goes there
 * first, and text that changes elsewhere (Reset, another tab) comes back as an edit that can be undone. A
 * program's models stay while the page does, so that looking at another program costs no undo history.
 */
import type { ProgramFiles } from '../events';
import { editFile, useDocument } from '../state/document';
import { monaco } from './monaco';

function uriOf(undoKey: string, file: string): monaco.Uri {
  // Programs whose files have one name must not share an undo history.
  return monaco.Uri.from({
    scheme: 'file',
    authority: encodeURIComponent(undoKey),
    path: `/${file}`,
  });
}

/** The model of a file of the program that is open. */
export function modelOf(file: string): monaco.editor.ITextModel | null {
  return monaco.editor.getModel(uriOf(useDocument.getState().undoKey, file));
}
export function uriOfFile(file: string): monaco.Uri {
  return uriOf(useDocument.getState().undoKey, file);
}
/** The file that a model holds, as the document names it. */
export function fileOf(model: monaco.editor.ITextModel): string {
  return model.uri.path.slice(1);
}

let syncing = false;

/** Gives every file its model, with its text. */
export function syncModels(undoKey: string, files: ProgramFiles): void {
  for (const [file, text] of Object.entries(files)) {
    const uri = uriOf(undoKey, file);
    const known = monaco.editor.getModel(uri);
    if (!known) {
      const language = file.endsWith('.py') ? 'python' : 'plaintext';
      const model = monaco.editor.createModel(text, language, uri);
      model.onDidChangeContent(() => {
        // Of a program that is not open, nothing is typed.
        if (!syncing && useDocument.getState().undoKey === undoKey)
          editFile(fileOf(model), model.getValue());
      });
    } else if (known.getValue() !== text) {
      syncing = true;
      known.pushEditOperations([], [{ range: known.getFullModelRange(), text }], () => null);
      syncing = false;
    }
  }
}
