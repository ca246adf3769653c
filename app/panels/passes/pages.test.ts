/** Every pass of the pipeline has a page in `docs/passes`, and every page its pass. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OPTIMIZE_PASSES } from '../../../compiler/3-optimize/index';
import { DISTRIBUTE_PASSES } from '../../../compiler/4-distribute/index';
import { THREAD_PASSES, TILE_PASSES } from '../../../compiler/5-threads/index';

const FOLDER = join(import.meta.dirname, '../../../docs/passes');
const passes = [
  'lower',
  ...OPTIMIZE_PASSES.map(({ name }) => name),
  ...DISTRIBUTE_PASSES.map(({ name }) => name),
  ...TILE_PASSES.map(({ name }) => name),
  'lower_tiles',
  ...THREAD_PASSES.map(({ name }) => name),
  'emit',
];

it('has a page for each pass, and no others', () => {
  const pages = readdirSync(FOLDER).filter((name) => name !== 'README.md');
  const wanted = [...new Set(passes)].map((name) => `${name}.md`);
  expect(pages.sort()).toEqual(wanted.sort());
});

it.each([...new Set(passes)])('%s: the page opens with its name and says something', (name) => {
  const text = readFileSync(join(FOLDER, `${name}.md`), 'utf8');
  expect(text.startsWith(`# ${name}\n\n`)).toBe(true);
  expect(text.length).toBeGreaterThan(150);
});
