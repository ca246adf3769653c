/** The lists of modules that need no fetching, held against Python and `app/python`. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadPyodide } from 'pyodide';
import { isLibrary, SHIPPED } from './provided';

it('has every public module of Python’s library', async () => {
  const pyodide = await loadPyodide();
  const names = JSON.parse(
    pyodide.runPython('import json, sys; json.dumps(sorted(sys.stdlib_module_names))') as string,
  ) as string[];
  expect(names.length).toBeGreaterThan(200);
  expect(names.filter((name) => !isLibrary(name))).toEqual([]);
});

it('has every package of app/python', () => {
  const folder = join(import.meta.dirname, '..', 'python');
  const packages = readdirSync(folder, { withFileTypes: true })
    .filter((item) => item.isDirectory() || item.name.endsWith('.py'))
    .map(({ name }) => name.replace(/\.py$/, ''))
    .filter((name) => !/^(_|testing$|testdata$)/.test(name));
  expect(SHIPPED.toSorted()).toEqual(packages.toSorted());
});
