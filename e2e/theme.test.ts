/** Light and dark: follows the system until somebody chooses; the choice is kept. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from './expectCode';
import { openSite, type Site, until, visit } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

const THEME = 'document.documentElement.dataset.theme';

it('follows the system, then the switch, over a reload', async () => {
  const { page, errors } = await visit(site, { colorScheme: 'dark' });
  await page.getByRole('button', { name: /^Theme/ }).waitFor();
  expect(await page.evaluate(THEME)).toBe('dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await until(page, `${THEME} === 'light'`);
  await page.getByRole('button', { name: /Switch to light/ }).click();
  await page.getByRole('button', { name: /Switch to dark/ }).click();
  await until(page, `${THEME} === 'dark'`);
  await page.reload();
  await eventually(() => page.evaluate(THEME)).toBe('dark');
  const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
  expect(background).toBe('rgb(13, 18, 18)');
  expect(errors).toEqual([]);
  await page.context().close();
});

it.each([
  [1440, 'monaco'],
  [800, 'monaco'],
  [390, 'plain'],
] as const)('fits a window %i pixels wide', async (width, editor) => {
  const { page, errors } = await visit(site, { viewport: { width, height: 800 } });
  if (editor === 'plain') await page.getByRole('textbox', { name: 'Program' }).waitFor();
  else await page.locator('.editor .view-line').first().waitFor();
  const overflow = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overflow).toBe(0);
  if (width < 900) {
    await page.getByRole('button', { name: 'Results' }).click();
    await page.getByRole('tab', { name: 'Output' }).waitFor();
  }
  expect(errors).toEqual([]);
  await page.context().close();
});

it('names every control', async () => {
  const { page } = await visit(site);
  await page.locator('.editor .view-line').first().waitFor();
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll('button, select, input, [role=tab]')]
      .filter((element) => !element.closest('.monaco-editor'))
      .filter((element) => {
        const label = element.getAttribute('aria-label') ?? element.textContent ?? '';
        return label.trim() === '' && !element.closest('label');
      })
      .map((element) => element.outerHTML.slice(0, 120)),
  );
  expect(nameless).toEqual([]);
  await page.context().close();
});
