/** A Python from the snapshot is a Python like any other, and starts without starting. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { loadPyodide } from 'pyodide';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startFrom } from '../workers/startMemory';
import { pythonSnapshot } from './pythonSnapshot';

const ROOT = join(import.meta.dirname, '..', '..');

// A Node without JSPI starts without one.
it.skipIf(!('Suspending' in WebAssembly))(
  'starts from the snapshot, with JavaScript modules and fresh names',
  async () => {
    const indexURL = join(ROOT, 'node_modules', 'pyodide', '/');
    const difference = Promise.resolve(gunzipSync(await pythonSnapshot(ROOT)));
    const options = { indexURL, ...startFrom(import(`${indexURL}pyodide.asm.mjs`), difference) };
    const begin = process.cpuUsage();
    const pyodide = await loadPyodide(options);
    const { user } = process.cpuUsage(begin);
    pyodide.registerJsModule('_probe', { twice: (x: number) => 2 * x });
    expect(pyodide.runPython('import _probe, dataclasses, inspect\n_probe.twice(21)')).toBe(42);
    expect(pyodide.runPython("'torch' in globals() or 'triton' in __import__('sys').modules")).toBe(
      false,
    );
    // Microseconds. A start from the beginning takes seconds.
    expect(user).toBeLessThan(1_500_000);
  },
);

it('can wait for promises, whichever Node made it', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'snapshot-')), 'python');
  writeFileSync(file, gunzipSync(await pythonSnapshot(ROOT)));
  const pyodide = join(ROOT, 'node_modules', 'pyodide', '/');
  const script = `
    import { readFileSync } from 'node:fs';
    const { loadPyodide } = await import(${JSON.stringify(pathToFileURL(join(pyodide, 'pyodide.mjs')).href)});
    const { startFrom } = await import(${JSON.stringify(pathToFileURL(join(ROOT, 'app', 'workers', 'startMemory.ts')).href)});
    const glue = import(${JSON.stringify(pathToFileURL(join(pyodide, 'pyodide.asm.mjs')).href)});
    const difference = Promise.resolve(readFileSync(${JSON.stringify(file)}));
    const options = { indexURL: ${JSON.stringify(pyodide)}, ...startFrom(glue, difference) };
    const python = await loadPyodide(options);
    globalThis.later = Promise.resolve(42);
    const code = 'import js; from pyodide.ffi import run_sync; run_sync(js.later)';
    console.log(await python.runPythonAsync(code));
  `;
  const node = join(ROOT, 'node_modules', 'node', 'bin', 'node');
  expect(execFileSync(node, ['--input-type=module', '-e', script], { encoding: 'utf8' })).toBe(
    '42\n',
  );
}, 60_000);

it('holds little that its WebAssembly or nobody has', async () => {
  const gzipped = await pythonSnapshot(ROOT);
  // 6.2 MB with the constants of the WebAssembly and what freed blocks held.
  expect(gzipped.length).toBeLessThan(3_800_000);
});

it('is the same, byte for byte, whenever it is made', async () => {
  const caches = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'snapshot-')));
  const [first, second] = await Promise.all(caches.map((cache) => pythonSnapshot(ROOT, cache)));
  expect(first!.equals(second!)).toBe(true);
  for (const cache of caches) rmSync(cache, { recursive: true });
}, 60_000);
