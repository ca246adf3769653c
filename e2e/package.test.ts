/**
 * The package in a browser: the Vite project of docs/package.md, built and opened, runs its kernel
 * on WebGPU; and the compiler works in a page and in a worker, without a bundler.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright';
import { build } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FILES } from '../app/library/testing';
import { findChromium } from '../scripts/chromium';
import { buildPackage } from '../scripts/package';
import { bareSite } from './bare';
import { GPU_FLAGS } from './page';

let project = '';
let browser: Browser;
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'hippocamp-vite-'));
  mkdirSync(join(project, 'node_modules'));
  await buildPackage(join(project, 'node_modules', 'hippocamp'));
  const found = findChromium();
  if (!found) throw new Error('No Chromium found: set HIPPOCAMP_CHROMIUM to one.');
  const args = ['--no-sandbox', ...GPU_FLAGS];
  browser = await chromium.launch({ executablePath: found.path, args });
});
afterAll(async () => {
  await browser?.close();
  rmSync(project, { recursive: true, force: true });
});

/** Opens a site of these files. @returns the lines of its console, once there are so many. */
async function consoleOf(
  files: Readonly<Record<string, string>>,
  lines: number,
): Promise<string[]> {
  const site = await bareSite(files);
  const page = await browser.newPage();
  const said: string[] = [];
  try {
    await new Promise<void>((resolve) => {
      page.on('console', (message) => {
        said.push(message.text());
        if (said.length === lines) resolve();
      });
      page.on('pageerror', (error) => {
        said.push(String(error));
        resolve();
      });
      void page.goto(site.address);
    });
    return said;
  } finally {
    await page.close();
    await site.close();
  }
}

/** Texts of a folder's files, by their paths from it. */
function textsOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    names.map((path) => [
      path.slice(folder.length + 1).replaceAll('\\', '/'),
      readFileSync(path, 'utf8'),
    ]),
  );
}

it('runs the kernel of a fresh Vite project', async () => {
  const start = performance.now();
  for (const name of ['kernels.py', 'vite.config.js', 'main.ts'])
    writeFileSync(join(project, name), FILES.get(name)!.text);
  writeFileSync(
    join(project, 'index.html'),
    '<link rel="icon" href="data:," /><script type="module" src="/main.ts"></script>',
  );
  await build({ root: project, logLevel: 'error' });
  expect(await consoleOf(textsOf(join(project, 'dist')), 1)).toEqual(['2 4 6 8']);
  expect(performance.now() - start).toBeLessThan(5 * 60_000);
});

it('compiles in a page and in a worker', async () => {
  const lib = textsOf(join(project, 'node_modules', 'hippocamp', 'lib'));
  const source = JSON.stringify(FILES.get('kernels.py')!.text);
  const compiles = (where: string): string => `import { compile } from './index.js';
const made = await compile({ source: ${source} });
console.log('${where}', made.ok, made.wgsl.includes('@compute'), made.bindings.length);`;
  const said = await consoleOf(
    {
      ...lib,
      'page.js': `${compiles('page')}\nnew Worker('worker.js', { type: 'module' });`,
      'worker.js': compiles('worker'),
      'index.html':
        '<link rel="icon" href="data:," /><script type="module" src="page.js"></script>',
    },
    2,
  );
  expect(said).toEqual(['page true true 4', 'worker true true 4']);
});
