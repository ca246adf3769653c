import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { notebookOf } from './notebook';

interface Notebook {
  readonly nbformat: number;
  readonly nbformat_minor: number;
  readonly metadata: { readonly accelerator: string };
  readonly cells: readonly {
    readonly cell_type: string;
    readonly id: string;
    readonly source: readonly string[];
    readonly outputs?: readonly unknown[];
  }[];
}

it('is nbformat 4.5: every cell has an id, code cells have outputs, lines keep their ends', () => {
  const files = { 'main.py': 'import lib.two\nprint(1)\n', 'lib/two.py': 'TWO = 2\n' };
  const text = notebookOf({ name: 'Sum', entry: 'main.py', files, link: 'https://h/#/s/2.A' });
  const notebook = JSON.parse(text) as Notebook;
  expect([notebook.nbformat, notebook.nbformat_minor]).toEqual([4, 5]);
  expect(notebook.metadata.accelerator).toBe('GPU');
  const ids = notebook.cells.map((cell) => cell.id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, cell_type, outputs } of notebook.cells) {
    expect(id).toMatch(/^[a-zA-Z0-9-_]{1,64}$/);
    expect(Array.isArray(outputs)).toBe(cell_type === 'code');
  }
  expect(notebook.cells.map((cell) => cell.source.join(''))).toEqual([
    expect.stringContaining('# Sum'),
    '!mkdir -p lib',
    '%%writefile lib/two.py\nTWO = 2',
    '%%writefile main.py\nimport lib.two\nprint(1)',
    '%run main.py',
  ]);
});

it('gives no file name to a shell, nor to IPython, which expands it', () => {
  const odd = 'sub dir;touch pwned;/{1+1} $HOME.py';
  const files = { [odd]: 'print("a\\n")\n', 'main.py': 'x' };
  const notebook = JSON.parse(
    notebookOf({ name: '<b>[Sum](x)', entry: odd, files, link: null }),
  ) as Notebook;
  const cells = notebook.cells.map((cell) => cell.source.join(''));
  expect(cells.filter((cell) => /^[!%].*pwned/m.test(cell))).toEqual([]);
  expect(cells[0]).toContain('# &lt;b>\\[Sum\\](x)');
  expect(cells[0]).not.toContain('null');
  // The notebook has the code and the texts of the program.
  const run = cells
    .slice(1)
    .filter((cell) => !cell.startsWith('%'))
    .join('\n');
  const place = mkdtempSync(join(tmpdir(), 'notebook-'));
  const { stdout, stderr } = spawnSync('python3', ['-c', run], { cwd: place, encoding: 'utf8' });
  expect([stderr, stdout]).toEqual(['', 'a\n\n']);
  expect(readFileSync(join(place, odd), 'utf8')).toBe(files[odd]);
  expect(readdirSync(place)).toEqual(['sub dir;touch pwned;']);
});

/** A Python that has nbformat, Jupyter's own judge: the one of the tests against a server. */
const bin = process.env['HIPPOCAMP_JUPYTER'];

it.runIf(bin)('is what Jupyter’s own nbformat takes', () => {
  const files = { 'main.py': 'print("Grüße 🐎")\n', 'lib/two.py': 'TWO = 2\n' };
  const text = notebookOf({ name: 'Sum', entry: 'main.py', files, link: 'https://h/#/s/2.A' });
  const judge = (input: string) =>
    spawnSync(
      join(bin!, 'python'),
      ['-c', 'import json, nbformat, sys; nbformat.validate(json.load(sys.stdin))'],
      { input, encoding: 'utf8' },
    );
  expect(judge(text).stderr).toBe('');
  expect(judge(text).status).toBe(0);
  expect(judge(text.replace('"cell_type": "code"', '"cell_type": "cod"')).status).not.toBe(0);
});
