/** Wheels as Python unpacks them, whatever the page made of their archives. */
import { zipSync } from 'fflate';
import { beforeAll, expect, it } from 'vitest';
import { wheelOf } from '../packages/testing';
import { writeWheels } from './install';
import { startPython, type TestPython } from './testing/python';

let python: TestPython;
beforeAll(async () => {
  python = await startPython();
}, 120_000);

function installed(name: string, bytes: Uint8Array, then = '') {
  const [file] = writeWheels(python.pyodide, [{ fileName: `${name}-1-py3-none-any.whl`, bytes }]);
  return python.run(`
import _hippocamp_packages
try:
    _hippocamp_packages.install([${JSON.stringify(file)}])
except ImportError as error:
    print(error)
${then}`);
}

it.each([
  ['torch', { 'torch/__init__.py': '' }, 'it brings torch'],
  ['torch by a detour', { './torch/__init__.py': '' }, 'it brings torch'],
  ['torch in its data', { 'x-1.data/purelib/./torch/a.py': '' }, 'it brings torch'],
  ['a module of ours', { '_hippocamp_bridge.pyc': '' }, 'it brings _hippocamp_bridge'],
  ['one of ours before a NUL', { '_hippocamp_bridge.py\0.txt': '' }, 'it brings _hippocamp_bridge'],
  ['the module of sweeps', { 'hippocamp_testing.py': '' }, 'it brings hippocamp_testing'],
  ['Pyodide’s door', { 'js.py': '' }, 'it brings js'],
  ['another package’s module', { 'numpy/__init__.py': '' }, 'it brings numpy'],
  ['a name that climbs', { '../../x.py': '' }, 'leads out of its folder'],
])('refuses a wheel with %s, of which nothing is written', (_, files, why) => {
  const all = { 'first.py': 'print("written")\n', ...files };
  const found = installed('x', wheelOf('x', '1', all), 'import torch, os\nprint(torch.__file__)');
  expect(found.output).toContain(why);
  expect(found.output).toContain('/lib/hippocamp/torch/__init__.py');
  expect(python.run('import first').outcome).toBe('error');
});

it('refuses one that unpacks without end', () => {
  const zeros = zipSync({ 'x.py': new Uint8Array(1000) });
  // The size in the archive's list: the wheel says four gigabytes.
  const view = new DataView(zeros.buffer, zeros.byteOffset, zeros.byteLength);
  const list = view.getUint32(zeros.byteLength - 6, true);
  view.setUint32(list + 24, 0xf0000000, true);
  expect(installed('x', zeros).output).toContain('unpacks to more than is taken');
});

it('leaves Python its library', () => {
  const bytes = wheelOf('y', '1', { 'json.py': 'dumps = None\n', 'own.py': 'import json\n' });
  const { output } = installed('y', bytes, 'import own\nprint(own.json.dumps([1]))');
  expect(output).toBe('[1]\n');
});

it('takes the real package of a name that is shipped', () => {
  const bytes = wheelOf('tqdm', '1', { 'tqdm/__init__.py': 'SIZE = 7\n' });
  expect(installed('tqdm', bytes, 'import tqdm\nprint(tqdm.SIZE)').output).toBe('7\n');
});
