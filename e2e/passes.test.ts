/** The pass viewer: list, keys, diff, and one selected line in every pane. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeIn, doubling, openSite, output, ready, runToEnd, tab, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

it('steps with j and k, diffs with d, hides the unchanged with c', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await tab(page, 'Passes').click();
  const options = page.getByRole('listbox', { name: 'Passes' }).getByRole('option');
  await options.first().waitFor();
  const all = await options.count();
  expect(all).toBeGreaterThan(5);
  const selected = page.locator('.pass-list [aria-selected=true]');

  await options.first().click();
  const first = await selected.getAttribute('id');
  await page.keyboard.press('j');
  const second = await selected.getAttribute('id');
  expect(second).not.toBe(first);
  await page.keyboard.press('k');
  expect(await selected.getAttribute('id')).toBe(first);

  await page.keyboard.press('c');
  expect(await options.count()).toBeLessThan(all);
  await page.keyboard.press('c');
  expect(await options.count()).toBe(all);

  await page.keyboard.press('j');
  await page.keyboard.press('d');
  await page.locator('.pass-main .monaco-diff-editor').waitFor();
  await page.keyboard.press('d');
  await page.locator('.pass-main .monaco-diff-editor').waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
  await page.context().close();
});

it('finds passes by name and by what their IR holds', async () => {
  const { page } = await visit(site, { text: doubling(1) });
  await tab(page, 'Passes').click();
  const options = page.getByRole('listbox', { name: 'Passes' }).getByRole('option');
  await options.first().waitFor();
  await page.getByRole('searchbox').fill('tt.get_program_id');
  expect(await options.count()).toBeGreaterThan(0);
  await page.getByRole('searchbox').fill('no such thing');
  expect(await options.count()).toBe(0);
  await page.context().close();
});

it('lights a line of the program in the IR and the WGSL, and the way back', async () => {
  const { page } = await visit(site, { text: doubling(1) });
  await tab(page, 'Passes').click();
  await page.locator('.pass-main .view-line').first().waitFor();
  await page.locator('.editor .view-line').filter({ hasText: 'tl.load' }).click();
  await page.locator('.pass-main .line-lit').first().waitFor();
  await tab(page, 'WGSL').click();
  await page.locator('.wgsl .line-lit').first().waitFor();
  // What is lit has been scrolled to.
  expect(await codeIn(page, '.wgsl')).toContain('buffer_0[');
  await page.locator('.wgsl .view-line').filter({ hasText: 'offsets_0 =' }).first().click();
  await page.locator('.editor .line-lit').first().waitFor();
  await page.context().close();
});

it('checks every pass, and the GPU, on the inputs of a launch', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await ready(page);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('checkbox', { name: 'Check mode' }).check();
  await page.keyboard.press('Escape');
  await runToEnd(page);
  expect(await output(page).innerText()).toContain('close: True');
  await tab(page, 'Passes').click();
  await page.getByText('The GPU computed what the IR says').waitFor();
  const passes = await page.locator('.pass-row').count();
  expect(passes).toBeGreaterThan(10);
  expect(await page.locator('.pass-row .sign.pass').count()).toBe(passes);
  expect(errors).toEqual([]);
  await page.context().close();
});
