/** Parts of the page that a host does not have: each says so, and loads once they are there. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSite, ready, tab, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: false });
});
afterAll(() => site.close());

it('a panel whose code does not load is drawn by “Try again” once it does', async () => {
  const { page } = await visit(site);
  await ready(page);
  const code = '**/assets/Layout-*.js';
  await page.route(code, (route) => route.abort());
  await tab(page, 'Layout').click();
  const failure = page.getByText('Layout could not be drawn');
  await failure.waitFor();
  // Without a retry it stays so.
  await page.getByRole('button', { name: 'Try again' }).click();
  await failure.waitFor();
  await page.unroute(code);
  await page.getByRole('button', { name: 'Try again' }).click();
  await failure.waitFor({ state: 'detached' });
  const shown = page.getByRole('tabpanel', { name: 'Layout' });
  await shown.getByText(/\w{3}/).first().waitFor();
  expect(await shown.innerText()).not.toContain('could not be drawn');
  await page.context().close();
});

it('a page whose script does not load is not blank', async () => {
  const context = await site.browser.newContext();
  const page = await context.newPage();
  await page.route('**/assets/main-*.js', (route) => route.abort());
  await page.goto(site.address);
  await page.getByText('A part of the page could not be loaded').waitFor();
  await context.close();
});
