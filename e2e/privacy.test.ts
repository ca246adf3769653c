/** The privacy page is true: it names all that a session keeps, and nothing leaves. */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { doubling, openSite, ready, runToEnd, STEP, tab, toEnd, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

/** Every panel, dialog and kind of page, and what is loaded when it is first used. */
async function everything(page: Page): Promise<void> {
  for (const panel of ['Compare', 'Timing', 'Passes', 'WGSL', 'Memory', 'Layout', 'Debugger']) {
    await tab(page, panel).click();
    await page.locator('.tabpanel[data-state=active]').waitFor();
  }
  for (const key of ['Control+k', 'Control+s', 'Alt+o', 'Alt+h']) {
    await page.keyboard.press(key);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.insertText('spaced   =  1\n');
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('What do you want to do?').fill('format');
  await page.getByRole('option', { name: /Format the program/ }).click();
  await page
    .locator('.editor .view-line')
    .filter({ hasText: /^spaced.=.1$/ })
    .waitFor();
  for (const course of ['01-programs-and-tiles', 'p01-load-store']) {
    await page.evaluate((slug) => void (location.hash = `/learn/${slug}`), course);
    await page.getByRole('article').waitFor();
    await toEnd(page, () => page.getByRole('button', { name: /^Check$/ }).click());
  }
  await page.evaluate(() => void (location.hash = ''));
  await page.locator('.editor .view-line').filter({ hasText: 'def double' }).waitFor();
}

it('names everything that a session keeps, of which nothing is sent', async () => {
  const { page, errors } = await visit(site, { text: doubling(1), serviceWorkers: 'allow' });
  const requested: string[] = [];
  // Those of workers and of the service worker, too.
  page.context().on('request', (request) => requested.push(request.url()));
  page.on('websocket', (socket) => requested.push(socket.url()));
  await page.reload();
  await ready(page);
  await runToEnd(page);
  await everything(page);
  // The program moves from its draft into the database when typing pauses.
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.type('# typed\n');
  await page.waitForTimeout(3000);

  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByText('work without a network').waitFor({ timeout: 2 * STEP });
  await page.getByRole('button', { name: /^Privacy/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Privacy' });
  await dialog.waitFor();
  const text = await dialog.innerText();
  const kept = await page.evaluate(async () => ({
    databases: (await indexedDB.databases()).map(({ name }) => name ?? ''),
    local: Object.keys(localStorage),
    session: Object.keys(sessionStorage),
    cached: await window.caches.keys(),
    workers: (await navigator.serviceWorker.getRegistrations()).length,
    cookies: document.cookie,
  }));
  expect(kept.databases.length).toBeGreaterThan(0);
  for (const name of kept.databases) expect(text).toContain(`IndexedDB ${name}`);
  expect(kept.local.length).toBeGreaterThan(0);
  for (const name of kept.local) expect(name).toMatch(/^hippocamp:/);
  expect(text).toContain('Local storage, names from hippocamp:');
  for (const name of kept.session) expect(name).toMatch(/^hippocamp:/);
  expect(text).toContain('Session storage, names from hippocamp:');
  expect(kept.cached).toHaveLength(1);
  for (const name of kept.cached) expect(name).toMatch(/^hippocamp:/);
  expect(text).toContain('Cache storage, names from hippocamp:');
  expect(kept.workers).toBe(1);
  expect(text).toContain('the service worker');
  expect(kept.cookies).toBe('');
  expect(await page.context().cookies()).toEqual([]);
  expect(requested.length).toBeGreaterThan(10);
  const { origin } = new URL(site.address);
  const elsewhere = requested.filter(
    (url) => !/^(data|blob):/.test(url) && !url.startsWith(origin),
  );
  expect(elsewhere).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
});
