/** Which files belong to a program, and which of them runs. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openProgram, readProgram } from './programs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'program-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const write = (name: string, text = ''): void => writeFileSync(join(folder, name), text);

it('a file comes with the modules and packages beside it', () => {
  write('add.py', 'import helpers');
  write('helpers.py');
  mkdirSync(join(folder, 'kernels'));
  write('kernels/__init__.py');
  write('kernels/matmul.py');
  write('notes.txt');
  const { files, entry } = readProgram(join(folder, 'add.py'));
  expect(entry).toBe('add.py');
  expect(Object.keys(files).sort()).toEqual([
    'add.py',
    'helpers.py',
    'kernels/__init__.py',
    'kernels/matmul.py',
  ]);
});

it('a folder runs __main__.py, main.py, or its only file', () => {
  expect(() => readProgram(folder)).toThrow('has no Python file');
  write('add.py');
  expect(readProgram(folder).entry).toBe('add.py');
  write('helpers.py');
  expect(() => readProgram(folder)).toThrow('name the one to run');
  write('main.py');
  expect(readProgram(folder).entry).toBe('main.py');
  write('__main__.py');
  expect(readProgram(folder)).toMatchObject({ entry: '__main__.py' });
  expect(() => readProgram(join(folder, 'gone.py'))).toThrow('gone.py does not exist');
});

it('a folder without __init__.py comes along where it is imported, and what that imports', () => {
  const says = '"""What you\nimport, or\nimport here,\nif you will."""\n';
  write('add.py', `${says}import os, tk.matmul as m\nif m:\n    from tk import softmax\n`);
  for (const name of ['tk', 'shared', 'data', 'tk/deep']) mkdirSync(join(folder, name));
  write('tk/matmul.py', 'from shared.util import x\n');
  write('tk/softmax.py');
  write('tk/deep/more.py');
  write('shared/util.py', 'x = 1');
  write('data/large.py');
  expect(Object.keys(readProgram(join(folder, 'add.py')).files).sort()).toEqual([
    'add.py',
    'shared/util.py',
    'tk/deep/more.py',
    'tk/matmul.py',
    'tk/softmax.py',
  ]);
});

it('a file with relative imports comes with its package, as far up as dots and packages lead', () => {
  for (const name of ['tk', 'tk/ops', 'tk/ops/deep', 'other']) mkdirSync(join(folder, name));
  write('tk/__init__.py');
  write('tk/ops/k.py', '"""Kernels."""\nfrom .deep.util import x\nimport settings, other.y\n');
  write('tk/ops/deep/util.py', 'from ..near import x');
  write('tk/ops/near.py', 'x = 1');
  write('settings.py');
  write('other/y.py');
  const made = readProgram(join(folder, 'tk/ops/k.py'));
  expect(made.entry).toBe('tk/ops/k.py');
  expect(Object.keys(made.files).sort()).toEqual([
    'other/y.py',
    'settings.py',
    'tk/__init__.py',
    'tk/ops/deep/util.py',
    'tk/ops/k.py',
    'tk/ops/near.py',
  ]);
  // It runs beside its files as well: it tries the import, and does without it.
  write(
    'tk/ops/alone.py',
    'try:\n    from .near import x\nexcept ImportError:\n    from near import x\nimport near\n',
  );
  expect(readProgram(join(folder, 'tk/ops/alone.py'))).toMatchObject({ entry: 'alone.py' });
  // No module can have its folder's name: it runs beside its files.
  mkdirSync(join(folder, 'no-package'));
  write('no-package/k.py', 'from .util import x');
  write('no-package/util.py');
  expect(readProgram(join(folder, 'no-package/k.py'))).toMatchObject({ entry: 'k.py' });
});

it('waits for no pipe, and decodes as Python does', () => {
  write('add.py', '\uFEFFimport old\n');
  expect(spawnSync('mkfifo', [join(folder, 'pipe.py')]).status).toBe(0);
  mkdirSync(join(folder, 'main.py'));
  const bytes = (text: string) => Uint8Array.from(text, (one) => one.charCodeAt(0));
  writeFileSync(join(folder, 'old.py'), bytes('# coding: latin-1\nNAME = "\xe9"\n'));
  writeFileSync(join(folder, 'bad.py'), bytes('x = 1\ny = "\xe9"\n'));
  const { files } = readProgram(join(folder, 'add.py'));
  expect(Object.keys(files).sort()).toEqual(['add.py', 'bad.py', 'old.py']);
  expect(files['add.py']).toBe('import old\n');
  expect(files['old.py']).toContain('NAME = "é"');
  // Importing it says what Python says of it, at its line.
  expect(files['bad.py']).toMatch(
    /^raise SyntaxError\("Non-UTF-8 code starting with .*", \("\/program\/bad.py", 2, 0, None\)\)\n$/,
  );
  expect(() => readProgram(folder)).toThrow('name the one to run');
});

it('takes the log prefix from a module that was copied out of a log', () => {
  const prefix = 'V0603 05:58:59.1 14 torch/_inductor/graph.py:2104] [0/0] [__output_code] ';
  write('a.py', `${prefix}Output code: \n${prefix}import torch\n${prefix}x = 1\n`);
  expect(readProgram(join(folder, 'a.py')).files).toEqual({ 'a.py': 'import torch\nx = 1\n' });
});

it('a pipe, a device and a file without measure are refused at once', () => {
  spawnSync('mkfifo', [join(folder, 'pipe.py')]);
  expect(() => readProgram(join(folder, 'pipe.py'))).toThrow('cannot be run');
  expect(() => readProgram('/dev/zero')).toThrow('cannot be run');
  // Sparse: it takes no room on the disk.
  write('endless.py');
  truncateSync(join(folder, 'endless.py'), 2 ** 33);
  expect(() => readProgram(join(folder, 'endless.py'))).toThrow('at most');
});

it('a link that leads out of the folder does not come along', () => {
  const outside = mkdtempSync(join(tmpdir(), 'outside-'));
  writeFileSync(join(outside, 'secret.py'), 'TOKEN = 1');
  write('main.py', 'import secret, near');
  write('helpers.py', 'x = 1');
  symlinkSync(join(outside, 'secret.py'), join(folder, 'secret.py'));
  symlinkSync(join(folder, 'helpers.py'), join(folder, 'near.py'));
  mkdirSync(join(folder, 'kernels'));
  write('kernels/__init__.py');
  symlinkSync(join(outside, 'secret.py'), join(folder, 'kernels', 'secret.py'));
  symlinkSync(join(folder, 'helpers.py'), join(folder, 'kernels', 'near.py'));
  const { files } = readProgram(join(folder, 'main.py'));
  expect(Object.keys(files).sort()).toEqual([
    'helpers.py',
    'kernels/__init__.py',
    'kernels/near.py',
    'main.py',
    'near.py',
  ]);
  rmSync(outside, { recursive: true });
});

it('JSON that the program names comes along, from its own folder only', () => {
  mkdirSync(join(folder, 'p'));
  write(
    'p/a.py',
    'open("context.json"); open("link.json"); open("gone.json"); open("../out.json")',
  );
  write('p/context.json', '{}');
  write('p/other.json', '{}');
  write('out.json', '{}');
  symlinkSync(join(folder, 'out.json'), join(folder, 'p', 'link.json'));
  expect(Object.keys(readProgram(join(folder, 'p', 'a.py')).files)).toEqual([
    'a.py',
    'context.json',
  ]);
});

it('a notebook runs its cells, with the modules beside it, and says what does not run', () => {
  const cells = [{ cell_type: 'code', source: ['!pip install x\n', 'import helpers'] }];
  write('n.ipynb', JSON.stringify({ metadata: {}, cells }));
  write('helpers.py', 'X = 1');
  const { files, entry, notes } = readProgram(join(folder, 'n.ipynb'));
  expect(entry).toBe('n.py');
  expect(files['n.py']).toContain('\nimport helpers\n');
  expect(files['helpers.py']).toBe('X = 1');
  expect(notes).toEqual(['Not installed: !pip install x.']);
  write('bad.ipynb', '{');
  expect(() => readProgram(join(folder, 'bad.ipynb'))).toThrow('is no notebook');
});

it('an address is fetched from its own host, and a failure is a sentence', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/k/a.py') response.end('from b import X\nprint(X)\n');
    else if (request.url === '/k/b.py') response.end('X = 2\n');
    else if (request.url === '/moved.py')
      response.writeHead(302, { location: 'https://example.org/' }).end();
    else response.writeHead(404).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const said: string[] = [];
  const program = await openProgram(`${base}/k/a.py`, (text) => said.push(text));
  expect(program?.entry).toBe('a.py');
  expect(Object.keys(program!.files).sort()).toEqual(['a.py', 'b.py']);
  expect(await openProgram(`${base}/moved.py`, (text) => said.push(text))).toBeUndefined();
  expect(said.at(-1)).toContain('points to another address');
  expect(await openProgram(`${base}/none.py`, (text) => said.push(text))).toBeUndefined();
  expect(said.at(-1)).toContain('no such file');
  expect(() => readProgram(`${base}/k/a.py`)).toThrow('only run and prove');
  server.close();
});
