/**
 * One Monaco model for each file of the program. The document store is the truth: what is typed
 * goes there first, and text that changes elsewhere (Reset, another tab) comes back as an edit that
 * can be undone. The models of the programs that were open last stay, so that looking at another
 * program costs no undo history; older ones are disposed.
 */
import type { ProgramFiles } from '../events';
import { editFile, useDocument } from '../state/document';
import { monaco } from './monaco';
import { TILE_IR } from './tileIr';

function uriOf(identity: string, file: string): monaco.Uri {
  // Programs whose files have one name must not share an undo history.
  return monaco.Uri.from({
    scheme: 'file',
    authority: encodeURIComponent(identity),
    path: `/${file}`,
  });
}

/** The model of a file of the program that is open. */
export function modelOf(file: string): monaco.editor.ITextModel | null {
  return monaco.editor.getModel(uriOf(useDocument.getState().identity, file));
}
export function uriOfFile(file: string): monaco.Uri {
  return uriOf(useDocument.getState().identity, file);
}
/** The file that a model holds, as the document names it. */
export function fileOf(model: monaco.editor.ITextModel): string {
  return model.uri.path.slice(1);
}

let syncing = false;

/**
 * Models that stay beside those of the program that is open: each holds text, listeners and
 * history.
 */
const MOST_MODELS = 60;
/** Models by program, the one that was open last at the end. */
const models = new Map<string, Set<monaco.editor.ITextModel>>();

function touch(identity: string): Set<monaco.editor.ITextModel> {
  const own = models.get(identity) ?? new Set();
  models.delete(identity);
  models.set(identity, own);
  return own;
}
/**
 * Disposes of the models of the programs that were open longest ago. Called before `identity` gets
 * its own, when no model of another program is in the editor.
 */
export function forgetOldModels(identity: string): void {
  const others = [...models.entries()].filter(([key]) => key !== identity);
  let count = others.reduce((sum, [, own]) => sum + own.size, 0);
  for (const [key, own] of others) {
    if (count <= MOST_MODELS) return;
    count -= own.size;
    for (const model of own) model.dispose();
    models.delete(key);
  }
}

/** Gives every file its model, with its text. */
export function syncModels(identity: string, files: ProgramFiles): void {
  const own = touch(identity);
  for (const [file, text] of Object.entries(files)) {
    const uri = uriOf(identity, file);
    const known = monaco.editor.getModel(uri);
    if (!known) {
      const language = file.endsWith('.py')
        ? 'python'
        : file.endsWith('.ttir')
          ? TILE_IR
          : 'plaintext';
      const model = monaco.editor.createModel(text, language, uri);
      own.add(model);
      model.onDidChangeContent(() => {
        // A program that is not open has no typing to follow.
        if (!syncing && useDocument.getState().identity === identity)
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

/** The changed range alone, so that the cursor and breakpoints stay where they are. */
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
