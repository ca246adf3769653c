/**
 * Work is safe: programs and their history are kept, deleting can be undone, two tabs do not fight.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright';
import { expectCode } from './expectCode';
import { doubling, openSite, ready, runToEnd, type Site, until, visit } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

const programButton = (page: Page) => page.getByRole('button', { name: /^Program: / });
/** Puts a line before the first one. */
async function typeFirst(page: Page, text: string): Promise<void> {
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.insertText(`${text}\n`);
  await page.locator('.editor .view-line').filter({ hasText: text }).waitFor();
}
async function command(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill(words);
  await page.getByRole('dialog').getByRole('option').first().waitFor();
  await page.keyboard.press('Enter');
}

it('keeps several programs: new, rename, duplicate, delete and its undo', async () => {
  const { page, errors } = await visit(site);
  await page.locator('.editor .view-line').first().waitFor();
  await command(page, 'new program');
  await page.locator('.editor .view-line').filter({ hasText: 'def square_kernel' }).waitFor();
  await typeFirst(page, '# mine');
  // At once: nothing may depend on a timer.
  await page.reload();
  await page.locator('.editor .view-line').filter({ hasText: '# mine' }).waitFor();
  await page.keyboard.press('Alt+o');
  const dialog = page.getByRole('dialog', { name: 'My programs' });
  await dialog.getByRole('button', { name: 'Rename Untitled' }).click();
  await dialog.getByRole('textbox').fill('Squares');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Duplicate Squares', exact: true }).click();
  await dialog.getByRole('button', { name: 'Delete Squares (copy)' }).waitFor();
  await dialog.getByRole('button', { name: 'Delete Squares', exact: true }).click();
  await dialog.getByText('Deleted “Squares”.').waitFor();
  expect(await dialog.getByRole('listitem').count()).toBe(1);
  await dialog.getByRole('button', { name: 'Undo' }).click();
  await dialog.getByRole('button', { name: 'Delete Squares', exact: true }).waitFor();
  await dialog.getByText('Squares', { exact: true }).click();
  await page.locator('.editor .view-line').filter({ hasText: '# mine' }).waitFor();
  expect(await programButton(page).innerText()).toBe('Squares');
  expect(errors).toEqual([]);
  await page.context().close();
});

it('keeps the undo histories of programs apart, whose files have one name', async () => {
  const { page, errors } = await visit(site);
  await page.locator('.editor .view-line').first().waitFor();
  await command(page, 'new program');
  await typeFirst(page, '# the first');
  await command(page, 'new program');
  await page
    .locator('.editor .view-line')
    .filter({ hasText: '# the first' })
    .waitFor({ state: 'detached' });
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('Control+z');
  await expectCode(page, '.editor').not.toContain('# the first');
  expect(errors).toEqual([]);
  await page.context().close();
});

it('notes a moment with every run, shows it against the text, and restores it', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await ready(page);
  await runToEnd(page);
  await typeFirst(page, '# after the run');
  await page.keyboard.press('Alt+h');
  const dialog = page.getByRole('dialog', { name: /^History of/ });
  await dialog.getByRole('button', { name: /on run/ }).waitFor();
  await dialog.locator('.modified .view-line').filter({ hasText: '# after the run' }).waitFor();
  await dialog.getByRole('button', { name: 'Restore' }).click();
  await page
    .locator('.editor .view-line')
    .filter({ hasText: '# after the run' })
    .waitFor({ state: 'detached' });
  // Restoring can be undone too.
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.locator('.editor .view-line').filter({ hasText: '# after the run' }).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('never lets two tabs overwrite each other', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await page.locator('.editor .view-line').first().waitFor();
  const other = await page.context().newPage();
  await other.goto(site.address);
  await other.getByText('open in another tab').waitFor();
  // Text typed in the first tab is seen in the second.
  await typeFirst(page, '# from the first tab');
  await other.locator('.editor .view-line').filter({ hasText: '# from the first tab' }).waitFor();
  // Text typed in the second goes into a copy.
  await typeFirst(other, '# from the second tab');
  await other.getByRole('button', { name: /Program: .*\(copy\)/ }).waitFor();
  await typeFirst(page, '# still the first tab');
  for (const one of [page, other]) await one.reload();
  await page.locator('.editor .view-line').filter({ hasText: '# still the first tab' }).waitFor();
  const kept = (): Promise<{ name: string; text: string }[]> =>
    page.evaluate(async () => {
      const open = indexedDB.open('hippocamp-programs');
      await new Promise((done) => (open.onsuccess = done));
      const all = open.result.transaction('programs').objectStore('programs').getAll();
      await new Promise((done) => (all.onsuccess = done));
      open.result.close();
      return (all.result as { name: string; files: Record<string, string> }[]).map((one) => ({
        name: one.name,
        text: Object.values(one.files).join(),
      }));
    });
  const isCopy = ({ name }: { name: string }): boolean => name.endsWith('(copy)');
  // The last typed text comes back from the draft; it is kept a moment later.
  await expect
    .poll(async () => (await kept()).find((one) => !isCopy(one))?.text)
    .toContain('# still the first tab');
  const programs = await kept();
  expect(programs.find(isCopy)?.text).toContain('# from the second tab');
  expect(programs.find((one) => !isCopy(one))?.text).not.toContain('# from the second tab');
  expect(errors).toEqual([]);
  await page.context().close();
});

it('takes a program over from another tab, and gets one that is free', async () => {
  const { page } = await visit(site, { text: doubling(1) });
  await page.locator('.editor .view-line').first().waitFor();
  const other = await page.context().newPage();
  await other.goto(site.address);
  await other.getByRole('button', { name: 'Take over' }).click();
  await page.getByText('open in another tab').first().waitFor();
  await typeFirst(other, '# taken over');
  await page.locator('.editor .view-line').filter({ hasText: '# taken over' }).waitFor();
  await other.close();
  await page.getByText('open in another tab').first().waitFor({ state: 'detached' });
  await typeFirst(page, '# free again');
  expect(await programButton(page).innerText()).not.toContain('copy');
  await page.context().close();
});

it('imports and exports files and folders', async () => {
  const { page, errors } = await visit(site);
  await page.locator('.editor .view-line').first().waitFor();
  await page.keyboard.press('Alt+o');
  const dialog = page.getByRole('dialog', { name: 'My programs' });
  await dialog.locator('input[type=file]').setInputFiles([
    { name: 'helpers.py', mimeType: 'text/x-python', buffer: Buffer.from('TWO = 2\n') },
    {
      name: 'main.py',
      mimeType: 'text/x-python',
      buffer: Buffer.from('import helpers\nprint(helpers.TWO * 21)\n'),
    },
    { name: 'weights.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 1, 2]) },
  ]);
  await dialog.getByText(/Left out, not Python text: weights.bin/).waitFor();
  const saved = page.waitForEvent('download');
  await dialog
    .getByRole('button', { name: /^Export / })
    .first()
    .click();
  const buffer = readFileSync(await (await saved).path());
  await dialog
    .locator('input[type=file]')
    .setInputFiles([{ name: 'helpers.zip', mimeType: 'application/zip', buffer }]);
  await until(page, 'document.querySelectorAll(".program-list > li").length === 2');
  await page.keyboard.press('Escape');
  await ready(page);
  await runToEnd(page);
  await page.getByText('42', { exact: true }).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('undoes what is not text: settings, files, imports, a reset, in the order that they were done', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  const line = (text: string) => page.locator('.editor .view-line').filter({ hasText: text });
  await line('def double').waitFor();
  const theme = () => page.evaluate('document.documentElement.dataset.theme');
  // 1: a second file, and that file deleted.
  await page.getByRole('button', { name: 'New file' }).click();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'File helpers.py' }).click();
  await page.getByRole('menuitem', { name: 'Delete helpers.py' }).click();
  await page.getByRole('tab', { name: 'helpers.py' }).waitFor({ state: 'detached' });
  // 2: two themes, which is one thing to undo.
  const was = await theme();
  await command(page, 'theme dark');
  await command(page, 'theme light');
  // 3: back to the example.
  await command(page, 'reset the program');
  await line('def add_kernel').waitFor();
  // 4: an import, which is another program.
  await page.keyboard.press('Alt+o');
  const dialog = page.getByRole('dialog', { name: 'My programs' });
  await dialog
    .locator('input[type=file]')
    .setInputFiles([
      { name: 'other.py', mimeType: 'text/x-python', buffer: Buffer.from('print("other")\n') },
    ]);
  await dialog.getByText('Imported “other”.').waitFor();
  await page.keyboard.press('Escape');
  await line('print("other")').waitFor();

  await page.keyboard.press('Alt+z');
  await line('print("other")').waitFor({ state: 'detached' });
  await line('def add_kernel').waitFor();
  await page.keyboard.press('Alt+z');
  await line('def double').waitFor();
  await page.keyboard.press('Alt+z');
  await page.waitForFunction((before) => document.documentElement.dataset['theme'] === before, was);
  await page.keyboard.press('Alt+z');
  await page.getByRole('tab', { name: 'helpers.py' }).waitFor();
  // Nothing is left, and nothing happens.
  await page.keyboard.press('Alt+z');
  await page.getByRole('tab', { name: 'helpers.py' }).waitFor();
  await line('def double').waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});
