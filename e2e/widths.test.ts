/**
 * At every width from 320 to 3840 CSS pixels, and at 200 % zoom, the page does not scroll sideways
 * and every control can be reached (WCAG 1.4.10): it lies in the window, uncovered, or in a strip
 * that scrolls there.
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { doubling, openSite, ready, runToEnd, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

/** Every 20 pixels where the layout changes, then a few. */
const WIDTHS = [
  ...Array.from({ length: 35 }, (_, step) => 320 + 20 * step),
  1100,
  1180,
  1280,
  1440,
  1920,
  2560,
  3840,
];
const FEW = [320, 390, 540, 600, 640, 700, 752, 820, 899, 900, 960, 1180];

const BARS = '.topbar, .filebar, .tabstrip, .statusbar, .switch-halves, .lesson-nav';
const PANEL = '.tabpanel[data-state=active]';

/** Elements out of reach, one line each. */
function unreachable(page: Page, within: string): Promise<string[]> {
  return page.evaluate((places) => {
    const width = document.documentElement.clientWidth;
    const found: string[] = [];
    if (document.documentElement.scrollWidth > width)
      found.push(`the page is ${document.documentElement.scrollWidth} px wide`);
    const inside = (inner: DOMRect, left: number, right: number): boolean =>
      inner.left >= left - 1 && inner.right <= right + 1;
    /** Visible rectangle; null where it can be scrolled there. */
    const room = (one: Element): { left: number; right: number } | null => {
      let [left, right] = [0, width];
      for (let outer = one.parentElement; outer; outer = outer.parentElement) {
        const { overflowX } = getComputedStyle(outer);
        if (overflowX === 'visible') continue;
        const box = outer.getBoundingClientRect();
        if (overflowX === 'auto' || overflowX === 'scroll') {
          if (outer.scrollWidth > outer.clientWidth && inside(box, left, right)) return null;
        }
        [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      }
      return { left, right };
    };
    /** Whether something that the control is in scrolls down to it. */
    const scrollsTo = (one: Element): boolean => {
      for (let outer = one.parentElement; outer; outer = outer.parentElement) {
        const { overflowY } = getComputedStyle(outer);
        const scrolls = overflowY === 'auto' || overflowY === 'scroll';
        if (scrolls && outer.scrollHeight > outer.clientHeight + 1) return true;
      }
      return false;
    };
    const controls =
      'button, a[href], select, input, textarea, [role=tab], [role=slider], [role^=menuitem]';
    for (const place of document.querySelectorAll(places))
      for (const control of place.querySelectorAll(controls)) {
        if (control.closest('.monaco-editor') || !control.checkVisibility()) continue;
        const box = control.getBoundingClientRect();
        const limits = room(control);
        if (box.width < 2 || !limits) continue;
        const name = control.getAttribute('aria-label') ?? control.textContent!;
        const said = `${name.trim().slice(0, 24)} at ${Math.round(box.left)}–${Math.round(box.right)}`;
        if (!inside(box, limits.left, limits.right)) {
          found.push(`cut: ${said}`);
          continue;
        }
        const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
        if ((box.bottom > innerHeight + 1 || box.top < -1) && !scrollsTo(control))
          found.push(`below or above the window: ${said}`);
        // A list scrolls to the controls that it clips.
        if (y < 0 || y > innerHeight || place.matches('.tabpanel') || scrollsTo(control)) continue;
        const top = document.elementFromPoint(x, y);
        if (top && !control.contains(top) && !top.contains(control))
          found.push(`covered: ${said} by ${top.className}`);
      }
    return found;
  }, within);
}

/** Both halves where one is shown at a time. */
async function sweep(page: Page, widths: readonly number[], within: string): Promise<string[]> {
  const found: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const halves = page.locator('.switch-halves button');
    const count = await halves.count();
    for (let half = 0; half < Math.max(1, count); half++) {
      if (count > 0 && (await halves.nth(half).isVisible())) await halves.nth(half).click();
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)));
      const here = await unreachable(page, within);
      found.push(...here.map((fault) => `${width} px, half ${half}: ${fault}`));
    }
  }
  return found;
}

it('shows every control of the bars at every width, before and after a run', async () => {
  const { page, errors } = await visit(site, { text: doubling(3) });
  await page.getByRole('button', { name: /^Program: / }).waitFor();
  expect(await sweep(page, FEW, BARS)).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 800 });
  await ready(page);
  await runToEnd(page);
  expect(await sweep(page, WIDTHS, BARS)).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
});

it('shows them at 200 % zoom', async () => {
  const { page, errors } = await visit(site, {
    text: doubling(1),
    viewport: { width: 720, height: 450 },
    deviceScaleFactor: 2,
  });
  await ready(page);
  const half = WIDTHS.map((width) => width / 2).filter((width) => width >= 320);
  expect(await sweep(page, half, BARS)).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
});

it('shows those of every panel', async () => {
  const { page, errors } = await visit(site, { text: doubling(3) });
  await ready(page);
  await runToEnd(page);
  const found: string[] = [];
  const names = await page.getByRole('tablist', { name: 'Panels' }).getByRole('tab').all();
  for (let at = 0; at < names.length; at++) {
    await page.setViewportSize({ width: 1440, height: 800 });
    const one = page.getByRole('tablist', { name: 'Panels' }).getByRole('tab').nth(at);
    const name = (await one.innerText()).replace(/\s+/g, ' ');
    await one.click();
    await page.waitForTimeout(500);
    found.push(...(await sweep(page, FEW, PANEL)).map((fault) => `${name}: ${fault}`));
  }
  expect(found).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
});

it.each(['#/learn', '#/learn/04-online-softmax'])('shows those of %s', async (hash) => {
  const { page, errors } = await visit(site);
  await page.goto(`${site.address}${hash}`);
  await page.locator('.courses-inner, .lesson-text').first().waitFor();
  expect(await sweep(page, WIDTHS, BARS)).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
});

const DIALOG = '[role=dialog], [role=menu]';
/** Names, and the way to open each. */
const DIALOGS: readonly (readonly [name: string, open: (page: Page) => Promise<unknown>])[] = [
  ...[
    'Gallery',
    'My programs',
    'Open from a URL',
    'Packages',
    'History of the program',
    'Privacy',
    'Keyboard shortcuts and help',
    'Connect to a Jupyter server',
    'Share',
    'Settings',
  ].map((title) => [title, (page: Page) => byPalette(page, title)] as const),
  ['Share, Embed', (page) => shareTab(page, 'Embed')],
  ['Share, Export', (page) => shareTab(page, 'Export')],
  ['palette', (page) => page.keyboard.press('Control+k')],
  ['program menu', (page) => page.getByRole('button', { name: /^Program: / }).click()],
];

async function byPalette(page: Page, title: string): Promise<void> {
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog');
  await palette.getByRole('combobox').fill(title);
  await palette.getByRole('option').filter({ hasText: title }).first().click();
}
async function shareTab(page: Page, name: string): Promise<void> {
  await byPalette(page, 'Share');
  await page.getByRole('dialog').getByRole('tab', { name }).click();
}

/** Widths of windows as high as a phone that lies, and of 200 % zoom. */
const SIZES = [
  [320, 568],
  [390, 844],
  [640, 360],
  [720, 450],
  [960, 540],
  [1440, 900],
  [3840, 2160],
] as const;

it('shows those of every dialog and menu', { timeout: 600_000 }, async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await page.getByText(/compiled in/).waitFor();
  const found: string[] = [];
  for (const [name, open] of DIALOGS) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await open(page);
    const dialog = page.locator(DIALOG).last();
    await dialog.locator('button, input, a[href], [role^=menuitem]').first().waitFor();
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)));
      expect(await dialog.isVisible(), `${name} is open at ${width} px`).toBe(true);
      const faults = await unreachable(page, DIALOG);
      found.push(...faults.map((fault) => `${name}, ${width}×${height}: ${fault}`));
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  expect(found).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
});
