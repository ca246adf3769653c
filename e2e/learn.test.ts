/**
 * Lessons in the real page: a prediction that the run answers, hints, Show solution, Check,
 * progress that is kept, figures drawn from the run. A lesson is played from its start to its
 * solution, and its cheats refused; `LESSONS_PAGE=all` plays every one, `LESSONS_PAGE=07,p03` those
 * that begin so.
 */
import type { Locator, Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { COURSES, placeOf } from '../app/tutorials/course';
import { piecesOf } from '../app/tutorials/document';
import { readLessons } from '../app/tutorials/testing';
import { fromToday, skipIfLate } from '../scripts/budget';
import { eventually } from './expectCode';
import { openSite, output, ready, runToEnd, tab, toEnd, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

const all = COURSES.flatMap((course) => course.lessons);

async function openLesson(page: Page, slug: string): Promise<void> {
  await page.goto(`${site.address}#/learn/${slug}`);
  await page.getByRole('article').waitFor();
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

async function check(page: Page): Promise<string> {
  await toEnd(page, () => button(page, /^Check$/).click());
  return (await page.getByRole('region', { name: 'Checks' }).innerText()).trim();
}

async function fromStartToSolution(page: Page): Promise<void> {
  expect(await check(page)).toContain('✗');
  await button(page, /^Show solution$/).click();
  expect(await check(page)).toMatch(/All \d+ checks passed/);
}

it('lists the lessons, and leads into one and back', async () => {
  const { page, errors } = await visit(site);
  await button(page, /^Learn/)
    .first()
    .click();
  await page.getByRole('heading', { name: 'Learn' }).waitFor();
  expect(await page.locator('.lesson-list a').count()).toBe(all.length);
  await page.getByRole('link', { name: /Programs and tiles/ }).click();
  await page.getByRole('heading', { name: 'Programs and tiles' }).waitFor();
  await page.getByRole('link', { name: /^Next/ }).click();
  await page.getByRole('heading', { name: 'Bandwidth and fusion' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Programs and tiles' }).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('leaves a lesson that was opened first for the first example', async () => {
  const { page, errors } = await visit(site);
  // A new visitor who followed a link to a lesson has no program of their own to go back to.
  await page.evaluate(() => localStorage.clear());
  await page.goto('about:blank');
  await openLesson(page, 'p01-load-store');
  const learn = button(page, /^Learn/).first();
  // The first click leads to the list of lessons, the second one out of it.
  await learn.click();
  await page.getByRole('heading', { name: 'Learn' }).waitFor();
  await learn.click();
  await page.getByRole('tablist', { name: 'Files' }).getByText('vector_add.py').waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('leaves the list of lessons for a program that is made or opened from there', async () => {
  const { page, errors } = await visit(site);
  const toLessons = async (): Promise<void> => {
    await button(page, /^Learn/)
      .first()
      .click();
    await page.getByRole('heading', { name: 'Learn' }).waitFor();
  };
  const program = page.locator('.editor .view-line').filter({ hasText: 'def square_kernel' });
  await page.locator('.editor .view-line').first().waitFor();
  await toLessons();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('new program');
  await page.getByRole('dialog').getByRole('option').first().waitFor();
  await page.keyboard.press('Enter');
  await program.waitFor();
  await toLessons();
  await page.keyboard.press('Alt+o');
  await page.getByRole('dialog').getByText('Untitled', { exact: true }).click();
  await program.waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('predicts first, and lets the run answer; the figure is drawn from it', async () => {
  const { page, errors } = await visit(site);
  await openLesson(page, '01-programs-and-tiles');
  await ready(page);
  const first = page.getByRole('region', { name: 'Prediction' }).first();
  await first.getByLabel('Your prediction').fill('5');
  await first.getByRole('button', { name: 'Predict' }).click();
  await eventually(() => first.innerText()).toContain('Run to see');
  await runToEnd(page);
  expect(await first.innerText()).toMatch(/The run says\s*4 programs.*not quite/s);
  const figure = page.locator('.figure').first();
  await figure.locator('canvas').first().waitFor({ timeout: 30_000 });
  expect(await figure.innerText()).toMatch(/x_ptr \[1000\], 232 loaded, 24 masked off/);
  // A check has sizes of its own: it answers nothing, and takes no answer away.
  await check(page);
  expect(await first.innerText()).toMatch(/The run says\s*4 programs.*not quite/s);
  await figure.locator('canvas').first().waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('does not speak of a stub’s run as of the finished kernel’s', async () => {
  const { page, errors } = await visit(site);
  await openLesson(page, '04-online-softmax');
  await ready(page);
  const figure = page.locator('.figure').first();
  await runToEnd(page);
  await figure.locator('canvas').first().waitFor({ timeout: 30_000 });
  expect(await figure.innerText()).toContain('It has not passed the checks yet.');
  await button(page, /^Show solution$/).click();
  await runToEnd(page);
  await figure.getByText('the same places are loaded twice').waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('shows the errors of a hidden check that fails as a map', async () => {
  const { page, errors } = await visit(site);
  await openLesson(page, '04-online-softmax');
  await ready(page);
  expect(await check(page)).toContain('384 of 384 elements are wrong');
  const panel = page.locator('.tabpanel[data-state=active]');
  // Compare opens by itself, as after a run.
  await panel.getByText('384 of 384 elements differ').waitFor();
  expect(await panel.getByRole('button', { name: /rows of 128/ }).innerText()).not.toMatch(/line/);
  await panel.locator('canvas').waitFor();
  // The exchange of a check reaches the bridge to JavaScript; the program does not.
  await page.waitForTimeout(1000);
  expect(await page.getByText('This program replaced').count()).toBe(0);
  await button(page, /^Show solution$/).click();
  expect(await check(page)).toContain('passed');
  expect(await tab(page, 'Compare').innerText()).not.toContain('✗');
  expect(errors).toEqual([]);
  await page.context().close();
});

it('refuses the start, gives hints, solves, passes, and remembers', async () => {
  const { page, errors } = await visit(site);
  await openLesson(page, 'p02-reverse');
  await ready(page);
  expect(await page.getByRole('complementary', { name: 'Hint 1' }).count()).toBe(0);
  await button(page, /^Hint/).click();
  await page.getByRole('complementary', { name: 'Hint 1' }).waitFor();
  await fromStartToSolution(page);
  // The verdict is of the text that was checked, not of the stub that Reset brings back.
  await button(page, /^Reset$/).click();
  await page.getByText('The code has changed since the last check.').waitFor();
  expect(await page.getByRole('region', { name: 'Checks' }).innerText()).not.toContain('passed');
  await page.reload();
  await page.getByRole('article').waitFor();
  await page.getByRole('complementary', { name: 'Hint 1' }).waitFor();
  await page.getByRole('link', { name: 'Triton in an hour' }).click();
  await page.getByLabel('passed').waitFor();
  expect(await page.getByLabel('passed').count()).toBe(1);
  // The visitor's own programs were not touched.
  await button(page, /Back to the editor/).click();
  await page.locator('.editor .view-line').filter({ hasText: 'Vector add' }).first().waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

/** As a visitor who pastes another text over the program. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((content) => navigator.clipboard.writeText(content), text);
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+v');
}

const passedInBrowser = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const kept = JSON.parse(localStorage.getItem('hippocamp:lessons') ?? '{}') as Record<
      string,
      { readonly passed: boolean }
    >;
    return Object.keys(kept).filter((slug) => kept[slug]?.passed);
  });

/** Nothing on the page is of another lesson's run, and nothing passed that was not checked. */
async function nothingYet(page: Page, before: readonly string[]): Promise<void> {
  await page.getByRole('article').waitFor();
  expect(await page.getByRole('region', { name: 'Checks' }).count()).toBe(0);
  expect(await page.getByText('The solution is in the editor.').count()).toBe(0);
  expect(await passedInBrowser(page)).toEqual(before);
  await tab(page, 'Output').click();
  expect(await output(page).count()).toBe(0);
  expect(await page.locator('.statusbar').innerText()).not.toContain('GPU');
  expect(await page.locator('.figure canvas').count()).toBe(0);
  for (const panel of ['Memory', 'Debugger']) {
    await tab(page, panel).click();
    expect(await page.getByRole('combobox', { name: 'Launch' }).count()).toBe(0);
  }
}

/** Guesses once, and waits for the verdict. */
async function guess(one: Locator, value: string): Promise<void> {
  const choice = one.locator('.choices').getByRole('button', { name: value, exact: true });
  if ((await choice.count()) > 0) await choice.click();
  else {
    await one.getByLabel('Your prediction').fill(value);
    await one.getByRole('button', { name: 'Predict' }).click();
  }
  await one.getByText(/✓ right|≠ not quite/).waitFor();
}

/**
 * Answers every prediction of a lesson as its start has it: wrong, until the answer is shown, then
 * as the page says, so that no answer stands here.
 * @returns how many wrong guesses showed none.
 */
async function predictRight(page: Page): Promise<number> {
  let hidden = 0;
  await runToEnd(page);
  for (const one of await page.getByRole('region', { name: 'Prediction' }).all()) {
    const choices = await one.locator('.choices button').allInnerTexts();
    for (const value of choices.length > 0 ? choices : ['-1', '-2']) {
      await guess(one, value);
      if (await one.getByText('✓ right').isVisible()) break;
      const says = await one
        .getByText(/^The run says/)
        .locator('..')
        .innerText();
      const isShown = /The run says\s*(?!≠)\S/.test(says);
      if (!isShown) hidden++;
      // The second wrong guess shows what the compiler says.
      else expect(await one.locator('.explain').innerText()).not.toContain('Another guess');
      await one.getByRole('button', { name: 'Try again' }).click();
      if (!isShown) continue;
      const said = /The run says\s*(\S+)/.exec(says)![1]!;
      await guess(one, choices.find((each) => said.startsWith(each)) ?? said);
      break;
    }
    await one.getByText('✓ right').waitFor();
  }
  return hidden;
}

/** So many lessons of each course are solved in CI, and the others only visited; nightly all. */
const SOLVED = process.env['LESSONS_PAGE'] === 'all' ? Infinity : 3;

it.for(COURSES)(
  'walks the course “$title” by its links, and passes only what was checked',
  { timeout: 1_200_000 },
  async ({ title, lessons, asksFirst }, { skip }) => {
    skipIfLate(skip);
    const { page, errors } = await visit(site);
    const passed: string[] = [];
    await button(page, /^Learn/)
      .first()
      .click();
    for (const [index, lesson] of lessons.entries()) {
      const heading = page.getByRole('heading', { level: 1, name: lesson.title, exact: true });
      // By the list, by the banner of what passed, and by the link at the top, in turn.
      if (index % 3 === 0) {
        if (index > 0) await page.getByRole('link', { name: title }).click();
        // The list's code may still be loading.
        await page.getByRole('heading', { level: 1, name: 'Learn', exact: true }).waitFor();
        expect(await page.getByLabel('passed').count()).toBe(passed.length);
        await page.locator('.lesson-list a').filter({ hasText: lesson.note }).click();
      } else if (index % 3 === 1 && index <= SOLVED)
        await page.getByRole('link', { name: `Next: ${lesson.title}` }).click();
      else await page.getByRole('link', { name: 'Next →', exact: true }).click();
      await heading.waitFor();
      if (index === 0) await ready(page);
      await nothingYet(page, passed);
      if (index >= SOLVED) continue;
      if (asksFirst && index === 0) {
        // The checks alone are not enough: the predictions are still open.
        await button(page, /^Show solution$/).click();
        expect(await check(page)).toMatch(/All \d+ checks passed.\s*Still open/);
        expect(await passedInBrowser(page)).toEqual(passed);
        await button(page, /^Reset$/).click();
      }
      if (asksFirst) expect(await predictRight(page)).toBeGreaterThan(0);
      await button(page, /^Show solution$/).click();
      expect(await check(page)).toMatch(/All \d+ checks passed|The check passed/);
      passed.push(lesson.slug);
      await eventually(() => passedInBrowser(page)).toEqual(passed);
      if (index + 1 !== Math.min(SOLVED, lessons.length)) continue;
      // A checked exercise shows its verdict again until something else runs; the next one shows
      // none.
      await page.goBack();
      await page.goForward();
      await page.getByRole('region', { name: 'Checks' }).waitFor();
    }
    expect(errors).toEqual([]);
    await page.context().close();
  },
);

/** Parts of a figure, once there is a run. */
const DRAWN = {
  accesses: 'canvas',
  rates: '.figure-rates .bar',
  tuning: '.tunings',
  roofline: '.roofline .point',
  ir: '.figure-ir',
} as const;

/** Every prediction gets an answer, and every figure is drawn. */
async function answeredByTheRun(page: Page, text: string): Promise<void> {
  const pieces = piecesOf(text);
  const predictions = pieces.filter((piece) => piece.kind === 'predict');
  const figures = pieces.filter((piece) => piece.kind === 'figure');
  const asked = page.getByRole('region', { name: 'Prediction' });
  expect(await asked.count()).toBe(predictions.length);
  for (const [index, { prediction }] of predictions.entries()) {
    const one = asked.nth(index);
    const [choice] = prediction.choices ?? [];
    if (choice) await one.getByRole('button', { name: choice, exact: true }).click();
    else {
      await one.getByLabel('Your prediction').fill('1');
      await one.getByRole('button', { name: 'Predict' }).click();
    }
  }
  await runToEnd(page);
  for (const [index] of predictions.entries()) {
    const one = asked.nth(index);
    expect(await one.innerText()).toMatch(/The run says\s*(?!Run to see)\S/);
  }
  const drawn = page.locator('.figure');
  expect(await drawn.count()).toBe(figures.length);
  for (const [index, { figure }] of figures.entries()) {
    const one = drawn.nth(index);
    await one.locator(DRAWN[figure.kind]).first().waitFor({ timeout: 60_000 });
    // A measured figure has numbers of this run, not a sentence in their place.
    if (figure.kind === 'rates') expect(await one.innerText()).toMatch(/[\d.]+ [kMG]B\/s/);
    if (figure.kind === 'tuning') expect(await one.locator('tbody tr').count()).toBe(3);
  }
}

const asked = process.env['LESSONS_PAGE'] ?? 'p09';
const played = fromToday(readLessons()).filter(
  ({ slug }) => asked === 'all' || asked.split(',').some((prefix) => slug.startsWith(prefix)),
);

it.for(played)(
  'plays $slug from its start to its solution, and refuses its cheats',
  { timeout: 600_000 },
  async ({ slug, text, wrong, solution }, { skip }) => {
    skipIfLate(skip);
    const { page, errors } = await visit(site, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await openLesson(page, slug);
    await ready(page);
    if (placeOf(slug)?.course.asksFirst) await predictRight(page);
    expect(await check(page)).toContain('✗');
    for (const [name, program] of Object.entries(wrong)) {
      await paste(page, program);
      expect(await check(page), name).toContain('✗');
    }
    // Not by Show solution: what is pasted is what is checked.
    await paste(page, solution);
    expect(await check(page)).toMatch(/All \d+ checks passed/);
    if (placeOf(slug)?.course.asksFirst) expect(await passedInBrowser(page)).toEqual([slug]);
    else await answeredByTheRun(page, text);
    expect(errors).toEqual([]);
    await page.context().close();
  },
);

it('plays every lesson there is', () => {
  expect(readLessons().map(({ slug }) => slug)).toEqual(all.map(({ slug }) => slug).toSorted());
});
