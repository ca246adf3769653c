/** A Python from the snapshot is a Python like any other, and starts without starting. */
import { gunzipSync } from 'node:zlib';
import { loadPyodide } from 'pyodide';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pythonSnapshot } from './pythonSnapshot';

const ROOT = join(import.meta.dirname, '..', '..');

it('starts from the snapshot, with JavaScript modules and fresh names', async () => {
  const options = {
    indexURL: join(ROOT, 'node_modules', 'pyodide', '/'),
    _loadSnapshot: gunzipSync(await pythonSnapshot(ROOT)),
  };
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
});
