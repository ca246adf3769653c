/** Typing: live diagnostics, and text that is never lost. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeIn, doubling, openSite, tab, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

it('marks an error as it is typed, and forgets it when it is mended', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  const line = page.locator('.editor .view-line').filter({ hasText: 'mask = offsets < n' });
  await line.click();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.insertText('wrong = tl.lod(x_ptr)');
  const problems = page.getByRole('button', { name: /\d+ problems?/ });
  await page.getByRole('button', { name: '1 problem', exact: true }).waitFor();
  await page.locator('.editor .squiggly-error').first().waitFor();
  await problems.click();
  const problem = page.getByRole('region', { name: 'Problems' }).getByRole('button').first();
  expect(await problem.innerText()).toMatch(/lod/);
  expect(await problem.innerText()).toContain('vector_add.py:11');
  // The way to a problem ends with the cursor at it.
  await problem.click();
  await page.keyboard.press('End');
  for (let i = 0; i < 'wrong = tl.lod(x_ptr)'.length; i++) await page.keyboard.press('Backspace');
  await page.getByRole('button', { name: '0 problems' }).waitFor();
  await page.locator('.editor .squiggly-error').first().waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
  await page.context().close();
});

it('keeps the last good IR and an answering page while a line is half typed', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await tab(page, 'Passes').click();
  await page.locator('.pass-main .view-line').first().waitFor();
  await page.locator('.editor .view-line').filter({ hasText: 'mask = offsets < n' }).click();
  await page.keyboard.press('End');
  await page.keyboard.type(' and (tl.');
  await page.getByRole('button', { name: /^[1-9]\d* problems?$/ }).waitFor();
  expect(await page.getByRole('tab').count()).toBeGreaterThan(4);
  expect(errors).toEqual([]);
  await page.context().close();
});

it('keeps the text over a reload', async () => {
  const { page } = await visit(site);
  await page.locator('.editor .view-line').filter({ hasText: 'def add_kernel' }).click();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Home');
  await page.keyboard.insertText('# never lost\n');
  // At once: nothing may depend on a timer.
  await page.reload();
  await page.locator('.editor .view-line').filter({ hasText: '# never lost' }).waitFor();
  expect(await codeIn(page, '.editor')).toContain('def add_kernel');
  await page.context().close();
});
