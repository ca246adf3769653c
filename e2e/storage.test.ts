/**
 * Storage that fails: full, hanging, of a newer page, gone in the middle of a write. The page opens
 * every time, what is typed is never lost without a word, and programs can be exported.
 */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSite, STEP, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: false });
});
afterAll(() => site.close());

const line = (page: Page, text: string) =>
  page.locator('.editor .view-line').filter({ hasText: text });

async function typeFirst(page: Page, text: string): Promise<void> {
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.insertText(`${text}\n`);
  await line(page, text).first().waitFor();
}

/** Text of the `.py` that Share exports. */
async function exported(page: Page): Promise<string> {
  await page.keyboard.press('Control+s');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('tab', { name: 'Export' }).click();
  const saved = page.waitForEvent('download');
  await dialog.getByRole('button', { name: /\.py/ }).first().click();
  const text = readFileSync(await (await saved).path(), 'utf8');
  await page.keyboard.press('Escape');
  return text;
}

/** Ways in which a browser's storage fails, as scripts that run before the page's own. */
const FAILURES: Readonly<Record<string, string>> = {
  'is full': `
    const full = () => { throw new DOMException('full', 'QuotaExceededError'); };
    Storage.prototype.setItem = full;
    IDBObjectStore.prototype.put = full;
    IDBObjectStore.prototype.add = full;`,
  'throws at every touch': `
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches'])
      Object.defineProperty(self, name, {
        get() { throw new DOMException('denied', 'SecurityError'); } });`,
  'never answers, and is full': `
    const { open } = IDBFactory.prototype;
    IDBFactory.prototype.open = function (...given) {
      const request = open.apply(this, given);
      for (const type of ['success', 'error', 'upgradeneeded', 'blocked'])
        request.addEventListener(type, (event) => event.stopImmediatePropagation(), true);
      return request;
    };
    Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };`,
  'fails at the end of each transaction': `
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = function (...given) {
      const request = put.apply(this, given);
      this.transaction.abort();
      return request;
    };
    Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };`,
};

it.each(Object.entries(FAILURES))(
  'opens, says so and exports where storage %s',
  async (_, script) => {
    const context = await site.browser.newContext({ viewport: { width: 1440, height: 900 } });
    context.setDefaultTimeout(STEP);
    await context.addInitScript(script);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(site.address);
    await line(page, 'Vector add').first().waitFor({ timeout: 20_000 });
    await typeFirst(page, '# mine');
    await page.getByText('this browser keeps no data: copy your text').waitFor();
    expect(await exported(page)).toContain('# mine');
    expect(errors).toEqual([]);
    await context.close();
  },
);

/** A database that answers nothing until `answer()` is called. */
const SILENT = `
  const { open } = IDBFactory.prototype;
  const held = [];
  let silent = true;
  IDBFactory.prototype.open = function (...given) {
    const request = open.apply(this, given);
    const hold = (event) => {
      if (!silent) return;
      event.stopImmediatePropagation();
      held.push(() => request.dispatchEvent(new Event(event.type)));
    };
    request.addEventListener('success', hold, true);
    return request;
  };
  self.answer = () => { silent = false; for (const each of held) each(); };`;

it('loses no text of a database that does not answer in time', async () => {
  const { page, errors } = await visit(site);
  await line(page, 'Vector add').first().waitFor();
  await typeFirst(page, '# the first visit');
  await page.waitForTimeout(1500);
  const silent = await page.context().newPage();
  silent.on('pageerror', (error) => errors.push(error.message));
  await page.close();
  await silent.addInitScript(SILENT);
  await silent.goto(site.address);
  // The example as it was: the page says that something may be missing, and shows it when it comes.
  await line(silent, 'Vector add').first().waitFor();
  await silent.getByText('storage does not answer').waitFor();
  expect(await line(silent, '# the first visit').count()).toBe(0);
  await silent.evaluate('answer()');
  await line(silent, '# the first visit').first().waitFor();
  await silent.getByText('storage does not answer').waitFor({ state: 'detached' });

  // Text typed over what was not seen: both stay.
  await silent.reload();
  await silent.getByText('storage does not answer').waitFor();
  await typeFirst(silent, '# the second visit');
  await silent.waitForTimeout(1000);
  const third = await silent.context().newPage();
  await silent.close();
  await third.goto(site.address);
  await line(third, '# the second visit').first().waitFor();
  await third.waitForTimeout(1000);
  await third.keyboard.press('Alt+h');
  const dialog = third.getByRole('dialog', { name: /^History of/ });
  await dialog
    .getByRole('button', { name: /pause|while editing/ })
    .first()
    .click();
  await dialog.locator('.view-line').filter({ hasText: '# the first visit' }).first().waitFor();
  expect(errors).toEqual([]);
  await third.context().close();
});

it('opens beside the database of a newer page, and keeps drafts', async () => {
  const { page, errors } = await visit(site);
  await line(page, 'Vector add').first().waitFor();
  await page.evaluate(async () => {
    const opening = indexedDB.open('hippocamp-programs', 99);
    await new Promise((done) => (opening.onsuccess = done));
    opening.result.close();
  });
  await page.reload();
  await line(page, 'Vector add').first().waitFor();
  await typeFirst(page, '# beside the newer one');
  await page.reload();
  await line(page, '# beside the newer one').first().waitFor();
  expect(await exported(page)).toContain('# beside the newer one');
  expect(errors).toEqual([]);
  await page.context().close();
});

it('has every keystroke after a crash in the middle of writing', async () => {
  const { page } = await visit(site);
  await line(page, 'Vector add').first().waitFor();
  await typeFirst(page, '# before the crash');
  await page.keyboard.type('x = 12345');
  const context = page.context();
  const crashed = page.waitForEvent('crash');
  void page.goto('chrome://crash').catch(() => {});
  await crashed;
  const again = await context.newPage();
  await again.goto(site.address);
  await line(again, '# before the crash').first().waitFor();
  await line(again, '12345').first().waitFor();
  await context.close();
});
