/** Which of our Python packages come with the page, and which with runs that name them. */
import { readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { expect, it } from 'vitest';
import { NAMED } from '../state/runExtras';
import { PYTHON_FILES } from './files';
import { ON_DEMAND } from './onDemand';

const ALL = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .map((path) => path.split(sep).join('/'))
  .filter((path) => path.endsWith('.py') && !path.startsWith('testdata/'));

it('are in one of the two lists each', () => {
  expect(ALL.length).toBeGreaterThan(200);
  const listed = [...Object.keys(PYTHON_FILES), ...Object.keys(ON_DEMAND)];
  expect(listed.sort()).toEqual(ALL.sort());
});

it('are named by a word of the program, or imported by what is', () => {
  const imported = new Set([
    'safetensors',
    'matplotlib',
    '_hippocamp_matplotlib',
    '_hippocamp_tests',
  ]);
  for (const path of Object.keys(ON_DEMAND)) {
    const name = path.startsWith('torch/') ? path : path.split('/')[0]!.replace(/\.py$/, '');
    if (!imported.has(name)) expect(name).toMatch(NAMED);
  }
});

it('are imported by none that comes with the page', () => {
  const names = 'einops|helion|IPython|triton_viz|tritonparse|pytest|_hippocamp_tests|jaxtyping';
  const statement = new RegExp(
    String.raw`^\s*(?:from|import) (?:${names}|torch\._inductor|\._inductor)\b`,
    'm',
  );
  expect('import pytest').toMatch(statement);
  for (const [path, text] of Object.entries(PYTHON_FILES))
    if (statement.test(text)) throw new Error(`${path} imports a package that is not there`);
});
