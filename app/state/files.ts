/** The files of the program: which one is shown, new ones, other names, gone ones. */
import { setFiles, shownFile, useDocument } from './document';
import { countProblem, isFileName } from './fileNames';

/** Why a file cannot have this name; null where it can. */
export function nameProblem(name: string, files: Readonly<Record<string, string>>): string | null {
  if (!/^[\p{L}\p{N}_-]+(?:\/[\p{L}\p{N}_-]+)*\.py$/u.test(name))
    return 'A name is letters, digits and _ with .py at the end.';
  if (!isFileName(name)) return 'This name is too long.';
  if (Object.hasOwn(files, name)) return `There is a file ${name} already.`;
  return null;
}

export function showFile(file: string): void {
  const { files } = useDocument.getState();
  if (Object.hasOwn(files, file)) useDocument.setState({ shown: file });
}

/** A name that no file has: `helpers.py`, `helpers2.py` … */
export function freshName(files: Readonly<Record<string, string>>): string {
  for (let i = 1; ; i++) {
    const name = i === 1 ? 'helpers.py' : `helpers${i}.py`;
    if (!Object.hasOwn(files, name)) return name;
  }
}

/** Text of a new file: the imports that kernels need. */
const TEMPLATE = 'import triton\nimport triton.language as tl\n';

export function addFile(name: string, text = TEMPLATE): void {
  const { files } = useDocument.getState();
  if (nameProblem(name, files) || countProblem(Object.keys(files).length + 1)) return;
  setFiles({ ...files, [name]: text });
  showFile(name);
}

/** Imports of it go on by the old name: Python will say so. */
export function renameFile(from: string, to: string): void {
  const state = useDocument.getState();
  if (nameProblem(to, state.files)) return;
  const shown = shownFile(state);
  const files = Object.fromEntries(
    Object.entries(state.files).map(([name, text]) => [name === from ? to : name, text]),
  );
  setFiles(files, state.entry === from ? to : state.entry);
  if (shown === from) showFile(to);
}

/** The last file, and the one that runs, stay. */
export function deleteFile(name: string): void {
  const { files, entry } = useDocument.getState();
  if (name === entry || !Object.hasOwn(files, name)) return;
  const rest = Object.fromEntries(Object.entries(files).filter(([each]) => each !== name));
  setFiles(rest);
}

/** Makes it the entry file, which Run starts. */
export function makeEntry(name: string): void {
  const { files } = useDocument.getState();
  if (Object.hasOwn(files, name)) setFiles(files, name);
}
