/** The files of a program on disk: FILE.py or a notebook, and what its imports reach beside it. */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { ProgramFiles } from '../events';
import { importsOf } from '../open/imports';
import { withoutLogPrefix } from '../logLines';
import { LARGEST_WEIGHTS, weightsNamed } from '../programs/weights';
import { decodeSource, type Undecodable } from '../sourceText';
import type { RunData } from '../workers/protocol';

/** A module above this size is data; it is not carried along. */
const LARGEST_MODULE = 1_000_000;
const MOST_FILES = 3000;
/** Bytes of a program's own file. */
const LARGEST_PROGRAM = 64 * 2 ** 20;

export interface ReadProgram {
  readonly files: ProgramFiles;
  readonly entry: string;
  /** Files that Python cannot decode, by name: what it says of them. */
  readonly undecodable: ReadonlyMap<string, Undecodable>;
  /** Sentences: what of a notebook or of an address does not come along. */
  readonly notes: readonly string[];
  /** Weights that its text names, beside it. */
  readonly data?: readonly RunData[];
}

/** A notebook's cells as a program; `name` is the notebook's file. */
export type NotebookReader = (text: string, name: string) => Omit<ReadProgram, 'undecodable'>;

/**
 * Reads nothing outside of the program's folder but the file that was named.
 * @param notebook without one, a notebook is read as Python
 * @throws where FILE.py cannot be read, is none, or a folder does not say what to run.
 */
export function readFiles(path: string, notebook?: NotebookReader): ReadProgram {
  const named = statSync(path, { throwIfNoEntry: false });
  if (!named) throw new Error(`${path} does not exist`);
  const file = named.isDirectory() ? join(path, entryOf(path)) : path;
  const facts = statSync(file);
  // Nobody knows when a pipe or a device ends, and whoever waits for it hears no signal.
  if (!facts.isFile()) throw new Error(`${file} is no file: a pipe or a device cannot be run`);
  if (facts.size > LARGEST_PROGRAM)
    throw new Error(`${file} has ${facts.size} bytes; a program has at most ${LARGEST_PROGRAM}`);
  const into: Collected = { files: {}, undecodable: new Map() };
  const folder = rootOf(file);
  let entry = relative(folder, file).split(sep).join('/');
  let notes: readonly string[] = [];
  if (notebook && /\.ipynb$/i.test(entry)) {
    const made = notebook(readFileSync(file, 'utf8'), entry);
    Object.assign(into.files, made.files);
    ({ entry, notes } = made);
  } else into.files[entry] = readSource(file, entry, into);
  if (entry.includes('/')) {
    const top = entry.split('/')[0]!;
    collect(join(folder, top), `${top}/`, into);
  }
  collect(folder, '', into);
  collectNamespaces(folder, into);
  collectData(folder, into.files[entry] ?? '', into);
  return { ...into, entry, notes, data: readWeights(folder, into.files[entry] ?? '') };
}

/** Files of tensors beside the program that its text names. @throws where one cannot be read. */
function readWeights(folder: string, text: string): RunData[] {
  return weightsNamed(text).flatMap((name) => {
    const path = join(folder, name);
    const facts = statSync(path, { throwIfNoEntry: false });
    if (!facts?.isFile() || !isInside(path, folder)) return [];
    if (facts.size > LARGEST_WEIGHTS)
      throw new Error(`${name} has ${facts.size} bytes; at most ${LARGEST_WEIGHTS} are read`);
    return [{ name, bytes: new Uint8Array(readFileSync(path)) }];
  });
}

/**
 * The folder that a program is read from. A file with relative imports that it does not try runs as
 * a module of its package, so that is the folder around the package: as far up as its dots lead,
 * and as folders have an `__init__.py`.
 */
function rootOf(file: string): string {
  let folder = dirname(resolve(file));
  const levels = file.endsWith('.py')
    ? importsOf(readFileSync(file, 'utf8')).map(({ level, isTried }) => (isTried ? 0 : level))
    : [];
  let needed = Math.max(0, ...levels);
  if (needed === 0) return dirname(file);
  while (needed > 0 || statSync(join(folder, '__init__.py'), { throwIfNoEntry: false })) {
    const above = dirname(folder);
    // Its folder has no name that a module may have: the file runs where it lies.
    if (above === folder || !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(basename(folder))) break;
    folder = above;
    needed--;
  }
  return folder;
}

interface Collected {
  readonly files: Record<string, string>;
  readonly undecodable: Map<string, Undecodable>;
}

/** A file's text. What Python cannot decode becomes the statement that raises what Python would. */
function readSource(path: string, name: string, { undecodable }: Collected): string {
  const read = decodeSource(readFileSync(path), name);
  if ('text' in read) return withoutLogPrefix(read.text);
  undecodable.set(name, read);
  const { message, line } = read;
  const place = `(${JSON.stringify(`/program/${name}`)}, ${line}, 0, None)`;
  return `raise SyntaxError(${JSON.stringify(message)}, ${place})\n`;
}

/**
 * Folders beside the program without an `__init__.py` are packages too, where the program imports
 * them.
 */
function collectNamespaces(folder: string, into: Collected): void {
  const { files } = into;
  const known = new Set(Object.keys(files).map((name) => name.split('/')[0]));
  const texts = Object.values(files);
  // Grows: what a package imports may be one more.
  for (const text of texts) {
    for (const module of importedModules(text)) {
      const name = module.split(/\W/)[0];
      if (!name || known.has(name)) continue;
      known.add(name);
      const path = join(folder, name);
      if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) continue;
      const before = Object.keys(files).length;
      collect(path, `${name}/`, into);
      texts.push(...Object.values(files).slice(before));
    }
  }
}

/** JSON beside the program that its text names, which it opens beside itself. */
function collectData(folder: string, text: string, into: Collected): void {
  for (const [, name] of text.matchAll(/["']([\w.-]+\.json)["']/g)) {
    const path = join(folder, name!);
    const facts = statSync(path, { throwIfNoEntry: false });
    if (!facts?.isFile() || facts.size > LARGEST_MODULE || !isInside(path, folder)) continue;
    into.files[name!] = readFileSync(path, 'utf8');
  }
}

/** Modules that the import statements of a text name: `a.b`, `.c`. */
function importedModules(text: string): string[] {
  const found = text.matchAll(/^\s*(?:from\s+([\w.]+)\s+import|import\s+(.+))/gm);
  return [...found].flatMap(([, from, plain]) =>
    (from ?? plain ?? '').split(',').map((each) => each.trim().split(/\s/)[0] ?? ''),
  );
}

/** The file that a folder runs: as Python does, `__main__.py`; else `main.py`, or its only file. */
function entryOf(folder: string): string {
  const names = readdirSync(folder).filter(
    (name) => name.endsWith('.py') && statSync(join(folder, name)).isFile(),
  );
  const found = ['__main__.py', 'main.py'].find((name) => names.includes(name));
  if (found) return found;
  if (names.length === 1) return names[0]!;
  throw new Error(
    names.length === 0
      ? `${folder} has no Python file`
      : `${folder} has ${names.length} Python files and no main.py: name the one to run`,
  );
}

/** The entry and what its import statements reach: what a text alone is judged by. */
export function reachable({ files, entry }: { files: ProgramFiles; entry: string }): ProgramFiles {
  const found: Record<string, string> = {};
  const visit = (name: string): void => {
    const text = files[name];
    if (text === undefined || name in found) return;
    found[name] = text;
    for (const module of importedModules(text)) {
      const path = module.replaceAll('.', '/').replace(/^\/+/, '');
      visit(`${path}.py`);
      visit(`${path}/__init__.py`);
    }
  };
  visit(entry);
  return found;
}

/**
 * Modules beside the program, and the packages (folders with an `__init__.py`) there. Inside of a
 * package a folder needs none: Python imports it as a namespace.
 */
function collect(
  folder: string,
  prefix: string,
  into: Collected,
  root: string = prefix === '' ? folder : dirname(folder),
): void {
  const { files } = into;
  for (const item of readdirSync(folder, { withFileTypes: true })) {
    if (Object.keys(files).length >= MOST_FILES) return;
    const path = join(folder, item.name);
    const name = prefix + item.name;
    try {
      if (item.isDirectory()) {
        if (item.name.startsWith('.') || item.name === 'node_modules') continue;
        const marked = statSync(join(path, '__init__.py'), { throwIfNoEntry: false });
        if (!marked && prefix === '') continue;
        collect(path, `${name}/`, into, root);
      } else if (item.name.endsWith('.py') && !(name in files)) {
        const facts = statSync(path);
        // A pipe of such a name would be waited for.
        if (!facts.isFile() || facts.size > LARGEST_MODULE) continue;
        if (item.isSymbolicLink() && !isInside(path, root)) continue;
        files[name] = readSource(path, name, into);
      }
    } catch {
      // A module that cannot be read is one that cannot be imported: Python says so if it matters.
    }
  }
}

/** Whether a file lies in a folder, whatever links lead to either. */
function isInside(path: string, folder: string): boolean {
  return realpathSync(path).startsWith(realpathSync(folder) + sep);
}

/** The Python packages of `app/python`, by path relative to it. */
export function readPackages(root: string): Record<string, string> {
  const files: Record<string, string> = {};
  const walk = (folder: string, prefix: string): void => {
    for (const item of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, item.name);
      if (item.isDirectory()) {
        if (item.name !== '__pycache__') walk(path, `${prefix}${item.name}/`);
      } else if (item.name.endsWith('.py')) {
        files[prefix + item.name] = readFileSync(path, 'utf8');
      }
    }
  };
  walk(join(root, 'app', 'python'), '');
  return files;
}
