/** Packages of a program, by its imports and declared dependencies, and Pyodide's own lock file. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { lockFrom } from './lock';
import { declaredDependencies, needsOf, wheelsOf } from './needs';

const path = createRequire(import.meta.url).resolve('pyodide/pyodide-lock.json');
const lock = lockFrom(JSON.parse(readFileSync(path, 'utf8')) as Parameters<typeof lockFrom>[0]);

const needs = (text: string, more: Record<string, string> = {}) => {
  const { packages, whole, unknown } = needsOf({ 'main.py': text, ...more }, 'main.py', lock);
  return {
    packages: packages.map(({ name }) => name),
    whole: whole.map(({ name }) => name),
    unknown,
  };
};

it('reads the platform of this build', () => {
  expect(lock.platform.python).toMatch(/^3\d\d$/);
  expect(lock.byImport.get('PIL')?.name).toBe('pillow');
});

it.each([
  ['import torch, triton, hippocamp_testing, math\n', { packages: [], whole: [], unknown: [] }],
  ['import sympy\n', { packages: ['sympy', 'mpmath'], whole: [], unknown: [] }],
  ['from PIL import Image\n', { packages: ['pillow'], whole: [], unknown: [] }],
  ['import numpy as np\n', { packages: [], whole: ['numpy'], unknown: [] }],
  // A package that is built against the real one brings it.
  ['import scipy, numpy\n', { packages: ['scipy', 'numpy'], whole: [], unknown: [] }],
  ['import vllm\n', { packages: [], whole: [], unknown: ['vllm'] }],
  [
    'try:\n    import pandas\nexcept ImportError: pass\n',
    { packages: ['pandas', 'numpy', 'python-dateutil', 'six', 'pytz'], whole: [], unknown: [] },
  ],
])('of %j', (text, expected) => {
  expect(needs(text)).toEqual(expected);
});

it('leaves out what is a file of the program', () => {
  expect(
    needs('import sympy, util', { 'sympy.py': '', 'util/__init__.py': 'import attr' }),
  ).toEqual({
    packages: ['attrs', 'six'],
    whole: [],
    unknown: [],
  });
});

describe('dependencies that a script declares', () => {
  it.each([
    [
      '# /// script\n# requires-python = ">=3.11"\n# dependencies = [\n#   "SciPy[all]>=1.1; python_version > \'3\'",\n#   # a comment\n#   \'typing_extensions\',\n# ]\n# ///\nimport x\n',
      ['scipy', 'typing-extensions'],
    ],
    ['# /// script\n# dependencies = ["a", "b @ https://x/b.whl"]\n# ///', ['a', 'b']],
    ['# /// script\n# dependencies = []\n# ///', []],
    ['# /// script\n# dependencies = ["a"]\nimport x\n', []],
    ['# dependencies = ["a"]\n', []],
    ['# /// other\n# dependencies = ["a"]\n# ///\n', []],
  ])('%j', (text, names) => {
    expect(declaredDependencies(text)).toEqual(names);
  });
  it('count in the file that runs', () => {
    const text = '# /// script\n# dependencies = ["sympy", "nothing-like-it"]\n# ///\n';
    expect(needs(text)).toEqual({
      packages: ['sympy', 'mpmath'],
      whole: [],
      unknown: ['nothing-like-it'],
    });
    expect(needs('', { 'other.py': text }).packages).toEqual([]);
  });
});

it('gives a run what it imports of the wheels at hand, and what that depends on', () => {
  const wheel = (name: string, imports: readonly string[]) => ({
    fileName: `${name}-1-py3-none-any.whl`,
    name,
    version: '1',
    imports,
  });
  const wheels = [wheel('sympy', ['sympy']), wheel('mpmath', ['mpmath']), wheel('mine', ['mine'])];
  const chosen = (text: string) =>
    wheelsOf({ 'a.py': text }, 'a.py', wheels, lock).map(({ name }) => name);
  expect(chosen('import sympy')).toEqual(['sympy', 'mpmath']);
  expect(chosen('import mine')).toEqual(['mine']);
  expect(chosen('import torch')).toEqual([]);
  const newer = { ...wheel('mine', ['mine']), version: '2' };
  expect(wheelsOf({ 'a.py': 'import mine' }, 'a.py', [...wheels, newer], lock)).toEqual([newer]);
});
