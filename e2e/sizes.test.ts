/**
 * Limits of what a first visit downloads before it can run a program, as it travels (Brotli): about
 * 5 % above what there was when each was set. `npm run sizes` lists the files.
 */
import { extname } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startFiles, travelling } from '../scripts/buildSizes';
import { DIST } from './host';
import { openSite, ready, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

/** KiB before the page stands, of scripts but the editor's, of kinds of files, and of all. */
const LIMITS = {
  start: 235,
  scripts: 945,
  '.js': 1710,
  '.css': 33,
  '.wasm': 3320,
  total: 11_500,
} as const;
const EDITOR = /\/(monaco|editorWorkerHost)-/;

it('stays within the budget of downloads', async () => {
  const { page, errors } = await visit(site);
  await page.locator('.editor .view-line').first().waitFor();
  await page.getByText(/compiled in/).waitFor();
  await ready(page);
  const paths = [...new Set(site.requested)].map((path) => (path === '/' ? 'index.html' : path));
  await page.context().close();
  expect(errors).toEqual([]);
  const sizes: Record<string, number> = { start: 0, scripts: 0, total: 0 };
  for (const path of paths) {
    const size = travelling(DIST, path) / 1024;
    sizes['total']! += size;
    if (extname(path) === '.js' && !EDITOR.test(path)) sizes['scripts']! += size;
    sizes[extname(path)] = (sizes[extname(path)] ?? 0) + size;
  }
  for (const path of startFiles(DIST)) sizes['start']! += travelling(DIST, path) / 1024;
  console.log(`KiB of ${paths.length} files: ${JSON.stringify(sizes)}`);
  for (const [kind, limit] of Object.entries(LIMITS)) {
    expect(sizes[kind], kind).toBeLessThan(limit);
    // A limit far above what there is holds nothing.
    expect(sizes[kind], kind).toBeGreaterThan(0.8 * limit);
  }
});
