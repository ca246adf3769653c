/**
 * Puts the Python packages into a Pyodide: the files on its file system, `_hippocamp` and
 * `_hippocamp_numerics` as modules. The same for the page, the headless runner and the tests.
 */
import type { PyodideInterface } from 'pyodide';
import { createNumerics, type Numerics } from '../numerics';
import { createRing } from '../numerics/ring';
import type { Bridge } from '../workers/bridge';

const LIBRARY_ROOT = '/lib/hippocamp';

/**
 * @param bridge an object with the methods of `Bridge`; each may answer with its value or a
 * promise, which
 *   reaches Python as one that is always kept: a rejection becomes `{ rejected: error }`.
 * @param files text by path, relative to this folder: 'torch/__init__.py' …
 */
export function installPackages(
  pyodide: PyodideInterface,
  bridge: object,
  files: Readonly<Record<string, string>>,
  /** Called for every operation on numbers, with the times of `performance.now()`. */
  onNumeric: (request: string, start: number, end: number) => void = () => {},
  /** An object of its own for each run in the ring; null for other runs. */
  inRing: () => object | null = () => null,
): void {
  writeModules(pyodide, files);
  pyodide.registerJsModule('_hippocamp', withoutRejections(bridge));
  const storages = bridge as Pick<Bridge, 'storage_bytes'>;
  const numerics = createNumerics();
  let [ringRun, ring]: [object | null, Numerics] = [null, numerics];
  const current = (): Numerics => {
    const run = inRing();
    if (run !== ringRun) [ringRun, ring] = [run, run ? createRing(numerics) : numerics];
    return ring;
  };
  pyodide.registerJsModule('_hippocamp_numerics', {
    // A tensor of the CPU comes as its storage: 4 · id + how it is used. A view of it, handed to
    // Python, costs more than an operation on a thousand elements.
    run: (request: string, ...operands: (Uint8Array | number)[]) => {
      const start = performance.now();
      const bytes = operands.map((each) =>
        typeof each === 'number'
          ? storedBytes(storages, Math.floor(each / 4), (each % 4) as 0 | 1 | 2)
          : each,
      );
      const answer = current().run(request, ...bytes);
      onNumeric(request, start, performance.now());
      return answer;
    },
  });
  pyodide.runPython(`import sys
if ${JSON.stringify(LIBRARY_ROOT)} not in sys.path:
    sys.path.insert(0, ${JSON.stringify(LIBRARY_ROOT)})`);
}

/** @param files text by path, as in `installPackages`; what is there is written again. */
export function writeModules(
  pyodide: PyodideInterface,
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
    const name = PACKAGE.exec(path)?.[1];
    const version = name && VERSION.exec(text)?.[1];
    if (name && version) describePackage(pyodide, name, version);
  }
}

/** Folder of the data that came with a run; `_hippocamp_host` moves them to the program. */
const DATA = '/lib/hippocamp-data';

/** @returns their names, for `RunOptions`. */
export function writeData(
  pyodide: PyodideInterface,
  data: readonly { readonly name: string; readonly bytes: Uint8Array }[],
): readonly string[] {
  pyodide.FS.mkdirTree(DATA);
  for (const [i, { bytes }] of data.entries()) pyodide.FS.writeFile(`${DATA}/${i}`, bytes);
  return data.map(({ name }) => name);
}

/** Folder of the wheels that came with a run. */
const WHEELS = '/lib/hippocamp-wheels';

/** Puts wheels where `_hippocamp_packages` finds them. @returns their names, for `RunOptions`. */
export function writeWheels(
  pyodide: PyodideInterface,
  wheels: readonly { readonly fileName: string; readonly bytes: Uint8Array }[],
): readonly string[] {
  if (wheels.length > 0) pyodide.FS.mkdirTree(WHEELS);
  const names = wheelNames(wheels);
  for (const [i, { bytes }] of wheels.entries())
    pyodide.FS.writeFile(`${WHEELS}/${names[i]}`, bytes);
  return names;
}
/** The names that `writeWheels` gives them. */
export const wheelNames = (wheels: readonly { readonly fileName: string }[]): readonly string[] =>
  wheels.map(({ fileName }) => fileName.replaceAll(/[^\w.+-]/g, '_'));

const VERSION = /^__version__ = "(.+)"$/m;
const PACKAGE = /^(\w+)(?:\.py|\/__init__\.py)$/;

/** Metadata that `importlib.metadata.version("torch")` reads. */
function describePackage(pyodide: PyodideInterface, name: string, version: string): void {
  const folder = `${LIBRARY_ROOT}/${name}-${version}.dist-info`;
  pyodide.FS.mkdirTree(folder);
  pyodide.FS.writeFile(`${folder}/METADATA`, `Name: ${name}\nVersion: ${version}\n`);
}

/** A storage's bytes. @throws what the session throws; a blocking bridge answers with it. */
function storedBytes(
  storages: Pick<Bridge, 'storage_bytes'>,
  id: number,
  use: 0 | 1 | 2,
): Uint8Array {
  const answer = storages.storage_bytes(id, use) as Uint8Array | { readonly rejected: unknown };
  if ('rejected' in answer) throw answer.rejected;
  return answer;
}

/** Pyodide prints a rejected promise that `run_sync` waits for, besides raising it. */
function withoutRejections(bridge: object): object {
  const entries = Object.entries(bridge as Record<string, (...args: unknown[]) => unknown>);
  return Object.fromEntries(
    entries.map(([name, method]) => [
      name,
      (...args: unknown[]) => {
        const answer = method(...args);
        return answer instanceof Promise
          ? answer.catch((rejected: unknown) => ({ rejected }))
          : answer;
      },
    ]),
  );
}
