/** Which files belong to a program, and which of them runs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readProgram } from './files';

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
  expect(() => readProgram(join(folder, 'gone.py'))).toThrow('ENOENT');
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
