/**
 * The page stays quick where things are large. Bounds are generous, since the machine draws in
 * software and does other work, and a test that exceeds one gets two more attempts: it finds a page
 * that does too much, not a busy machine. `npm run bench:page` prints figures.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  answerTo,
  compiledAnew,
  compiledPage,
  framesWhile,
  JUDGED_WRONG,
  quantile,
  stepThroughPasses,
  wheel,
} from '../bench/latency/measure';
import { kernelFile, LARGE, LONG } from '../bench/latency/programs';
import { openSite, ready, runToEnd, tab, TIMED, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

it(
  'judges what was typed at once, in a file of 480 lines, and never holds up typing',
  TIMED,
  async () => {
    const { page, errors } = await compiledPage(site, kernelFile(join(import.meta.dirname, '..')));
    await page.locator('.editor .view-line').nth(1).click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowUp');
    await page.waitForTimeout(1500);
    const [judged, painted]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < 8; turn++) {
      judged.push(await answerTo(page, 'keydown', JUDGED_WRONG, () => page.keyboard.press(')')));
      await answerTo(page, 'keydown', `!(${JUDGED_WRONG})`, () => page.keyboard.press('Backspace'));
      painted.push(await answerTo(page, 'keydown', 'true', () => page.keyboard.press('#')));
      await page.keyboard.press('Backspace');
    }
    console.log(`diagnostics after ${quantile(judged, 0.5).toFixed(0)} ms (median)`);
    // Diagnostics take 80 to 100 ms on a machine that does nothing else; a busy one takes four
    // times as long. A letter is painted without waiting for them.
    expect(quantile(judged, 0.5)).toBeLessThan(600);
    expect(quantile(painted, 0.5)).toBeLessThan(300);
    expect(errors).toEqual([]);
    await page.context().close();
  },
);

it('scrolls 100,000 lines of IR, and steps through them', TIMED, async () => {
  const { page, errors } = await compiledPage(site, LONG);
  await tab(page, 'Passes').click();
  await page.locator('.pass-main .view-line').first().waitFor();
  // When a compiled kernel's passes arrive, nobody's typing waits for them.
  const compiled = await framesWhile(page, async () => {
    await compiledAnew(page, async () => {
      await page.locator('.editor .view-line').filter({ hasText: 'mask = ' }).first().click();
      await page.keyboard.insertText('  # x');
    });
  });
  console.log(`while it is compiled: ${JSON.stringify(compiled)}`);
  expect(compiled.longTask).toBeLessThan(1500);
  const options = page.getByRole('listbox', { name: 'Passes' }).getByRole('option');
  await options.first().click();
  await page.locator('.pass-main .view-line').first().waitFor();
  const place = '.pass-main .monaco-editor';
  await wheel(page, place, 5, 200);
  const frames = await framesWhile(page, () => wheel(page, place, 60, 700));
  console.log(`frames: ${JSON.stringify(frames)}`);
  expect(frames.median).toBeLessThan(50);
  expect(frames.longTask).toBeLessThan(1000);
  // Only what is seen is drawn, and what is seen is far down.
  expect(await page.locator('.pass-main .view-line').count()).toBeLessThan(200);
  await page.locator('.pass-main .view-line').nth(3).click();
  await page.keyboard.press('Control+End');
  await page
    .locator('.pass-main .line-numbers', { hasText: /^99\d{3}$|^1\d{5}$/ })
    .first()
    .waitFor();
  const steps = await stepThroughPasses(page, 6);
  expect(quantile(steps, 0.5)).toBeLessThan(1000);
  expect(errors).toEqual([]);
  await page.context().close();
});

it('moves over 16 million elements and their errors', TIMED, async () => {
  const { page, errors } = await compiledPage(site, LARGE);
  await ready(page);
  await runToEnd(page);
  await tab(page, 'Compare').click();
  const frame = '.picture-frame';
  await page.locator(frame).first().waitFor({ timeout: 60_000 });
  await page.getByText('1 of 16,777,216 elements').first().waitFor({ timeout: 60_000 });
  const zoomed = await framesWhile(page, async () => {
    await wheel(page, frame, 30, -120);
    await wheel(page, frame, 30, 120);
  });
  await tab(page, 'Output').click();
  const region = page.getByRole('region', { name: /^out \[4096, 4096\]/ });
  await region.getByRole('button').first().click();
  await region.getByRole('button', { name: 'Values' }).click();
  const grid = region.getByRole('region', { name: /^Values of/ });
  await grid.getByRole('cell').first().waitFor();
  await grid.evaluate((element) => element.setAttribute('data-bench', 'values'));
  const scrolled = await framesWhile(page, () => wheel(page, '[data-bench=values]', 80, 400));
  console.log(`frames: ${JSON.stringify({ zoomed, scrolled })}`);
  for (const { median, longTask } of [zoomed, scrolled]) {
    expect(median).toBeLessThan(50);
    expect(longTask).toBeLessThan(1000);
  }
  expect(await grid.getByRole('cell').count()).toBeLessThan(2000);
  expect(errors).toEqual([]);
  await page.context().close();
});
