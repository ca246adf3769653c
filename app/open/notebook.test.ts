/** Notebooks as Jupyter, Colab and VS Code write them. */
import { describe, expect, it } from 'vitest';
import { notebookOf } from '../share/export/notebook';
import { programOfNotebook } from './notebook';

const cell = (source: string | string[], type = 'code') => ({
  cell_type: type,
  metadata: {},
  source,
  ...(type === 'code' ? { execution_count: 3, outputs: [{ data: { 'image/png': 'iVBOR' } }] } : {}),
});
const notebook = (cells: unknown[], more = {}): string =>
  JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells, ...more });
const textOf = (...cells: (string | string[])[]): string => {
  const { files, entry } = programOfNotebook(notebook(cells.map((one) => cell(one))), 'n.ipynb');
  return files[entry]!;
};

it('makes one program of the cells, in order, without their outputs', () => {
  const json = notebook([
    cell(['# Vector add\n', 'Some *text*.'], 'markdown'),
    cell(['import torch\n', 'x = 1']),
    cell('print(x)\n'),
  ]);
  expect(programOfNotebook(json, 'Vector Add.ipynb')).toEqual({
    entry: 'Vector_Add.py',
    files: {
      'Vector_Add.py':
        '# %% [markdown]\n# # Vector add\n# Some *text*.\n\n' +
        '# %% [1]\nimport torch\nx = 1\n\n# %% [2]\nprint(x)\n',
    },
    notes: [],
  });
});

it('leaves pictures of text cells out', () => {
  const picture = `![x](data:image/png;base64,${'iVBORw0KGgo'.repeat(300_000)})`;
  const json = notebook([cell(picture, 'markdown'), cell('x = 1')]);
  expect(programOfNotebook(json, 'n.ipynb').files['n.py']).toBe(
    '# %% [markdown]\n# ![x](data:…)\n\n# %% [1]\nx = 1\n',
  );
});

it('reads the cells of nbformat 3', () => {
  const json = JSON.stringify({
    nbformat: 3,
    metadata: { name: 'old' },
    worksheets: [{ cells: [{ cell_type: 'code', input: ['x = 3'], language: 'python' }] }],
  });
  expect(programOfNotebook(json, 'old.ipynb').files['old.py']).toContain('x = 3');
});

describe('IPython’s own syntax', () => {
  it('becomes comments, each of which is named', () => {
    const json = notebook([
      cell('!pip install -q triton \\\n  einops\n%matplotlib inline\nimport torch'),
      cell('if True:\n    !nvidia-smi\nout = !ls\ntorch.add?'),
      cell('%%bash\necho $HOME'),
    ]);
    const { files, notes } = programOfNotebook(json, 'n.ipynb');
    expect(files['n.py']).toBe(
      '# %% [1]\n# !pip install -q triton \\\n#   einops\n# %matplotlib inline\nimport torch\n\n' +
        '# %% [2]\nif True:\n    pass  # !nvidia-smi\n# out = !ls\n# torch.add?\n\n' +
        '# %% [3]\n# %%bash\n# echo $HOME\n',
    );
    expect(notes).toEqual([
      'Not installed: !pip install -q triton \\.',
      'Made comments: !nvidia-smi · out = !ls · torch.add?.',
      'Cells that are not Python made comments: %%bash.',
    ]);
  });

  it('is kept apart from Python', () => {
    const python = [
      'x = (7\n  % 3)',
      's = """\n!pip install x\n%time\nwhat?\n"""',
      "t = '''a\n%%b\n'''",
      'y = 7 \\\n  % 4',
      'z = [1, # (\n 2]',
      'a != b',
    ];
    for (const text of python) expect(textOf(text)).toBe(`# %% [1]\n${text}\n`);
  });

  it('keeps the statement that a magic times', () => {
    expect(textOf('%time f(x)\n%%timeit')).toContain('\nf(x)\n');
    expect(textOf('%%time\nf(x)')).toBe('# %% [1] %%time\nf(x)\n');
  });

  it('imports display where a notebook has it from nowhere', () => {
    expect(textOf('display(1)')).toMatch(/^from IPython\.display import display\n/);
    expect(textOf('# display(1)')).not.toContain('IPython');
  });
});

it('makes files of written cells, and runs what the notebook runs', () => {
  const json = notebook([
    cell('%%writefile kernels.py\nX = 1'),
    cell('%%writefile ../../etc/odd.py\nY = 2'),
    cell('from kernels import X\nprint(X)'),
  ]);
  const { files, entry } = programOfNotebook(json, 'n.ipynb');
  expect(Object.keys(files).toSorted()).toEqual(['etc/odd.py', 'kernels.py', 'n.py']);
  expect(files['kernels.py']).toBe('X = 1\n');
  expect(entry).toBe('n.py');
});

it('opens what Share exports as the files that it was', () => {
  const files = { 'main.py': 'import a\nprint(a.X)\n', 'lib/a.py': 'X = 1\n' };
  const json = notebookOf({ name: 'p', entry: 'main.py', files, link: null });
  expect(programOfNotebook(json, 'p.ipynb')).toMatchObject({ files, entry: 'main.py' });
});

it('reads an exported package back, whose file runs as its module', () => {
  const files = { 'p/k.py': 'from .a import X\nprint(X)\n', 'p/a.py': 'X = 1\n' };
  const json = notebookOf({ name: 'p', entry: 'p/k.py', files, link: null });
  expect(json).toContain('%run -m p.k');
  expect(programOfNotebook(json, 'p.ipynb')).toMatchObject({ files, entry: 'p/k.py' });
});

it.each([
  ['{"cells": [', 'is not JSON'],
  ['<!doctype html>', 'is not JSON'],
  ['[]', 'it has no cells'],
  ['{"cells": 7}', 'it has no cells'],
  [notebook([cell('only text', 'markdown')]), 'no cell with code'],
  [notebook([cell('x')], { metadata: { kernelspec: { language: 'julia' } } }), 'in julia'],
  [notebook([cell('x'.repeat(3e6))]), '3.0 million characters'],
])('refuses in a sentence: %.30s', (json, why) => {
  expect(() => programOfNotebook(json, 'n.ipynb')).toThrow(why);
});

it('takes cells of any shape', () => {
  const odd = [
    null,
    7,
    { cell_type: 'code' },
    { cell_type: 'code', source: [1, null] },
    cell('x=1'),
  ];
  expect(programOfNotebook(notebook(odd), 'n.ipynb').files['n.py']).toContain('x=1');
});
