/**
 * Puts the Python packages into a Pyodide: the files on its file system, `_hippocamp` and
 * `_hippocamp_numerics` as modules. The same for the page, the headless runner and the tests.
 */
import type { PyodideInterface } from 'pyodide';
import { createNumerics } from '../numerics';

export const LIBRARY_ROOT = '/lib/hippocamp';

/**
 * @param bridge an object with the methods of `Bridge`; each may answer with its value or a promise.
 * @param files text by path, relative to this folder: 'torch/__init__.py' …
 */
export function installPackages(
  pyodide: PyodideInterface,
  bridge: object,
  files: Readonly<Record<string, string>>,
): void {
  const folders = new Set<string>();
  for (const [path, text] of Object.entries(files)) {
    const full = `${LIBRARY_ROOT}/${path}`;
    const folder = full.slice(0, full.lastIndexOf('/'));
    if (!folders.has(folder)) {
      folders.add(folder);
      pyodide.FS.mkdirTree(folder);
    }
    pyodide.FS.writeFile(full, text);
  }
  pyodide.registerJsModule('_hippocamp', bridge);
  pyodide.registerJsModule('_hippocamp_numerics', createNumerics());
  pyodide.runPython(`import sys
if ${JSON.stringify(LIBRARY_ROOT)} not in sys.path:
    sys.path.insert(0, ${JSON.stringify(LIBRARY_ROOT)})`);
}
