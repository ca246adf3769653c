/**
 * Without a network: after one visit everything opens and runs, on a host that sends no headers
 * and below a path. Builds are never mixed, and no text is lost by a new one. `OFFLINE=all` runs
 * every program of the gallery and opens and checks every lesson with the network cut.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { COURSES } from '../app/tutorials/course';
import { fromToday, timeIsUp } from '../scripts/budget';
import { linkTo, plainHost, printed, runLink } from './attack';
import { bareSite } from './bare';
import { buildIn, laterBuild } from './builds';
import { eventually } from './expectCode';
import {
  openSite,
  output,
  READY,
  ready,
  runToEnd,
  STEP,
  tab,
  toEnd,
  visit,
  type Site,
} from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

const ALL = process.env['OFFLINE'] === 'all';
const KEPT = 'work without a network';

/** A visitor whose browser has service workers. */
function visitKept(
  address: string,
  options: BrowserContextOptions & { readonly text?: string } = {},
): ReturnType<typeof visit> {
  return visit({ ...site, address }, { serviceWorkers: 'allow', ...options });
}

const setting = (page: Page) => page.locator('.setting', { hasText: 'Offline use' });
/** Opens the settings, waits until they say this, and closes them. */
async function untilSaid(page: Page, text: string | RegExp): Promise<string> {
  await page.getByRole('button', { name: 'Settings' }).click();
  await setting(page)
    .getByText(text)
    .waitFor({ timeout: 2 * STEP });
  const said = await setting(page).innerText();
  await page.keyboard.press('Escape');
  return said;
}

/**
 * Paths of all kept answers, by the name of the cache. `open` makes a cache that is deleted
 * meanwhile: where one goes, `kept` says when.
 */
function cached(page: Page): Promise<Record<string, string[]>> {
  return page.evaluate(async () => {
    const found: Record<string, string[]> = {};
    for (const name of await caches.keys()) {
      const keys = await (await caches.open(name)).keys();
      found[name] = keys.map(({ url }) => new URL(url).pathname);
    }
    return found;
  });
}
const kept = (page: Page): Promise<string[]> => page.evaluate(() => caches.keys());
const isolated = (page: Page): Promise<boolean> => page.evaluate(() => crossOriginIsolated);

/** A program that tries what a stranger's could, with the page kept. */
const STRANGER = `
import js
from pyodide.ffi import run_sync

for name in ("caches", "indexedDB", "navigator.serviceWorker", "fetch"):
    try:
        found = js
        for part in name.split("."):
            found = getattr(found, part)
        run_sync(found("x"))
        print("came through:", name)
    except BaseException as error:
        print("refused:", name, type(error).__name__)
print("all tried")
`;

it('opens and runs everything after one visit, with the network cut', async () => {
  const host = await plainHost({ under: '/some/path/' });
  const { page, errors } = await visitKept(host.address);
  await ready(page);
  expect(await isolated(page)).toBe(false);
  const said = await untilSaid(page, KEPT);
  // Nothing was kept before the page was there and Python with it.
  const at = (name: string): number => host.requested.findIndex((path) => path.endsWith(name));
  expect(at('serviceWorker.js')).toBeGreaterThan(at('python-snapshot.bin'));
  expect(at('python-snapshot.bin')).toBeGreaterThan(0);
  expect(said).toContain('not cross-origin isolated');
  const { files } = buildIn(host.folder);
  const caches = await cached(page);
  expect(Object.keys(caches)).toHaveLength(1);
  expect(Object.keys(caches)[0]).toMatch(/^hippocamp:\/some\/path\/:/);
  expect(Object.values(caches)[0]!.toSorted()).toEqual(
    files.map(({ path }) => `/some/path/${path}`).toSorted(),
  );

  await host.close();
  await page.context().setOffline(true);
  await page.reload();
  await ready(page);
  // The kept page has the headers that the host does not send.
  expect(await isolated(page)).toBe(true);
  await runToEnd(page);
  await output(page).getByText('as PyTorch computes it: True').waitFor();
  for (const [name, text] of [
    ['Compare', '1 passed'],
    ['Timing', 'vector-add'],
    ['Passes', 'eliminate_dead_code'],
    ['WGSL', '@workgroup_size'],
    ['Memory', 'x_ptr'],
    ['Layout', '%offsets'],
    ['Debugger', 'Step over'],
  ] as const) {
    await tab(page, name).click();
    await eventually(async () =>
      (await page.locator('.tabpanel[data-state=active]').innerText()).replaceAll('\u00a0', ' '),
    ).toContain(text);
  }
  for (const key of ['Control+k', 'Control+s', 'Alt+o', 'Alt+h']) {
    await page.keyboard.press(key);
    await page
      .getByRole('dialog')
      .getByRole('heading')
      .or(page.getByRole('combobox'))
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  // Ruff is loaded when somebody formats.
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.insertText('spaced   =  1\n');
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('What do you want to do?').fill('format');
  await page.getByRole('option', { name: /Format the program/ }).click();
  const line = page.locator('.editor .view-line').filter({ hasText: 'spaced' });
  await eventually(async () => (await line.innerText()).replaceAll('\u00a0', ' ')).toBe(
    'spaced = 1',
  );

  await page.goto(`${host.address}#/learn/p01-load-store`);
  await page.getByRole('article').waitFor();
  await toEnd(page, () => page.getByRole('button', { name: /^Check$/ }).click());
  await page.getByRole('region', { name: 'Checks' }).getByText('✗').first().waitFor();

  // A link opens, and its program reaches nothing of all that is kept.
  await runLink(page, 'stranger', STRANGER);
  const text = await printed(page);
  expect(text).toContain('all tried');
  expect(text).not.toContain('came through');
  expect(await cached(page)).toEqual(caches);
  expect(errors).toEqual([]);
  await page.context().close();
});

it('never mixes builds, offers a new one when it is whole, and loses no text', async () => {
  const later = await laterBuild('The later build');
  const host = await plainHost({ headers: true });
  const first = host.folder;
  const { page, errors } = await visitKept(host.address);
  await ready(page);
  await untilSaid(page, KEPT);
  const [before] = Object.keys(await cached(page));
  const other = await page.context().newPage();
  const requested: string[] = [];
  other.on('request', (request) => requested.push(new URL(request.url()).pathname));
  other.on('pageerror', (error) => errors.push(error.message));
  await other.goto(`${host.address}#/learn/p01-load-store`);
  await ready(other);

  // A server on which one file of the new build has not arrived yet.
  const names = (folder: string) => new Set(buildIn(folder).files.map(({ path }) => `/${path}`));
  const [old, fresh] = [names(first), names(later)];
  const missing = [...fresh].find((path) => /\/Debugger-.*\.js$/.test(path))!;
  const content = readFileSync(join(later, missing));
  rmSync(join(later, missing));
  host.folder = later;
  await page.reload();
  await page.getByRole('button', { name: /^Program: / }).waitFor();
  expect(await page.title()).not.toBe('The later build');
  const update = () =>
    page.evaluate(async () => {
      const found = await navigator.serviceWorker.getRegistration();
      await found!.update().catch(() => {});
      const { installing } = found!;
      if (installing)
        await new Promise<void>((done) => {
          installing.onstatechange = () => {
            if (installing.state !== 'installing') done();
          };
        });
      return found!.waiting !== null;
    });
  expect(await update()).toBe(false);
  expect(await page.getByText('new version ready').count()).toBe(0);

  writeFileSync(join(later, missing), content);
  const sent = host.requested.length;
  expect(await update()).toBe(true);
  await page.getByText('new version ready').waitFor();
  // Files that both have are not downloaded again.
  expect(host.requested.slice(sent).filter((path) => old.has(path) && path !== '/')).toEqual([]);
  expect(await page.title()).not.toBe('The later build');

  // The old page goes on with its own files.
  await tab(page, 'Layout').click();
  await page.locator('.tabpanel[data-state=active]').getByText('%offsets').first().waitFor();
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.insertText('# typed before the reload\n');
  // It is not done where the text could not be kept.
  await page.evaluate(() => {
    const own = [Storage.prototype.setItem, IDBObjectStore.prototype.put] as const;
    Storage.prototype.setItem = IDBObjectStore.prototype.put = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    Object.assign(self, {
      mend: () => ([Storage.prototype.setItem, IDBObjectStore.prototype.put] = own),
    });
  });
  await page.keyboard.insertText('# typed where nothing is kept\n');
  const pressed = page.locator('.statusbar').getByRole('button', { name: 'Reload' });
  await pressed.click();
  await page.getByText('Not reloaded: this browser keeps no data').waitFor();
  await page.evaluate('void mend()');
  await pressed.click();
  await eventually(() => page.title().catch(() => '')).toBe('The later build');
  await page
    .locator('.editor .view-line')
    .filter({ hasText: '# typed before the reload' })
    .waitFor();
  await page
    .locator('.editor .view-line')
    .filter({ hasText: '# typed where nothing is kept' })
    .waitFor();
  await ready(page);
  await runToEnd(page);

  // So does the page in the other tab, which the later build's worker now serves.
  await other.getByText('new version ready').waitFor();
  await other.goto(linkTo(host.address, 'mine', 'import torch\nprint(torch.ones(3).sum())\n'));
  await runToEnd(other);
  await tab(other, 'Memory').click();
  await other.locator('.tabpanel[data-state=active]').getByText('launch').first().waitFor();
  expect(await other.title()).not.toBe('The later build');
  const mixed = requested.filter((path) => fresh.has(path) && !old.has(path));
  expect(mixed).toEqual([]);
  expect(Object.keys(await cached(page))).toContain(before);

  // The old build's files go when no page shows it.
  await other.reload();
  await eventually(() => other.title()).toBe('The later build');
  await ready(other);
  await eventually(() => kept(page)).toHaveLength(1);
  expect(await kept(page)).not.toContain(before);
  expect(errors).toEqual([]);
  await page.context().close();
  await host.close();
  rmSync(later, { recursive: true });
});

it('removes what is kept, and keeps it again, by buttons of the settings', async () => {
  const host = await plainHost({ headers: true });
  const { page, errors } = await visitKept(host.address, { text: 'print("mine")\n' });
  await ready(page);
  await untilSaid(page, KEPT);
  const press = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Settings' }).click();
    await setting(page).getByRole('button', { name }).click();
    await page.keyboard.press('Escape');
  };
  await press('Remove the kept files');
  await eventually(() => kept(page)).toEqual([]);
  // Not again by itself.
  await page.reload();
  await ready(page);
  await untilSaid(page, 'the page needs a network');
  expect(
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length),
  ).toBe(0);
  await press('Keep for offline use');
  await untilSaid(page, KEPT);
  // Within one visit, too, and what the browser deletes by itself is kept again by the next.
  await press('Remove the kept files');
  await press('Keep for offline use');
  await untilSaid(page, KEPT);
  await page.evaluate(async () => {
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys())
        if (request.url.includes('pyodide')) await cache.delete(request);
    }
  });
  await page.reload();
  await ready(page);
  await untilSaid(page, KEPT);
  const { files } = buildIn(host.folder);
  expect(Object.values(await cached(page))[0]).toHaveLength(files.length);
  await page.locator('.editor .view-line').filter({ hasText: 'print("mine")' }).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
  await host.close();
});

it('keeps nothing by itself on a slow or metered line, or in a frame of others', async () => {
  const host = await plainHost({ headers: true });
  const { page } = await visitKept(host.address);
  await page.context().addInitScript(() => {
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } });
  });
  // The first visit may have begun to keep it.
  await page.evaluate(async () => {
    for (const each of await navigator.serviceWorker.getRegistrations()) await each.unregister();
  });
  await page.reload();
  await ready(page);
  await untilSaid(page, 'slow or metered');
  expect(
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length),
  ).toBe(0);
  await page.getByRole('button', { name: 'Settings' }).click();
  await setting(page).getByRole('button', { name: 'Keep for offline use' }).click();
  await setting(page).getByText(KEPT).waitFor({ timeout: STEP });
  await page.context().close();

  const frame = `<iframe src="${host.address}" width="1200" height="800"></iframe>`;
  const blog = await bareSite({ 'index.html': `<!doctype html><title>A blog</title>${frame}` });
  const around = await visitKept(blog.address);
  const inside = around.page.frames().find((each) => each.url() === host.address)!;
  await inside.locator('[role=status][data-phase=ready]').waitFor({ timeout: READY });
  await around.page.waitForTimeout(3000);
  expect(
    await inside.evaluate(async () => [
      (await navigator.serviceWorker.getRegistrations()).length,
      await caches.keys(),
    ]),
  ).toEqual([0, []]);
  await around.page.context().close();
  await blog.close();
  await host.close();
});

it.runIf(ALL)(
  'runs every program of the gallery, and plays every lesson, with the network cut',
  async () => {
    const host = await plainHost({ headers: true });
    const { page, errors } = await visitKept(host.address);
    await ready(page);
    await untilSaid(page, KEPT);
    await host.close();
    await page.context().setOffline(true);
    const examples = JSON.parse(
      readFileSync(join(import.meta.dirname, '..', 'public', 'examples', 'index.json'), 'utf8'),
    ) as { file: string; title: string }[];
    let played = 0;
    for (const { file } of fromToday(examples)) {
      if (timeIsUp()) break;
      await page.evaluate((name) => localStorage.setItem('hippocamp:current', name), file);
      await page.evaluate(() => sessionStorage.clear());
      await page.goto('about:blank');
      await page.goto(host.address);
      await ready(page);
      await page.getByRole('tab', { name: file }).waitFor();
      await runToEnd(page);
      expect([file, await page.locator('[role=status][data-phase]').innerText()]).toEqual([
        file,
        expect.stringContaining('Python ready'),
      ]);
      // A note is no failure: a busy machine measures fewer configurations.
      const failed = output(page).locator('.error-card:not(.warning)');
      expect([file, await failed.allInnerTexts()]).toEqual([file, []]);
      played++;
    }
    const lessons = COURSES.flatMap((course) => course.lessons);
    for (const { slug } of fromToday(lessons)) {
      if (timeIsUp()) break;
      await page.goto(`${host.address}#/learn/${slug}`);
      await page.getByRole('article').waitFor();
      await page.getByRole('button', { name: /^Show solution$/ }).click();
      await toEnd(page, () => page.getByRole('button', { name: /^Check$/ }).click());
      const checks = await page.getByRole('region', { name: 'Checks' }).innerText();
      expect([slug, checks]).toEqual([slug, expect.stringMatching(/All \d+ checks passed/)]);
      played++;
    }
    console.log(`${played} of ${examples.length + lessons.length} with the network cut`);
    expect(errors).toEqual([]);
    await page.context().close();
  },
  3 * 60 * 60_000,
);
