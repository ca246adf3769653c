/** Wheels that run here, and those that do not. */
import { expect, it } from 'vitest';
import { wheelOf } from './testing';
import { platformProblem, readWheel } from './wheel';

const PLATFORM = { abi: '2026_0', python: '314' };

it.each([
  'sympy-1.14.0-py3-none-any.whl',
  'six-1.17.0-py2.py3-none-any.whl',
  'numpy-2.4.6-cp314-cp314-pyemscripten_2026_0_wasm32.whl',
  'tqdm-4.70.1-1-py3-none-any.whl',
])('takes %s', (name) => {
  expect(platformProblem(name, PLATFORM)).toBeNull();
});

it.each([
  ['numpy-2.4.6-cp314-cp314-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl', 'built for Linux'],
  ['numpy-2.4.6-cp314-cp314-macosx_14_0_arm64.whl', 'built for macOS'],
  ['numpy-2.4.6-cp314-cp314-win_amd64.whl', 'built for Windows'],
  ['numpy-2.2.5-cp313-cp313-pyodide_2025_0_wasm32.whl', 'another version than this Python’s'],
  ['x-1.0-cp313-cp313-pyemscripten_2026_0_wasm32.whl', 'another Python (cp313)'],
  ['x-1.0-py2-none-any.whl', 'another Python (py2)'],
  ['x.whl', 'no name of a wheel'],
])('says of %s why not', (name, why) => {
  expect(platformProblem(name, PLATFORM)).toContain(why);
});

it('lists the modules at the top of a wheel', () => {
  const bytes = wheelOf('My_Pkg', '1.0', {
    'pkg/__init__.py': '',
    'pkg/inner/x.py': '',
    'single.py': '',
    'fast.cpython-314-wasm32-emscripten.so': '',
    'My_Pkg-1.0.data/purelib/more.py': '',
    'My_Pkg-1.0.data/scripts/run': '',
    'docs/readme.txt': '',
  });
  expect(readWheel('My_Pkg-1.0-py3-none-any.whl', bytes, PLATFORM)).toEqual({
    fileName: 'My_Pkg-1.0-py3-none-any.whl',
    name: 'my-pkg',
    version: '1.0',
    imports: ['pkg', 'single', 'fast', 'more'],
  });
});

it.each([
  [
    'a name that climbs',
    { '../../lib/hippocamp/torch/__init__.py': '' },
    'leads out of its folder',
  ],
  ['an absolute name', { '/lib/x.py': '' }, 'leads out of its folder'],
  ['torch', { 'torch/__init__.py': '' }, 'it brings torch'],
  ['a module of ours', { '_hippocamp_bridge.py': '' }, 'it brings _hippocamp_bridge'],
  ['torch by a detour', { './torch/__init__.py': '' }, 'leads out of its folder'],
  ['torch in its data', { 'x-1.data/purelib/torch/__init__.py': '' }, 'it brings torch'],
  ['a detour in its data', { 'x-1.data/purelib/./torch/a.py': '' }, 'leads out of its folder'],
  ['compiled code of ours', { '_hippocamp_bridge.pyc': '' }, 'it brings _hippocamp_bridge'],
  ['a name with a NUL', { '_hippocamp_bridge.py\0.txt': '' }, 'leads out of its folder'],
  ['the module of sweeps', { 'hippocamp_testing.py': '' }, 'it brings hippocamp_testing'],
  ['another package’s module', { 'numpy/__init__.py': '' }, 'it brings numpy'],
])('refuses a wheel with %s', (_, files, why) => {
  expect(() => readWheel('x-1-py3-none-any.whl', wheelOf('x', '1', files), PLATFORM)).toThrow(why);
});

it('takes the real package of a name that is shipped', () => {
  const bytes = wheelOf('numpy', '2', { 'numpy/__init__.py': '', 'numpy.libs/a.so': '' });
  expect(readWheel('numpy-2-py3-none-any.whl', bytes, PLATFORM).imports).toContain('numpy');
});

it('refuses what is no archive, and one without metadata', () => {
  const none = new TextEncoder().encode('<!doctype html>');
  expect(() => readWheel('x-1-py3-none-any.whl', none, PLATFORM)).toThrow('cannot be read');
  const empty = new Uint8Array([0x50, 0x4b, 5, 6, ...Array.from({ length: 18 }, () => 0)]);
  expect(() => readWheel('x-1-py3-none-any.whl', empty, PLATFORM)).toThrow('no METADATA');
});
