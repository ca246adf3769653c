/** Language features of the editor: one test a feature, as a visitor uses it. */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cursorBehind, pointAt } from './editing';
import { expectCode } from './expectCode';
import { codeIn, doubling, openSite, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

/** The editor with the doubling program, compiled: `facts` are there. */
async function editing(text = doubling(1)): Promise<{ page: Page; errors: string[] }> {
  const visited = await visit(site, { text });
  const { page } = visited;
  await page.locator('.editor .view-line').first().waitFor();
  await page.getByText(/compiled in/).waitFor({ timeout: 30_000 });
  return visited;
}
it('completes members, keywords and locals, with documentation', async () => {
  const { page, errors } = await editing();
  await cursorBehind(page, 'mask = offsets < n');
  await page.keyboard.press('Enter');
  await page.keyboard.type('y = tl.lo');
  const list = page.locator('.suggest-widget.visible');
  await list.locator('.monaco-list-row', { hasText: 'load' }).first().waitFor();
  expect(await list.locator('.monaco-list-row').first().innerText()).toContain('load');
  await page.keyboard.press('Enter');
  await page.keyboard.type('(');
  await page.locator('.parameter-hints-widget.visible', { hasText: 'pointer' }).waitFor();
  await page.keyboard.type('x_p');
  await list.locator('.monaco-list-row', { hasText: 'x_ptr' }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type(', ');
  await page.locator('.parameter-hints-widget .parameter.active', { hasText: 'mask' }).waitFor();
  await page.keyboard.type('ma');
  await list.locator('.monaco-list-row', { hasText: 'mask=' }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type('mask');
  await page.keyboard.press('Escape');
  await expectCode(page, '.editor').toContain('y = tl.load(x_ptr, mask=mask');
  expect(errors).toEqual([]);
  await page.context().close();
});

it('has torch from the packages themselves', async () => {
  const { page } = await editing();
  await cursorBehind(page, 'out = torch.empty_like(x)');
  await page.keyboard.press('Enter');
  await page.keyboard.type('z = torch.matm');
  const row = page.locator('.suggest-widget.visible .monaco-list-row', { hasText: 'matmul' });
  await row.first().waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type('(');
  await page.locator('.parameter-hints-widget.visible', { hasText: 'input, other' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.type('x, x)');
  await page.keyboard.press('Enter');
  await page.keyboard.type('z.sof');
  await page
    .locator('.suggest-widget.visible .monaco-list-row', { hasText: 'softmax' })
    .first()
    .waitFor();
  await page.context().close();
});

it('shows shape, layout, mask and bytes of a load where one hovers', async () => {
  const { page } = await editing();
  await pointAt(page, 'load');
  const hover = page.locator('.monaco-hover:not(.hidden)').first();
  await hover.getByText('fp32[256]').waitFor();
  const text = (await hover.innerText()).replaceAll('\u00a0', ' ');
  expect(text).toContain('reads at most 1 KiB a program (256 × 4 B)');
  expect(text).toContain('mask');
  expect(text).toContain('a thread');
  expect(text).toContain('tl.load(pointer');
  await page.context().close();
});

it('goes to definitions and renames everywhere, and undoes it', async () => {
  const { page } = await editing();
  await cursorBehind(page, 'tl.store(out_ptr + off');
  await page.keyboard.press('F12');
  await page.locator('.editor .active-line-number', { hasText: /^9$/ }).waitFor();
  await page.keyboard.type('_');
  await expectCode(page, '.editor').toContain('_offsets = tl.program_id');
  await page.keyboard.press('Backspace');
  await cursorBehind(page, 'tl.store(out_ptr + off');
  await page.keyboard.press('F2');
  const field = page.locator('.rename-box input');
  await field.waitFor();
  await field.fill('places');
  await field.press('Enter');
  await page.locator('.editor .view-line', { hasText: 'tl.store(out_ptr + places' }).waitFor();
  expect(await codeIn(page, '.editor')).not.toContain('offsets');
  await page.keyboard.press('Control+z');
  await page.locator('.editor .view-line', { hasText: 'tl.store(out_ptr + offsets' }).waitFor();
  await page.context().close();
});

it('lists functions, fixes a name that is nearly right, and formats', async () => {
  const { page } = await editing(doubling(1).replace('tl.load(', 'tl.lod('));
  await page.locator('.editor .squiggly-error, .editor .squiggly-warning').first().waitFor();
  await cursorBehind(page, 'x = tl.lo');
  await page.keyboard.press('Control+.');
  await page.getByText('Change to load').click();
  await page.locator('.editor .view-line', { hasText: 'x = tl.load(' }).waitFor();
  await cursorBehind(page, 'mask = offsets < n');
  await page.keyboard.type(' +  0');
  await page.keyboard.press('Control+Shift+o');
  await page.locator('.quick-input-widget', { hasText: 'double' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Editor' }).click();
  await page.getByRole('menuitem', { name: 'Format' }).click();
  await page
    .locator('.editor .view-line', { hasText: 'mask = offsets < n + 0' })
    .waitFor({ timeout: 30_000 });
  await page.context().close();
});

it('mends from the list of problems what is a matter of spelling, and undoes that', async () => {
  const { page, errors } = await editing();
  await cursorBehind(page, 'x = tl.load(x_ptr + offsets, mask=mask)');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /problem/ }).click();
  const problems = page.getByRole('region', { name: 'Problems' });
  const fix = problems.getByRole('button', { name: 'Insert ) at the end of line 11' });
  await fix.click();
  await page.locator('.editor .view-line', { hasText: 'mask=mask)' }).first().waitFor();
  await problems.getByText('No problems.').waitFor();
  expect(await codeIn(page, '.editor')).toContain('x = tl.load(x_ptr + offsets, mask=mask)\n');
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('Control+z');
  await fix.waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('has tile shapes behind names from the first visit', async () => {
  const { page } = await visit(site, { text: doubling(1), hints: true });
  await page.locator('.editor .view-line', { hasText: 'int32[256]' }).first().waitFor();
  await page.getByRole('button', { name: 'Editor' }).click();
  const item = page.getByRole('menuitemcheckbox', {
    name: 'Show tile shapes inline',
    checked: true,
  });
  await item.waitFor();
  await page.context().close();
});

it('has tile shapes behind names and Vim keys where one switches them on', async () => {
  const { page } = await editing();
  const menu = page.getByRole('button', { name: 'Editor' });
  await menu.click();
  await page.getByRole('menuitemcheckbox', { name: 'Tile shapes' }).click();
  await page.locator('.editor .view-line', { hasText: 'int32[256]' }).first().waitFor();
  await menu.click();
  await page.getByRole('menuitemcheckbox', { name: 'Vim keys' }).click();
  await page.locator('.vim-status').getByText('NORMAL').waitFor({ timeout: 20_000 });
  await cursorBehind(page, 'offsets < n');
  await page.keyboard.type('dd');
  await page
    .locator('.editor .view-line', { hasText: 'offsets < n' })
    .waitFor({ state: 'detached' });
  await page.keyboard.type('u');
  await page.locator('.editor .view-line', { hasText: 'offsets < n' }).waitFor();
  await page.context().close();
});

it('sets breakpoints in the margin, which move with their lines', async () => {
  const { page } = await editing();
  await cursorBehind(page, 'x = tl.load(');
  await page.keyboard.press('F9');
  const dot = page.locator('.editor .glyph-breakpoint');
  await dot.waitFor();
  const before = (await dot.boundingBox())!.y;
  await cursorBehind(page, 'mask = offsets < n');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await dot.boundingBox())!.y).toBe(before + 20);
  await dot.click();
  await dot.waitFor({ state: 'detached' });
  await page.context().close();
});
