/**
 * Python's memory just after it has started, kept so that no page, worker or runner has to start it
 * again: a start costs seconds of CPU time, putting the memory back a tenth of that. It is made
 * once for a version of Pyodide, with nothing of ours in it, and kept gzipped beside other caches.
 *
 * A Python that started where WebAssembly has no JSPI never waits for a promise, wherever its
 * memory is put back. So an older Node keeps none of its own, and lets the one that npm installed
 * make the page's.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { PyodideInterface } from 'pyodide';

/** Pyodide's options for snapshots are not part of its documented ones. */
type Load = (options: {
  readonly indexURL: string;
  readonly _makeSnapshot?: boolean;
  readonly _loadSnapshot?: Uint8Array;
}) => Promise<PyodideInterface & { makeMemorySnapshot(): Uint8Array }>;

interface Place {
  /** Pyodide's folder, with a slash at the end. */
  readonly pyodide: string;
  readonly cache: string;
  readonly file: string;
}

const manifestOf = (root: string): string =>
  createRequire(join(root, 'package.json')).resolve('pyodide/package.json');

/** Whether Pyodide is installed: of the npm package it is an optional dependency. */
export function hasPython(root: string): boolean {
  try {
    return manifestOf(root) !== '';
  } catch {
    return false;
  }
}

function placeOf(root: string): Place {
  const manifest = manifestOf(root);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const cache = join(root, 'node_modules', '.cache', 'hippocamp');
  return {
    pyodide: `${dirname(manifest)}/`,
    cache,
    file: join(cache, `python-${version}-jspi.gz`),
  };
}

function kept(place: Place): Buffer | null {
  try {
    return readFileSync(place.file);
  } catch {
    return null;
  }
}

const hasJspi = (): boolean => 'Suspending' in WebAssembly;

/**
 * Script for the newer Node: its own arguments are Pyodide's module, its folder and the file to
 * write.
 */
const MAKE = `
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
const [module, indexURL, file] = process.argv.slice(1);
const { loadPyodide } = await import(module);
const pyodide = await loadPyodide({ indexURL, _makeSnapshot: true });
writeFileSync(file, gzipSync(pyodide.makeMemorySnapshot()));
process.exit(0);
`;

/** The snapshot, made by the Node that npm installed. */
function madeElsewhere(root: string, place: Place): Buffer {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const node = join(root, 'node_modules', 'node', 'bin', name);
  const module = pathToFileURL(join(place.pyodide, 'pyodide.mjs')).href;
  const fresh = `${place.file}.${process.pid}`;
  mkdirSync(place.cache, { recursive: true });
  const args = ['--input-type=module', '-e', MAKE, module, place.pyodide, fresh];
  execFileSync(node, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  renameSync(fresh, place.file);
  return readFileSync(place.file);
}

/** Starts Python and keeps its memory. What cannot be kept is made again the next time. */
async function make(place: Place): Promise<{ pyodide: PyodideInterface; gzipped: Buffer }> {
  const { loadPyodide } = (await import('pyodide')) as unknown as { loadPyodide: Load };
  const pyodide = await loadPyodide({ indexURL: place.pyodide, _makeSnapshot: true });
  const gzipped = gzipSync(pyodide.makeMemorySnapshot());
  try {
    mkdirSync(place.cache, { recursive: true });
    // Another process may do the same: write beside, then rename.
    const fresh = `${place.file}.${process.pid}`;
    writeFileSync(fresh, gzipped);
    renameSync(fresh, place.file);
  } catch {
    // A read-only checkout.
  }
  return { pyodide, gzipped };
}

/** The gzipped snapshot, for the page's build. */
export async function pythonSnapshot(root: string): Promise<Buffer> {
  const place = placeOf(root);
  return kept(place) ?? (hasJspi() ? (await make(place)).gzipped : madeElsewhere(root, place));
}

/** A Python of its own for this process. */
export async function startPython(root: string): Promise<PyodideInterface> {
  const place = placeOf(root);
  const { loadPyodide } = (await import('pyodide')) as unknown as { loadPyodide: Load };
  if (!hasJspi()) return await loadPyodide({ indexURL: place.pyodide });
  const gzipped = kept(place);
  if (!gzipped) return (await make(place)).pyodide;
  try {
    return await loadPyodide({ indexURL: place.pyodide, _loadSnapshot: gunzipSync(gzipped) });
  } catch {
    // Damaged, or of another build of the same version.
    return (await make(place)).pyodide;
  }
}
