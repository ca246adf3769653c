/**
 * Text of strangers in every panel, and messages of strangers' frames. Text is shown as text: no
 * element of it stands in the page. A page that embeds ours, or that ours was opened by, moves
 * nothing in it by messages.
 */
import type { Frame, Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EVENTS } from '../app/shapes/testing';
import { linkTo, printed, saying } from './attack';
import { bareSite } from './bare';
import { openSite, output, ready, runToEnd, tab, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

/** An element, were it read as markup, and a script, were it run. */
const MARKUP = '<img data-foreign src=x onerror=self.foreign=1><svg data-foreign onload=1>';

const PROGRAM = saying(MARKUP);

const PANELS = ['Output', 'Problems', 'Compare', 'Timing', 'Passes', 'WGSL', 'Memory', 'Layout'];

/** Elements of a stranger's text that stand in the page, in shadow trees and frames of ours too. */
function foreign(page: Page | Frame): Promise<number> {
  return page.evaluate(() => {
    const within = (root: Document | ShadowRoot): number =>
      root.querySelectorAll('[data-foreign]').length +
      [...root.querySelectorAll('*')].reduce(
        (sum, { shadowRoot }) => sum + (shadowRoot ? within(shadowRoot) : 0),
        'foreign' in self ? 1 : 0,
      );
    return within(document);
  });
}

it('shows what a program says as text, in every panel', async () => {
  const { page, errors } = await visit(site);
  await ready(page);
  const { hash } = new URL(linkTo('http://localhost/', MARKUP, PROGRAM));
  await page.evaluate((to) => void (location.hash = to), hash);
  await page.locator('.editor .view-line').filter({ hasText: 'data-foreign' }).first().waitFor();
  await runToEnd(page);
  const said = await printed(page);
  expect(said).toContain(MARKUP);
  expect(said).toContain('ValueError');
  const showing: string[] = [];
  for (const panel of PANELS) {
    if ((await tab(page, panel).count()) === 0) continue;
    await tab(page, panel).click();
    await page.waitForTimeout(500);
    const text = (await page.locator('.tabpanel[data-state=active]').innerText()).replaceAll(
      '\u00a0',
      ' ',
    );
    if (text.includes('data-foreign')) showing.push(panel);
    expect(await foreign(page), panel).toBe(0);
  }
  // It is there, as text: a panel that shows nothing proves nothing.
  expect(showing).toEqual(expect.arrayContaining(['Output', 'Timing']));
  // Hovers, which read Markdown.
  await page.locator('.editor .view-line').filter({ hasText: 'kernel[lambda' }).first().hover();
  await page.getByRole('button', { name: /^Program: / }).click();
  await page.waitForTimeout(500);
  expect(await foreign(page)).toBe(0);
  await page.keyboard.press('Escape');
  expect(errors).toEqual([]);
  // Markup that gets through is found.
  await page.evaluate((html) => {
    const place = document.createElement('div');
    place.innerHTML = html;
    document.body.append(place);
  }, MARKUP);
  expect(await foreign(page)).toBeGreaterThan(0);
  await page.context().close();
});

/** Pictures with scripts, a request and markup; and addresses that are none of a picture. */
const PICTURES = `
import matplotlib.pyplot as plt
from IPython.display import SVG, display
import _hippocamp_bridge as bridge

SAID = ${JSON.stringify(MARKUP)}
display(SVG('''<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="parent.foreign = 1">
<script>self.foreign = parent.foreign = top.foreign = 1</script>
<image href="https://stranger.example/seen.png" width="9" height="9"/>
<foreignObject width="9" height="9"><body xmlns="http://www.w3.org/1999/xhtml">
<img data-foreign="" src="x" onerror="parent.foreign = 1"/></body></foreignObject></svg>'''))
plt.plot([1, 2], label=SAID)
plt.title(SAID)
plt.legend()
plt.savefig("said.svg")
for address in ("javascript:self.foreign=1", "https://stranger.example/a.svg", "data:text/html;base64,PGI+"):
    bridge.emit({"type": "figure", "name": address, "image": address})
print("the end")
`;

it('shows a picture of a program as a picture, whose scripts and requests do nothing', async () => {
  const { page, errors } = await visit(site, { text: PICTURES });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await ready(page);
  await runToEnd(page);
  await output(page).getByText('the end').waitFor();
  const figures = output(page).locator('.output-figure');
  await expect.poll(() => figures.count()).toBe(2);
  // A browser that could not read them would give them no size: a blank picture proves nothing.
  const widths = await figures
    .locator('img')
    .evaluateAll((images) => images.map((each) => (each as HTMLImageElement).naturalWidth));
  expect(widths).toEqual([9, 640]);
  const links = await figures
    .locator('a')
    .evaluateAll((all) => all.map((each) => (each as HTMLAnchorElement).href.slice(0, 26)));
  expect(links).toEqual(Array(2).fill('data:image/svg+xml;base64,'));
  expect(await foreign(page)).toBe(0);
  expect(asked.filter((url) => url.includes('stranger'))).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
}, 300_000);

/** Messages that our workers, our page and our service worker send each other, as a stranger's. */
const FORGED: readonly unknown[] = [
  { type: 'run', run: 1, files: { 'main.py': 'print("forged")' }, entry: 'main.py', options: {} },
  { type: 'start', interrupt: null, baseUrl: 'https://stranger.example/', data: null },
  { type: 'ready' },
  { type: 'failed', message: 'forged' },
  { type: 'keep-tuning', key: '0'.repeat(64), text: 'forged' },
  { type: 'exchanged', run: 1, text: 'forged' },
  ...EVENTS.map((event) => ({ type: 'event', run: 1, event })),
  { type: 'events', run: 1, events: EVENTS },
  { type: 'clear' },
  'forged',
  null,
];

it('takes no message of a page that embeds or opens it', async () => {
  const link = linkTo(site.address, 'embedded', 'print("by the visitor")\n');
  const bare = await bareSite({
    'index.html': `<!doctype html><title>A stranger</title><iframe src="${link.replace('#', '?embed#')}" width=1000 height=600></iframe>`,
  });
  try {
    const context = await site.browser.newContext({ viewport: { width: 1100, height: 700 } });
    const stranger = await context.newPage();
    await stranger.goto(bare.address);
    const inner = stranger.frames()[1]!;
    const frame = stranger.frameLocator('iframe');
    await frame.locator('.editor .view-line').filter({ hasText: 'by the visitor' }).waitFor();
    await frame.locator('[role=status][data-phase=ready]').waitFor({ timeout: 90_000 });
    const kept = (): Promise<string> => inner.evaluate(() => JSON.stringify({ ...localStorage }));
    const before = await kept();
    const seen = await inner.evaluateHandle(() => {
      const all: unknown[] = [];
      addEventListener('message', ({ data }) => all.push(data));
      return all;
    });
    await stranger.evaluate((messages) => {
      for (const message of messages)
        for (const frameOfOurs of [frames[0]!, frames[0]!.frames[0]])
          frameOfOurs?.postMessage(message, '*');
    }, FORGED);
    await expect.poll(() => seen.evaluate((all) => all.length)).toBe(FORGED.length);
    await stranger.waitForTimeout(1000);
    const status = frame.locator('[role=status][data-phase]');
    expect(await status.getAttribute('data-phase')).toBe('ready');
    expect(await status.getAttribute('data-ended')).toBeNull();
    expect(await inner.evaluate(() => document.body.innerText)).not.toContain('forged');
    expect(await kept()).toBe(before);
    // It still works, for the visitor.
    await frame.getByRole('button', { name: /^Run/ }).first().click();
    await frame
      .getByRole('list', { name: 'Output of the program' })
      .getByText('by the visitor')
      .waitFor();
    await context.close();
  } finally {
    await bare.close();
  }
});
