/**
 * On a slow line: what the text needs is downloaded first, its passes and WGSL are there while
 * Python is not, and no download counts as a compiler that hangs.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSite, ready, status, tab, visit, type Site } from './page';
import { slowLine } from './slowLine';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true, gzip: true });
});
afterAll(() => site.close());

const STOPPED = /compiler (stopped|not downloaded)/;

it('shows passes and WGSL long before Python, at 50 kB/s', async () => {
  const line = await slowLine(site.address, 50_000, 400);
  const { page, errors } = await visit({ ...site, address: line.address });
  page.setDefaultTimeout(120_000);
  await page.getByText('downloading the compiler').waitFor();
  await page.getByText(/compiled in/).waitFor();
  expect(await page.getByText(STOPPED).count()).toBe(0);
  expect(await status(page).innerText()).toContain('loading');
  await tab(page, 'WGSL').click();
  await page.locator('.wgsl .view-line', { hasText: '@compute' }).waitFor();
  await tab(page, 'Passes').click();
  await page.getByRole('listbox', { name: 'Passes' }).getByRole('option').nth(3).waitFor();
  expect(await status(page).getAttribute('data-phase')).toBe('loading');
  // Nothing of Python took a byte from what the text needs.
  const asked = line.log.filter(({ path }) => /\/pyodide-|programWorker/.test(path));
  const needed = line.log.filter(({ path }) =>
    /compilerWorker|tree-sitter|\/monaco-.*js/.test(path),
  );
  expect(needed.length).toBeGreaterThanOrEqual(4);
  const sent = Math.max(...needed.map((each) => each.sent ?? Infinity));
  expect(Math.min(...asked.map((each) => each.asked), Infinity)).toBeGreaterThan(sent);
  await page.waitForFunction(() =>
    /Python \d+ of \d+ MB/.test(document.querySelector('[role=status]')!.textContent!),
  );
  // The total stands from the beginning.
  expect(await status(page).innerText()).toMatch(/loading Python 0 of 1[567] MB/);
  expect(errors).toEqual([]);
  await page.context().close();
  await line.close();
});

it('loads Python at once where Run is pressed before the compiler is there', async () => {
  const line = await slowLine(site.address, 400_000, 50);
  const { page } = await visit({ ...site, address: line.address });
  await page.getByRole('button', { name: /^Program: / }).waitFor();
  await page.getByRole('button', { name: 'Run', exact: false }).first().click();
  await page.getByText(/, then runs$/).waitFor();
  await expect.poll(() => line.log.some(({ path }) => path.includes('programWorker'))).toBe(true);
  const compiler = line.log.find(({ path }) => path.includes('tree-sitter-python'));
  expect(compiler?.sent ?? null).toBeNull();
  await page.context().close();
  await line.close();
});

it('says that the compiler could not be downloaded, and tries again by itself', async () => {
  const line = await slowLine(site.address, 20_000_000, 0);
  line.broken.add('compilerWorker');
  line.broken.add('tree-sitter-python');
  const { page, errors } = await visit({ ...site, address: line.address });
  await page.getByText('compiler not downloaded; trying again').waitFor();
  await page.getByText(/compiled in/).waitFor();
  expect(line.broken.size).toBe(0);
  expect(await page.getByText(STOPPED).count()).toBe(0);
  await ready(page);
  expect(errors).toEqual([]);
  await page.context().close();
  await line.close();
});
