/**
 * The frame: the palette, the shortcuts that come from the registry, two panels at once, the
 * themes.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, expectCode } from './expectCode';
import { codeIn, doubling, openSite, ready, runToEnd, type Site, tab, until, visit } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

it('finds every command in the palette, and does it', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await page.locator('.editor .view-line').first().waitFor();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'All commands' });
  await palette.getByRole('combobox').fill('wgsl');
  await palette.getByRole('option').first().waitFor();
  expect(await palette.getByRole('option').first().innerText()).toContain('WGSL');
  await page.keyboard.press('Enter');
  await palette.waitFor({ state: 'detached' });
  expect(await tab(page, 'WGSL').getAttribute('aria-selected')).toBe('true');
  // A letter that means nothing finds nothing, and Escape closes the palette only.
  await page.keyboard.press('Control+k');
  await palette.getByRole('combobox').fill('qqqq');
  await palette.getByText('No matching commands').waitFor();
  // The best match comes first, of whatever group it is.
  await palette.getByRole('combobox').fill('share');
  await page.waitForFunction(
    () => document.querySelector('[cmdk-item]')?.textContent?.startsWith('Share: link') ?? false,
  );
  await palette.getByRole('combobox').fill('settings');
  await palette.getByRole('option', { name: /^Settings/, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Settings' }).getByText('Run on').waitFor();
  await page.keyboard.press('Escape');
  await palette.waitFor({ state: 'detached' });
  // Who walks over the editor by Tab changes nothing there; who has moved in it indents.
  const focused = (): Promise<boolean> =>
    page.evaluate(() => document.activeElement?.closest('.editor .monaco-editor') !== null);
  const text = await codeIn(page, '.editor');
  await page.getByRole('button', { name: 'Editor', exact: true }).focus();
  await page.keyboard.press('Tab');
  await eventually(() => focused()).toBe(true);
  await page.keyboard.press('Tab');
  await eventually(() => focused()).toBe(false);
  expect(await codeIn(page, '.editor')).toBe(text);
  await page.keyboard.press('Shift+Tab');
  await eventually(() => focused()).toBe(true);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await eventually(() => focused()).toBe(true);
  await expectCode(page, '.editor').not.toBe(text);
  expect(errors).toEqual([]);
  await page.context().close();
});

it('reports in the help sheet every key that works', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await tab(page, 'Passes').click();
  await page.getByRole('listbox', { name: 'Passes' }).waitFor();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keys' });
  await help.waitFor();
  const names = await help.locator('dt').allInnerTexts();
  for (const name of ['Run the program', 'Stop the program', 'Show Passes', 'Next pass'])
    expect(names).toContain(name);
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  // Typed characters are text, not a command.
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.type('?');
  expect(await help.count()).toBe(0);
  expect(errors).toEqual([]);
  await page.context().close();
});

it('leaves single keys alone where they are turned off', async () => {
  const { page } = await visit(site, { text: doubling(1) });
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('checkbox', { name: 'Single-key shortcuts' }).uncheck();
  await page.keyboard.press('Escape');
  await tab(page, 'Output').focus();
  await page.keyboard.press('?');
  await page.keyboard.press('F1');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(1);
  await page.context().close();
});

it('shows two panels at once, never the same one twice, and remembers it', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await page.getByRole('button', { name: 'Split: two panels at once' }).click();
  const groups = page.locator('.tabstrip [role=tablist]');
  const shown = (): Promise<string[]> =>
    page
      .locator('.tabstrip [role=tab][aria-selected=true]')
      .evaluateAll((tabs) => tabs.map((one) => (one.firstChild?.textContent ?? '').trim()));
  await until(page, 'document.querySelectorAll(".tabstrip [role=tablist]").length === 2');
  await groups
    .nth(0)
    .getByRole('tab', { name: /^Passes/ })
    .click();
  await groups.nth(1).getByRole('tab', { name: /^WGSL/ }).click();
  await eventually(() => shown()).toEqual(['Passes', 'WGSL']);
  // The other group's panel: they change places.
  await groups.nth(0).getByRole('tab', { name: /^WGSL/ }).click();
  await eventually(() => shown()).toEqual(['WGSL', 'Passes']);
  await page.reload();
  await until(page, 'document.querySelectorAll(".tabstrip [role=tablist]").length === 2');
  expect(await shown()).toEqual(['WGSL', 'Passes']);
  await page.getByRole('button', { name: 'Put it to the right' }).click();
  await page.getByRole('button', { name: 'Close this group' }).click();
  await until(page, 'document.querySelectorAll(".tabstrip [role=tablist]").length === 1');
  expect(errors).toEqual([]);
  await page.context().close();
});

it('does what the shortcuts say', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await ready(page);
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('Alt+3');
  await eventually(() => tab(page, 'Timing').getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('Alt+0');
  await page.keyboard.press('Control+Enter');
  await until(page, 'document.querySelector("[role=status]").dataset.ended === "1"');
  // The second time by the button, which must not count the first.
  await runToEnd(page);
  expect(errors).toEqual([]);
  await page.context().close();
});

it('has a theme of high contrast, light or dark as the system', async () => {
  const { page } = await visit(site, { colorScheme: 'dark' });
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('theme high contrast');
  await page.keyboard.press('Enter');
  await until(page, 'document.documentElement.dataset.contrast === "more"');
  const background = 'getComputedStyle(document.body).backgroundColor';
  expect(await page.evaluate(background)).toBe('rgb(0, 0, 0)');
  await page.emulateMedia({ colorScheme: 'light' });
  await until(page, `${background} === 'rgb(255, 255, 255)'`);
  await page.context().close();
});

it('has two rows on top on a phone, whatever it says there', async () => {
  const { page, errors } = await visit(site, { viewport: { width: 390, height: 844 } });
  const height = async (): Promise<number> =>
    (await page.locator('.topbar').boundingBox())?.height ?? 0;
  const both = async (): Promise<void> => {
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await height(), `${width} pixels wide`).toBeLessThan(84);
    }
  };
  // While Python loads, with a Run that waits, when it is there, and in the lessons.
  await page.getByRole('button', { name: /^Program: / }).waitFor();
  await both();
  await page.getByRole('button', { name: 'Run', exact: false }).first().click();
  await both();
  await ready(page);
  await both();
  await page.getByTitle('Lessons and puzzles').click();
  await page.getByRole('heading', { name: 'Learn' }).waitFor();
  await both();
  expect(errors).toEqual([]);
  await page.context().close();
});
