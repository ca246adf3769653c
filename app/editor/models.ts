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
      // A step of its own: to undo it must not undo what was typed before it.
      known.pushStackElement();
      known.pushEditOperations([], [changeTo(known, text)], () => null);
      known.pushStackElement();
      syncing = false;
    }
  }
}

/** What differs alone, so that the cursor and breakpoints stay where they are. */
function changeTo(
  model: monaco.editor.ITextModel,
  text: string,
): monaco.editor.IIdentifiedSingleEditOperation {
  const old = model.getValue();
  const most = Math.min(old.length, text.length);
  let [before, after] = [0, 0];
  while (before < most && old[before] === text[before]) before++;
  while (after < most - before && old.at(-1 - after) === text.at(-1 - after)) after++;
  // Never between the halves of a character.
  if (before > 0 && /[\uD800-\uDBFF]/.test(old[before - 1]!)) before--;
  if (after > 0 && /[\uDC00-\uDFFF]/.test(old[old.length - after]!)) after--;
  const [from, to] = [model.getPositionAt(before), model.getPositionAt(old.length - after)];
  return {
    range: monaco.Range.fromPositions(from, to),
    text: text.slice(before, text.length - after),
  };
}
