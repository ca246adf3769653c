/**
 * Data of others (storage, archives, links, workers, programs) never takes the page: it is read if
 * it has the right shape, and shown as what it is.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { chromium, type Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeAs } from '../app/share/codec';
import { EVENTS } from '../app/shapes/testing';
import type { Json } from '../app/share/slices';
import { findChromium } from '../scripts/chromium';
import { bareSite } from './bare';
import { DIST } from './host';
import {
  openSite,
  output,
  prefixScripts,
  ready,
  runToEnd,
  STEP,
  tab,
  visit,
  type Site,
} from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: false });
});
afterAll(() => site.close());

const firstLine = (page: Page) => page.locator('.editor .view-line').first();

it('opens where locks are denied, and where all storage is', async () => {
  const context = await site.browser.newContext();
  // No more than so often: a page that prompts without end could not be used itself.
  await context.addInitScript(`
    self.asked = 0;
    navigator.locks.request = () => ++asked > 500 ? new Promise(() => {})
      : Promise.reject(new DOMException('denied', 'SecurityError'));`);
  const page = await context.newPage();
  await page.goto(site.address);
  await firstLine(page).waitFor();
  const notices = await page.request.get(`${site.address}third-party-notices.txt`);
  expect(await notices.text()).toContain('Mozilla Public License');
  expect(await page.evaluate('asked')).toBeLessThan(5);
  expect(await page.getByText('open in another tab').count()).toBe(0);
  await context.close();

  // The browser's own setting: block all cookies.
  const profile = mkdtempSync(join(tmpdir(), 'hippocamp-profile-'));
  mkdirSync(join(profile, 'Default'));
  const preferences = { profile: { default_content_setting_values: { cookies: 2 } } };
  writeFileSync(join(profile, 'Default', 'Preferences'), JSON.stringify(preferences));
  const blocked = await chromium.launchPersistentContext(profile, {
    executablePath: findChromium()!.path,
    args: ['--no-sandbox'],
  });
  const closed = await blocked.newPage();
  await closed.goto(site.address);
  await firstLine(closed).waitFor();
  const storage = await closed.evaluate(() => {
    try {
      return localStorage.length;
    } catch {
      return 'denied';
    }
  });
  expect(storage).toBe('denied');
  // In a page of somebody else, which has no storage for it either.
  const frame = `<iframe src="${site.address}" width="1200" height="800"></iframe>`;
  const bare = await bareSite({ 'index.html': `<!doctype html><title>A blog</title>${frame}` });
  const around = await closed.context().newPage();
  await around.goto(bare.address);
  const inside = around.frameLocator('iframe');
  await inside.locator('.editor .view-line').first().waitFor({ timeout: STEP });
  await around.close();
  await bare.close();
  await closed.getByText('1 problem').or(closed.getByText('0 problems')).waitFor();
  await blocked.close();
});

/** Archive with these entries, as a file to choose. */
function archive(name: string, files: Record<string, string>) {
  const entries = Object.entries(files).map(([file, text]) => [file, strToU8(text)] as const);
  const buffer = Buffer.from(zipSync(Object.fromEntries(entries)));
  return { name: `${name}.zip`, mimeType: 'application/zip', buffer };
}
const many = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}.py`, `x = ${i}\n`]));

it('takes archives of any names and sizes, and shares what it took', async () => {
  const { page, errors } = await visit(site);
  await firstLine(page).waitFor();
  await page.keyboard.press('Alt+o');
  const dialog = page.getByRole('dialog', { name: 'My programs' });
  const choose = (file: ReturnType<typeof archive>) =>
    dialog.locator('input[type=file]').setInputFiles([file]);
  await choose(archive('many', many(120)));
  await dialog.getByText('A program holds at most 100 files; this one has 120.').waitFor();
  // A model each: the oldest ones have to go.
  for (const name of ['one', 'two', 'three']) {
    await choose(archive(name, many(100)));
    await dialog.getByText(`Imported “${name}”.`).waitFor();
  }
  await choose(
    archive('odd', {
      'main.py': 'import lib.two\n',
      'lib\\two.py': 'TWO = 2\n',
      '../../lib/hippocamp/torch.py': 'x\n',
      [`${'n'.repeat(300)}.py`]: 'x\n',
    }),
  );
  await dialog.getByText('Left out, names that cannot be used: nnnn').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'lib/hippocamp/torch.py' }).waitFor();
  await page.getByRole('tab', { name: 'lib/two.py' }).waitFor();
  await page.keyboard.press('Control+s');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Link', exact: true }).waitFor();
  await page.keyboard.press('Escape');

  // A short link whose panels nest deeper than any of the page's own.
  let panels: Json = 1;
  for (let i = 0; i < 900; i++) panels = [panels];
  const program = { name: 'deep', entry: 'a.py', files: { 'a.py': 'x = "deep"\n' } };
  await page.goto(`${site.address}#/s/${encodeAs(2, { ...program, panels: { deep: panels } })}`);
  await page.locator('.editor .view-line').filter({ hasText: 'deep' }).waitFor();
  await page.keyboard.press('Control+s');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Link', exact: true }).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

/** Writes records into the page's own database, as an older page or a program could. */
async function put(page: Page, store: string, records: readonly unknown[]): Promise<void> {
  await page.evaluate(
    async ({ name, values }) => {
      const opening = indexedDB.open('hippocamp-programs');
      await new Promise((done) => (opening.onsuccess = done));
      const transaction = opening.result.transaction(name, 'readwrite');
      for (const value of values) transaction.objectStore(name).put(value);
      await new Promise((done) => (transaction.oncomplete = done));
      opening.result.close();
    },
    { name: store, values: records },
  );
}

/** All text of a program in the database, if there is one: to open it would make it. */
function storedText(page: Page, id: string): Promise<string> {
  return page.evaluate(async (key) => {
    const all = await indexedDB.databases();
    if (!all.some(({ name }) => name === 'hippocamp-programs')) return '';
    const opening = indexedDB.open('hippocamp-programs');
    await new Promise((done) => (opening.onsuccess = done));
    const { result } = opening;
    const found = result.objectStoreNames.contains('programs')
      ? result.transaction('programs').objectStore('programs').get(key)
      : null;
    if (found) await new Promise((done) => (found.onsuccess = done));
    result.close();
    return JSON.stringify(found?.result ?? null);
  }, id);
}

it('opens with anything in its storage, and keeps on keeping', async () => {
  const { page, errors } = await visit(site);
  await firstLine(page).waitFor();
  const program = { id: 'p', name: 'Mine', entry: 'a.py', files: { 'a.py': 'mine = 1\n' } };
  await put(page, 'programs', [
    { ...program, origin: { kind: 'link' }, updated: Number.NaN },
    { ...program, id: 'q', origin: null, entry: 'gone.py', updated: 1e300 },
    { ...program, id: 'r', name: 'Large', files: many(120), origin: { kind: 'own' }, updated: 1 },
    { id: 's', files: 7 },
  ]);
  await put(page, 'history', [
    { program: 'p', time: Number.NaN, reason: 'none', entry: 'a.py', files: { 'a.py': 'then\n' } },
    { program: 'p', time: 1, files: null },
  ]);
  await page.evaluate(() => {
    const garbage = ['{', 'null', '[]', '7', '{"editor":1e9}', '"x"'];
    const keys = ['react-resizable-panels:layout', 'split', 'settings', 'editor', 'lessons'];
    keys.push('pinned-run', 'draft:p', 'panel', 'watches', 'react-resizable-panels:split-below');
    for (const [i, key] of keys.entries())
      localStorage.setItem(`hippocamp:${key}`, garbage[i % garbage.length]!);
    localStorage.setItem('hippocamp:pinned-run', '{"rows":[null],"charts":[{}]}');
    localStorage.setItem('hippocamp:lessons', '{"a":{"passed":true,"hints":1,"guesses":null}}');
    for (const store of [localStorage, sessionStorage]) store.setItem('hippocamp:current', 'p');
  });
  await page.reload();
  await page.locator('.editor .view-line').filter({ hasText: 'mine = 1' }).waitFor();
  for (const key of ['Control+s', 'Alt+h', 'Alt+o']) {
    await page.keyboard.press(key);
    await page.getByRole('dialog').waitFor();
    expect(await page.getByText('could not be drawn').count()).toBe(0);
    if (key !== 'Alt+o') await page.keyboard.press('Escape');
  }
  // A program that was kept before there was a limit opens, and says why it has no link.
  await page.getByRole('dialog').getByText('Large', { exact: true }).click();
  await page.getByRole('tab', { name: 'f119.py' }).waitFor();
  await page.keyboard.press('Control+s');
  await page.getByRole('dialog').getByText('it has 120 files').waitFor();
  await page.keyboard.press('Escape');

  // The database goes while the page is open: the next change makes it again.
  await page.evaluate(async () => {
    const deletion = indexedDB.deleteDatabase('hippocamp-programs');
    await new Promise((done) => (deletion.onsuccess = done));
  });
  await firstLine(page).click();
  await page.keyboard.insertText('# after\n');
  await expect.poll(() => storedText(page, 'r')).toContain('# after');
  expect(errors).toEqual([]);
  await page.context().close();
});

it('leaves out what no event is, and goes on with the run', async () => {
  const of = (type: string): object => EVENTS.find((event) => event.type === type)!;
  const forged: readonly unknown[] = [
    { ...of('progress'), text: {} },
    { type: 'diagnostic', diagnostic: { code: 1, severity: 'error', location: null, notes: 1 } },
    { type: 'diagnostic', diagnostic: null },
    { ...of('launch'), arguments: null, site: null },
    { ...of('comparison'), heatmap: { rows: 1e9, columns: 1e9, values: [] } },
    { ...of('benchmark'), lines: [{ points: null }] },
    { ...of('tensor'), tensor: {} },
    { ...of('calibration'), calibration: { adapter: {} } },
    { type: 'constructor' },
    null,
    7,
  ];
  const context = await site.browser.newContext({ viewport: { width: 1440, height: 900 } });
  // The chunk that keeps the port's methods as it is evaluated.
  const assets = join(DIST, 'assets');
  const keeper = readdirSync(assets).find(
    (name) =>
      name.endsWith('.js') &&
      readFileSync(join(assets, name), 'utf8').includes('}=MessagePort.prototype'),
  );
  expect(keeper).toBeDefined();
  await prefixScripts(
    context,
    `**/assets/${keeper}`,
    `if (self.name === 'program' && !self.forges) {
       self.forges = true;
       const post = MessagePort.prototype.postMessage;
       MessagePort.prototype.postMessage = function (message, ...rest) {
         post.call(this, message, ...rest);
         const events = message?.type === 'events' ? message.events : [message?.event];
         if (!events.some((event) => event?.type === 'started')) return;
         for (const event of ${JSON.stringify(forged)})
           post.call(this, { type: 'event', run: message.run, event });
       }; }`,
  );
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(site.address);
  await firstLine(page).waitFor();
  await ready(page);
  await runToEnd(page);
  for (const panel of ['Compare', 'Timing', 'Memory', 'Output']) await tab(page, panel).click();
  await output(page).getByText('note: the program’s worker sent something').waitFor();
  expect(await page.getByText('could not be drawn').count()).toBe(0);
  // An event whose run the host cannot compare ends in its handler, and nowhere else.
  expect(errors.filter((message) => !/null|undefined/.test(message))).toEqual([]);
  await context.close();
});

it('offers ways out where the page cannot be drawn', async () => {
  const { page } = await visit(site);
  await firstLine(page).click();
  await page.keyboard.insertText('# mine\n');
  // Whoever asks for the size of something fails, until the page is mended.
  await page.addInitScript(() => {
    self.ResizeObserver = class extends ResizeObserver {
      constructor(callback: ResizeObserverCallback) {
        if (sessionStorage.getItem('mended') === null) throw new Error('no observers');
        super(callback);
      }
    };
  });
  await page.reload();
  await page.getByRole('heading', { name: 'The page could not be drawn' }).waitFor();
  await page.getByText('no observers').waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export my programs (.zip)' }).click();
  expect((await saved).suggestedFilename()).toBe('hippocamp.zip');
  await page.evaluate(() => sessionStorage.setItem('mended', 'yes'));
  await page.getByRole('button', { name: 'Open the gallery' }).click();
  await page.getByRole('dialog', { name: 'Gallery' }).waitFor();
  await page.keyboard.press('Escape');
  await firstLine(page).waitFor();
  await page.context().close();
});

/** Reads as `access != "user"` and a comment; obeys neither. `а` of `аdmin` is Cyrillic. */
const TROJAN = `access = "user"
if access != "user\u202E \u2066# only an admin\u2069 \u2066":
    print("safe \u202Egnp.exe")
print("zero\u200Bwidth")
аdmin = 1
def helper():
    """![pixel](PIXEL) About."""
helper()
raise ValueError("bad \u202Egnp.exe")
`;

it('shows characters that reorder, hide or resemble, and loads nothing for a docstring', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const text = TROJAN.replace('PIXEL', `http://127.0.0.1:${port}/pixel.png`);
  const { page, errors } = await visit(site, { text });
  await page.locator('.editor .unicode-highlight').first().waitFor();
  await page.locator('.editor .view-line').filter({ hasText: '[U+202E]' }).first().waitFor();
  const hidden = page.locator('.editor .view-line').filter({ hasText: 'zero' });
  const mark = page.locator('.editor .unicode-highlight');
  await expect
    .poll(async () => {
      const [line, marks] = [await hidden.boundingBox(), await mark.all()];
      const boxes = await Promise.all(marks.map((each) => each.boundingBox()));
      return boxes.some((box) => box && line && Math.abs(box.y - line.y) < 5);
    })
    .toBe(true);
  await page
    .locator('.editor .view-line')
    .filter({ hasText: /^helper\(\)/ })
    .locator('span span')
    .first()
    .hover();
  await page.locator('.monaco-hover').getByText('About.').waitFor();
  await ready(page);
  await runToEnd(page);
  await output(page).getByText('safe [U+202E]gnp.exe').waitFor();
  await output(page).getByRole('alert').getByText('bad [U+202E]gnp.exe').first().waitFor();
  await page.getByRole('button', { name: /^. ?\d+ problems?$|^\d+ problems?$/ }).click();
  const problems = page.getByRole('region', { name: 'Problems' });
  await problems.getByText('bad [U+202E]gnp.exe').first().waitFor();
  expect(asked).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();

  const phone = await visit(site, { text, viewport: { width: 390, height: 844 }, hasTouch: true });
  await phone.page.locator('.cm-specialChar').first().waitFor();
  expect(await phone.page.locator('.cm-specialChar').count()).toBe(7);
  expect(await phone.page.locator('.cm-lookalike').allInnerTexts()).toEqual(['а']);
  expect(phone.errors).toEqual([]);
  await phone.page.context().close();
  server.close();
});
