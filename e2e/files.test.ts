/**
 * Programs of several files: tabs, imports in Python and in the compiler, errors in their own file.
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectCode } from './expectCode';
import { doubling, openSite, output, ready, runToEnd, tab, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

const HELPERS = `import triton
import triton.language as tl


@triton.jit
def twice(a):
    return a + a
`;
const MAIN = doubling(1)
  .replace('import torch\n', 'import torch\nfrom helpers import twice\n')
  .replace('x * 2.0 * 1', 'twice(x)');

/** Monaco closes brackets and indents while one types; pasting it does not. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((content) => navigator.clipboard.writeText(content), text);
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+v');
}

it('adds, runs, follows, renames and deletes a second file', async () => {
  const { page, errors } = await visit(site, {
    text: MAIN,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await page.locator('.editor .view-line').first().waitFor();
  await page.getByRole('button', { name: 'New file' }).click();
  await page.getByRole('textbox', { name: 'Name of helpers.py' }).press('Enter');
  const files = page.getByRole('tablist', { name: 'Files' });
  await files.getByRole('tab', { name: 'helpers.py', selected: true }).waitFor();
  await page.locator('.editor .view-line').first().click();
  await paste(page, HELPERS);
  await page.locator('.editor .view-line', { hasText: 'def twice' }).waitFor();

  // The compiler inlines the helper from the other file, and Python imports it.
  await page.getByText(/compiled in/).waitFor();
  await ready(page);
  await runToEnd(page);
  expect(await output(page).innerText()).toContain('close: True');

  // A line of the WGSL leads to the file that it comes from, and back.
  await files.getByRole('tab', { name: 'vector_add.py' }).click();
  await tab(page, 'Passes').click();
  await page.locator('.pass-main .view-line').filter({ hasText: 'arith.addf' }).first().click();
  await files.getByRole('tab', { name: 'helpers.py', selected: true }).waitFor();
  await page.locator('.editor .line-lit').waitFor();

  // Definitions cross files.
  await files.getByRole('tab', { name: 'vector_add.py' }).click();
  const call = page.locator('.editor .view-line').filter({ hasText: 'twice(x)' });
  await call.click();
  await page.keyboard.press('End');
  for (let i = 0; i < '(x), mask=mask)'.length + 1; i++) await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('F12');
  await files.getByRole('tab', { name: 'helpers.py', selected: true }).waitFor();

  // An error is shown in its own file.
  await page.locator('.editor .view-line').filter({ hasText: 'return a + a' }).click();
  await page.keyboard.press('End');
  await page.keyboard.type(' + nowhere');
  await page.locator('.editor .squiggly-error').first().waitFor();
  await page.getByRole('button', { name: /problem/ }).click();
  await page.locator('.problems').getByText('helpers.py:7').first().waitFor();

  await page.getByRole('button', { name: 'File helpers.py' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  const name = page.getByRole('textbox', { name: 'Name of helpers.py' });
  await name.fill('vector_add.py');
  await page.getByRole('alert').filter({ hasText: 'already' }).waitFor();
  await name.fill('other.py');
  await name.press('Enter');
  await files.getByRole('tab', { name: 'other.py', selected: true }).waitFor();
  await expectCode(page, '.editor').toContain('def twice');
  await page.getByRole('button', { name: 'File other.py' }).click();
  await page.getByRole('menuitem', { name: 'Delete other.py' }).click();
  await files.getByRole('tab', { name: 'other.py' }).waitFor({ state: 'detached' });
  await expectCode(page, '.editor').toContain('def double');
  expect(errors).toEqual([]);
  await page.context().close();
});

it('renames a helper in both files at once', async () => {
  const { page } = await visit(site, {
    text: MAIN,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await page.locator('.editor .view-line').first().waitFor();
  await page.getByRole('button', { name: 'New file' }).click();
  await page.getByRole('textbox', { name: 'Name of helpers.py' }).press('Enter');
  await page.locator('.editor .view-line').first().click();
  await paste(page, HELPERS);
  await page.locator('.editor .view-line').filter({ hasText: 'def twice' }).click();
  await page.keyboard.press('Home');
  for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('F2');
  const field = page.locator('.rename-box input');
  await field.waitFor();
  await field.fill('both');
  await field.press('Enter');
  await page.locator('.editor .view-line', { hasText: 'def both' }).waitFor();
  await page.getByRole('tab', { name: 'vector_add.py' }).click();
  await page.locator('.editor .view-line', { hasText: 'from helpers import both' }).waitFor();
  await page.locator('.editor .view-line', { hasText: 'both(x)' }).waitFor();
  await page.context().close();
});

it('edits on a phone with the same functions behind', async () => {
  const { page, errors } = await visit(site, {
    text: doubling(1),
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const text = page.locator('.touch-editor .cm-content');
  await text.waitFor();
  await text.getByText('mask = offsets').click();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('y = tl.lo');
  await page.locator('.cm-tooltip-autocomplete').getByText('load', { exact: true }).click();
  await text.getByText('y = tl.load').waitFor();
  await page.keyboard.type('x(');
  await page.locator('.cm-lint-marker-error').first().waitFor();
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await text.getByText('mask = offsets').click();
  await page.getByRole('button', { name: 'What is this?' }).click();
  await page.locator('.touch-about').getByText('int').first().waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});
