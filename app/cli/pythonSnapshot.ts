/**
 * Python's memory just after it has started, kept so that no page, worker or runner has to start it
 * again: a start costs seconds of CPU time, putting the memory back a tenth of that. It is made
 * once for a version of Pyodide, with nothing of ours in it, and kept gzipped beside other caches.
 * The file holds its difference from the memory that Pyodide's WebAssembly begins with
 * (`workers/startMemory.ts`), without what freed blocks held: 3.6 MB, where the memory as it is
 * makes 6.2.
 *
 * Guarantee: one version of Pyodide and of Node make the same bytes, so that builds can be
 * compared. The snapshot is made in a process of its own, where the clock stands still and random
 * bytes come from a fixed sequence: CPython seeds its hashes as it starts. `os.urandom` and what is
 * built on it query the browser, also in a Python whose memory was put back.
 *
 * A Python that started where WebAssembly has no JSPI never waits for a promise, wherever its
 * memory is put back. So an older Node lets the one that npm installed make the snapshot.
 */
import { execFileSync } from 'node:child_process';
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { PyodideInterface } from 'pyodide';
import { startFrom } from '../workers/startMemory.ts';

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

function placeOf(root: string, cache = join(root, 'node_modules', '.cache', 'hippocamp')): Place {
  const manifest = manifestOf(root);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return {
    pyodide: `${dirname(manifest)}/`,
    cache,
    file: join(cache, `python-${version}-4.gz`),
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
 * Script that makes the snapshot: its own arguments are Pyodide's module, its folder and the file
 * to write. Emscripten reads random bytes by `randomFillSync` in Node.
 */
const MAKE = `
import { writeFileSync } from 'node:fs';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';
import { gzipSync } from 'node:zlib';
let state = 1;
crypto.randomFillSync = (view) => {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  for (let i = 0; i < bytes.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return view;
};
syncBuiltinESMExports();
Date.now = () => Date.UTC(2026, 0, 1);
performance.now = () => 0;
// Emscripten takes the first argument for its own program, whose path Python keeps.
const [module, indexURL, file] = process.argv.splice(1);
const { loadPyodide } = await import(module);
const { default: create } = await import(new URL('pyodide.asm.mjs', module).href);
let initial;
const createPyodideModule = (settings) => {
  const instantiate = settings.instantiateWasm;
  settings.instantiateWasm = (imports, done) =>
    instantiate(imports, (instance, compiled) => {
      initial = new Uint8Array(instance.exports.memory.buffer).slice();
      done(instance, compiled);
    });
  return create(settings);
};
const pyodide = await loadPyodide({ indexURL, createPyodideModule, _makeSnapshot: true });
// dlmalloc: blocks lie side by side, each with its size after the block before's; of a free one, 32
// bytes at most are the allocator's. Its own count says whether all were found.
const heap = pyodide._module;
const count = heap._malloc(40);
heap._mallinfo(count);
const words = new Uint32Array(heap.HEAPU8.buffer);
const free = words[count / 4 + 8];
const end = heap._sbrk(0);
let found = 0;
for (let block = end - words[count / 4]; block < end; ) {
  const head = words[block / 4 + 1];
  const size = head & ~7;
  if (size < 8 || block + size > end) break;
  if (!(head & 2)) {
    found += size;
    if (size > 32) heap.HEAPU8.fill(0, block + 32, block + size);
  }
  block += size;
}
heap._free(count);
if (found !== free) throw new Error(\`\${found} bytes of Python's memory are free, not \${free}\`);
const snapshot = pyodide.makeMemorySnapshot();
const header = new Uint32Array(snapshot.buffer, 0, 2)[1];
for (let at = 0; at < initial.length; at++) snapshot[header + at] ^= initial[at];
writeFileSync(file, gzipSync(snapshot, { level: 9 }));
process.exit(0);
`;

/** Makes the snapshot, and keeps it where that can be done: a checkout may be read-only. */
function make(root: string, place: Place): Buffer {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const node = hasJspi() ? process.execPath : join(root, 'node_modules', 'node', 'bin', name);
  const module = pathToFileURL(join(place.pyodide, 'pyodide.mjs')).href;
  const folder = mkdtempSync(join(tmpdir(), 'hippocamp-python-'));
  try {
    const made = join(folder, 'snapshot.gz');
    const args = ['--input-type=module', '-e', MAKE, module, place.pyodide, made];
    execFileSync(node, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    const gzipped = readFileSync(made);
    try {
      mkdirSync(place.cache, { recursive: true });
      // Another process may do the same: write beside, then rename.
      const fresh = `${place.file}.${process.pid}`;
      writeFileSync(fresh, gzipped);
      renameSync(fresh, place.file);
    } catch {
      // It is made again the next time.
    }
    return gzipped;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The gzipped snapshot, for the page's build.
 * @param cache where it is kept; by default beside other caches of the checkout.
 */
export async function pythonSnapshot(root: string, cache?: string): Promise<Buffer> {
  const place = placeOf(root, cache);
  return kept(place) ?? make(root, place);
}

/** Makes the snapshot where none is kept, for processes that may not write. */
export async function keepSnapshot(root: string): Promise<void> {
  const place = placeOf(root);
  if (hasJspi() && !kept(place)) made(root, place);
}

const snapshotOptions = (place: Place, gzipped: Buffer): ReturnType<typeof startFrom> =>
  startFrom(
    import(/* @vite-ignore */ pathToFileURL(join(place.pyodide, 'pyodide.asm.mjs')).href),
    Promise.resolve(gunzipSync(gzipped)),
  );

/** A Python of its own for this process. */
export async function startPython(root: string): Promise<PyodideInterface> {
  const place = placeOf(root);
  const { loadPyodide } = await import('pyodide');
  const plain = (): Promise<PyodideInterface> => loadPyodide({ indexURL: place.pyodide });
  if (!hasJspi()) return await plain();
  const gzipped = kept(place) ?? made(root, place);
  if (!gzipped) return await plain();
  try {
    return await loadPyodide({ indexURL: place.pyodide, ...snapshotOptions(place, gzipped) });
  } catch {
    // Damaged, or of another build of the same version.
    try {
      rmSync(place.file, { force: true });
    } catch {
      // A program's process writes nothing.
    }
    return await plain();
  }
}

/** The snapshot for the starts to come; null where it cannot be kept, so none is made. */
function made(root: string, place: Place): Buffer | null {
  try {
    mkdirSync(place.cache, { recursive: true });
    accessSync(place.cache, constants.W_OK);
    return make(root, place);
  } catch {
    return null;
  }
}
