/** `--packages FOLDER`: wheels that a program of the headless runner imports. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { wheelOf } from '../packages/testing';
import { readWheels } from './packages';

const COMMAND = join(import.meta.dirname, 'hippocamp.mjs');
const TEXT = `# /// script
# dependencies = ["scales"]
# ///
import scales, tqdm
print("scale", scales.SCALE, tqdm.__version__)
`;
const program = { files: { 'a.py': TEXT }, entry: 'a.py' };

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'packages-'));
  const write = (name: string, content: Uint8Array | string) =>
    writeFileSync(join(folder, name), content);
  write('a.py', TEXT);
  write(
    'scales-1.0-py3-none-any.whl',
    wheelOf('scales', '1.0', { 'scales/__init__.py': 'SCALE = 3\n' }),
  );
  write(
    'tqdm-9-py3-none-any.whl',
    wheelOf('tqdm', '9', { 'tqdm/__init__.py': '__version__ = "9"\n' }),
  );
  write('scales-0.9-py3-none-any.whl', wheelOf('scales', '0.9', { 'scales/old.py': '' }));
  write('unused-1-py3-none-any.whl', wheelOf('unused', '1', { 'unused.py': '' }));
  write('slip-1-py3-none-any.whl', wheelOf('slip', '1', { '../a.py': 'import scales' }));
  write('c-1-cp314-cp314-manylinux_2_28_x86_64.whl', wheelOf('c', '1', { 'c.py': '' }));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('reads those that the program imports or declares, and says why not the others', () => {
  const said: string[] = [];
  const wheels = readWheels(folder, program, (text) => said.push(text));
  expect(wheels.map(({ fileName }) => fileName)).toEqual([
    'scales-1.0-py3-none-any.whl',
    'tqdm-9-py3-none-any.whl',
  ]);
  expect(said.join('\n')).toContain(
    'scales-0.9-py3-none-any.whl gives way to scales-1.0-py3-none-any.whl',
  );
  expect(said.join('\n')).toContain('built for Linux');
  expect(said.join('\n')).toContain('../a.py, leads out of its folder');
});

it('gives them to a walled program, before what is shipped', () => {
  const call = (...options: string[]) =>
    spawnSync(process.execPath, [COMMAND, 'run', 'a.py', '--adapter', 'interpreter', ...options], {
      cwd: folder,
      encoding: 'utf8',
    });
  expect(call('--packages', '.').stdout).toContain('scale 3 9');
  const without = call();
  expect(without.status).toBe(1);
  expect(without.stderr).toContain('hippocamp run --packages');
  expect(call('--packages', 'nowhere').status).toBe(2);
});
