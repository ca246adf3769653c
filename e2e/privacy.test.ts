/** The privacy page is true: it names all that a session keeps, and nothing leaves. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { doubling, openSite, ready, runToEnd, STEP, tab, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

it('names everything that a session keeps, of which nothing is sent', async () => {
  const { page, errors } = await visit(site, { text: doubling(1), serviceWorkers: 'allow' });
  const requested: string[] = [];
  page.context().on('request', (request) => requested.push(request.url()));
  await page.reload();
  await ready(page);
  await runToEnd(page);
  for (const panel of ['Compare', 'Passes', 'WGSL']) await tab(page, panel).click();
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
