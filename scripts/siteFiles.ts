/**
 * The files that the page fetches by name at run time, so that no bundler sees them: Pyodide's, the
 * gallery's programs, the names of the Python packages. Their paths in the build hold a digest of
 * their contents, as a bundler's do.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pythonApiText } from '../app/cli/pythonApi.ts';
import { pythonSnapshot } from '../app/cli/pythonSnapshot.ts';
import type { SiteFiles } from '../app/siteFiles.ts';
import type { FileSize } from '../app/workers/downloads.ts';

/** What Pyodide loads, and the type that the development server sends it as. */
export const PYODIDE_FILES = {
  'pyodide.asm.mjs': 'text/javascript',
  'pyodide.asm.wasm': 'application/wasm',
  'python_stdlib.zip': 'application/zip',
  'pyodide-lock.json': 'application/json',
} as const;
/** Python's memory after its start, gzipped; the page does without where there is none. */
export const SNAPSHOT = 'python-snapshot.bin';

export const pyodideFolder = (root: string): string => join(root, 'node_modules', 'pyodide');

/** A file of the build, under its path there. */
export interface SiteFile {
  readonly fileName: string;
  readonly source: Buffer;
}

type Named = readonly (readonly [name: string, source: Buffer])[];

function digestOf(files: Named): string {
  const hash = createHash('sha256');
  for (const [name, source] of files) hash.update(`${name}\0${source.length}\0`).update(source);
  return hash.digest('hex').slice(0, 12);
}

async function pyodideFiles(root: string): Promise<Named> {
  const folder = pyodideFolder(root);
  return [
    ...Object.keys(PYODIDE_FILES).map((name) => [name, readFileSync(join(folder, name))] as const),
    [SNAPSHOT, await pythonSnapshot(root)],
  ];
}

function publicFiles(root: string, name: 'examples' | 'real-triton'): Named {
  const folder = join(root, 'public', name);
  return readdirSync(folder)
    .sort()
    .map((name) => [name, readFileSync(join(folder, name))] as const);
}

/**
 * @param root of the repository.
 * @returns the paths, for the page, and the files at them, for the build.
 */
export async function siteFiles(
  root: string,
): Promise<{ readonly paths: SiteFiles; readonly files: readonly SiteFile[] }> {
  const pyodide = await pyodideFiles(root);
  const examples = publicFiles(root, 'examples');
  const realTriton = publicFiles(root, 'real-triton');
  const api = Buffer.from(await pythonApiText(root));
  const paths: SiteFiles = {
    pyodide: `assets/pyodide-${digestOf(pyodide)}/`,
    examples: `assets/examples-${digestOf(examples)}/`,
    realTriton: `assets/real-triton-${digestOf(realTriton)}/`,
    pythonApi: `assets/python-api-${digestOf([['', api]])}.json`,
  };
  const within = (folder: string, files: Named): SiteFile[] =>
    files.map(([name, source]) => ({ fileName: `${folder}${name}`, source }));
  return {
    paths,
    files: [
      ...within(paths.pyodide, pyodide),
      ...within(paths.examples, examples),
      ...within(paths.realTriton, realTriton),
      { fileName: paths.pythonApi, source: api },
    ],
  };
}

/**
 * Bytes of what Python's start fetches, by name, so that its progress has a total from the start.
 */
export async function pythonSizes(root: string): Promise<Record<string, FileSize>> {
  const folder = pyodideFolder(root);
  const sizes: Record<string, FileSize> = {};
  for (const name of Object.keys(PYODIDE_FILES)) {
    // Imported as a module, where nobody can count.
    if (name.endsWith('.mjs')) continue;
    const stored = statSync(join(folder, name)).size;
    sizes[name] = { stored, unpacked: stored };
  }
  const snapshot = await pythonSnapshot(root);
  // gzip ends with the unpacked size.
  const unpacked = snapshot.readUInt32LE(snapshot.length - 4);
  sizes[SNAPSHOT] = { stored: snapshot.length, unpacked };
  return sizes;
}
