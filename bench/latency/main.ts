/**
 * Prints how long the page takes to answer a visitor: interactions to the frame that shows the
 * answer, and the frames while large things are scrolled. The production build in a real Chromium;
 * what a software adapter draws with the same cores is in the figures.
 */
import { parseArgs } from 'node:util';
import { join } from 'node:path';
import { openSite, ready, runToEnd, tab, type Site } from '../../e2e/page';
import {
  answerTo,
  compiledAnew,
  compiledPage,
  framesWhile,
  JUDGED_WRONG,
  quantile,
  stepThroughPasses,
  wheel,
  type Frames,
} from './measure';
import { kernelFile, LARGE, LONG, SMALL } from './programs';

const ROOT = join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: { only: { type: 'string' }, json: { type: 'boolean' }, turns: { type: 'string' } },
});
const TURNS = Number(values.turns ?? 12);

function tell(name: string, figures: Readonly<Record<string, number>>): void {
  const rounded = Object.fromEntries(
    Object.entries(figures).map(([key, value]) => [key, Math.round(value * 10) / 10]),
  );
  if (values.json) console.log(JSON.stringify({ name, ...rounded }));
  else {
    const text = Object.entries(rounded).map(([key, value]) => `${key} ${value}`);
    console.log(`${name.padEnd(44)}${text.join('  ')}`);
  }
}
const reportTimes = (name: string, times: readonly number[]): void =>
  tell(name, {
    median: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    worst: Math.max(...times),
  });
const reportFrames = (name: string, frames: Frames): void => tell(name, { ...frames });

/** Typing, and how soon what was typed is judged, in a file of 480 lines. */
async function typing(site: Site): Promise<void> {
  const { page } = await compiledPage(site, kernelFile(ROOT));
  await page.locator('.editor .view-line').nth(3).click();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  const strokes: number[] = [];
  for (const letter of 'abcdefghijklmnopqrstuvwxyz'.slice(0, 2 * TURNS)) {
    strokes.push(await answerTo(page, 'keydown', 'true', () => page.keyboard.press(letter)));
    await page.waitForTimeout(40);
  }
  reportTimes('keystroke to paint, 480 lines', strokes);
  await page.keyboard.press('Control+a');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowUp');
  await page.waitForTimeout(1500);
  const judged: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    judged.push(await answerTo(page, 'keydown', JUDGED_WRONG, () => page.keyboard.press(')')));
    await answerTo(page, 'keydown', `!(${JUDGED_WRONG})`, () => page.keyboard.press('Backspace'));
    await page.waitForTimeout(300);
  }
  reportTimes('last keystroke to diagnostics, 480 lines', judged);
  await page.context().close();
}

/** Run, panels, passes and the selected line on a page that is warm. */
async function clicking(site: Site): Promise<void> {
  const { page } = await compiledPage(site, SMALL);
  await ready(page);
  await runToEnd(page);
  const runs: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const until =
      'document.querySelector("[role=status]").dataset.ended !== undefined && ' +
      `Number(document.querySelector("[role=status]").dataset.ended) > ${turn + 1} && ` +
      'document.querySelector(".output")?.textContent.includes("done")';
    const run = page.getByRole('button', { name: /^Run/ }).first();
    runs.push(await answerTo(page, 'pointerdown', until, () => run.click()));
  }
  reportTimes('Run to its output, warm', runs);
  const panels = ['Output', 'Compare', 'Timing', 'Passes', 'WGSL', 'Memory', 'Layout', 'Debugger'];
  for (const panel of panels) {
    // The first look loads the panel.
    await tab(page, panel).click();
    await page.waitForTimeout(700);
  }
  for (const [index, panel] of panels.entries()) {
    const times: number[] = [];
    for (let turn = 0; turn < TURNS / 2; turn++) {
      await tab(page, panels[(index + 1) % panels.length]!).click();
      await page.waitForTimeout(80);
      const shown =
        `[...document.querySelectorAll('[role=tab]')].some((tab) => ` +
        `tab.getAttribute('aria-selected') === 'true' && tab.textContent.startsWith('${panel}')) && ` +
        `document.querySelector('.tabpanel[data-state=active]')?.firstElementChild !== null`;
      times.push(await answerTo(page, 'pointerdown', shown, () => tab(page, panel).click()));
    }
    reportTimes(`to the ${panel} panel`, times);
  }
  await tab(page, 'Passes').click();
  const options = page.getByRole('listbox', { name: 'Passes' }).getByRole('option');
  reportTimes('one pass on, by j', await stepThroughPasses(page, TURNS));
  const linked: number[] = [];
  const lines = ['tl.load', 'tl.store', 'mask ='];
  await options.first().click();
  for (let turn = 0; turn < TURNS; turn++) {
    const line = page
      .locator('.editor .view-line')
      .filter({ hasText: lines[turn % 3]! })
      .first();
    await page.evaluate(() => {
      const marks = document.querySelectorAll('.pass-main .line-lit');
      for (const mark of marks) mark.className = 'was-lit';
    });
    const until = 'document.querySelector(".pass-main .line-lit") !== null';
    linked.push(await answerTo(page, 'pointerdown', until, () => line.click()));
  }
  reportTimes('a line in the editor to its lines in the IR', linked);
  const palette: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const until = 'document.querySelector(".palette-item") !== null';
    palette.push(await answerTo(page, 'keydown', until, () => page.keyboard.press('Control+k')));
    await page.keyboard.press('Escape');
    await page.locator('.palette').waitFor({ state: 'detached' });
  }
  reportTimes('the palette', palette);
  await page.context().close();
}

/** Typing while a kernel of 100,000 lines of IR is compiled, and when its passes arrive. */
async function longCompile(site: Site): Promise<void> {
  const { page } = await compiledPage(site, LONG);
  await tab(page, 'Passes').click();
  await page.locator('.pass-main .view-line').first().waitFor();
  await page.locator('.editor .view-line').filter({ hasText: 'mask = ' }).first().click();
  await page.keyboard.press('End');
  const strokes: number[] = [];
  const frames = await framesWhile(page, async () => {
    await page.keyboard.press('Enter');
    for (const letter of '# a comment that takes a while to type') {
      strokes.push(await answerTo(page, 'keydown', 'true', () => page.keyboard.press(letter)));
      await page.waitForTimeout(120);
    }
    await compiledAnew(page, async () => {});
    await page.waitForTimeout(500);
  });
  reportTimes('typing in a kernel of 100,000 lines of IR', strokes);
  reportFrames('the frames of that, and until it is compiled', frames);
  await page.context().close();
}

/** IR of 100,000 lines. */
async function longIr(site: Site): Promise<void> {
  const { page } = await compiledPage(site, LONG);
  await tab(page, 'Passes').click();
  const options = page.getByRole('listbox', { name: 'Passes' }).getByRole('option');
  await options.first().click();
  await page.locator('.pass-main .view-line').first().waitFor();
  const place = '.pass-main .monaco-editor';
  await wheel(page, place, 5, 200);
  reportFrames(
    '100,000 lines of IR, turning the wheel',
    await framesWhile(page, () => wheel(page, place, 60, 700)),
  );
  await page.locator('.pass-main .view-line').nth(5).click();
  reportFrames(
    '100,000 lines of IR, page by page',
    await framesWhile(page, async () => {
      for (let turn = 0; turn < 40; turn++) await page.keyboard.press('PageDown');
    }),
  );
  reportTimes('100,000 lines of IR, one pass on', await stepThroughPasses(page, 8));
  const linked: number[] = [];
  await options.first().click();
  for (const text of ['tl.load', 'tl.store', 'mask =', 'tl.load']) {
    const line = page.locator('.editor .view-line').filter({ hasText: text }).first();
    const before = await page.locator('.pass-main .view-line').first().innerText();
    const until =
      'document.querySelector(".pass-main .line-lit") !== null' +
      ` && document.querySelector(".pass-main .view-line").innerText !== ${JSON.stringify(before)}`;
    linked.push(await answerTo(page, 'pointerdown', until, () => line.click()));
    await wheel(page, place, 10, 4000);
    await page.waitForTimeout(200);
  }
  reportTimes('100,000 lines of IR, a line to its lines', linked);
  await tab(page, 'WGSL').click();
  await page.locator('.wgsl .view-line').first().waitFor();
  reportFrames(
    'its WGSL, turning the wheel',
    await framesWhile(page, () => wheel(page, '.wgsl .monaco-editor', 60, 700)),
  );
  await page.context().close();
}

/** Tensors of 16 million elements. */
async function largeTensors(site: Site): Promise<void> {
  const { page } = await compiledPage(site, LARGE);
  await ready(page);
  await runToEnd(page);
  await tab(page, 'Compare').click();
  const frame = '.picture-frame';
  await page.locator(frame).first().waitFor({ timeout: 60_000 });
  await page.waitForTimeout(1500);
  reportFrames(
    'errors of 16M elements, zooming by the wheel',
    await framesWhile(page, async () => {
      await wheel(page, frame, 30, -120);
      await wheel(page, frame, 30, 120);
    }),
  );
  await tab(page, 'Output').click();
  const region = page.getByRole('region', { name: /^out \[4096, 4096\]/ });
  await region.getByRole('button').first().click();
  await region.getByText('std').waitFor({ timeout: 60_000 });
  await region.locator(frame).waitFor({ timeout: 60_000 });
  await region.locator(frame).scrollIntoViewIfNeeded();
  await page.waitForTimeout(1500);
  reportFrames(
    'a picture of 16M elements, zooming',
    await framesWhile(page, async () => {
      await wheel(page, `.output ${frame}`, 30, -120);
      await wheel(page, `.output ${frame}`, 30, 120);
    }),
  );
  const box = (await region.locator(frame).boundingBox())!;
  await wheel(page, `.output ${frame}`, 10, -120);
  reportFrames(
    'a picture of 16M elements, dragging',
    await framesWhile(page, async () => {
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      await page.mouse.move(x, y);
      await page.mouse.down();
      for (let turn = 0; turn < 80; turn++)
        await page.mouse.move(x + 60 * Math.sin(turn / 8), y + 60 * Math.cos(turn / 8));
      await page.mouse.up();
    }),
  );
  await region.getByRole('button', { name: 'Values' }).click();
  const grid = region.getByRole('region', { name: /^Values of/ });
  await grid.getByRole('cell').first().waitFor();
  await grid.evaluate((element) => element.setAttribute('data-bench', 'values'));
  reportFrames(
    'values of 16M elements, turning the wheel',
    await framesWhile(page, () => wheel(page, '[data-bench=values]', 80, 400)),
  );
  await page.context().close();
}

const WORKS = { typing, clicking, longCompile, longIr, largeTensors };
const site = await openSite({ gpu: true });
console.log(`Chromium ${site.browser.version()}, milliseconds`);
try {
  for (const [name, work] of Object.entries(WORKS))
    if (!values.only || values.only === name) await work(site);
} finally {
  await site.close();
}
process.exit(0);
