/**
 * Programs that run away (`runaways.ts`): the page answers while they run, Stop ends each in two
 * seconds or a limit does, a sentence says so, and the next Run works.
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  openSite,
  output,
  ready,
  replaceProgram,
  status,
  tab,
  until,
  visit,
  type Site,
} from './page';
import { EACH_CHANGE, RUNAWAYS, type Runaway } from './runaways';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

/** Milliseconds from Stop to the end of a run, and until a keystroke is drawn meanwhile. */
const STOP = 2000;
const KEYSTROKE = 1000;
/** A busy machine may need more than one. */
const ATTEMPTS = 3;

/** @returns milliseconds until the first line shows what was typed. */
async function type(page: Page, mark: string): Promise<number> {
  await page.locator('.editor textarea, .editor .native-edit-context').first().focus();
  await page.keyboard.press('ControlOrMeta+Home');
  const begin = performance.now();
  await page.keyboard.insertText(`${mark}\n`);
  await page.locator('.editor .view-line').filter({ hasText: mark }).first().waitFor();
  return performance.now() - begin;
}

const ended = async (page: Page): Promise<number> =>
  Number((await status(page).getAttribute('data-ended')) ?? '0');

interface Seen {
  /** Milliseconds: a keystroke while it runs, from Stop to the end, until the next has printed. */
  readonly keystroke: number;
  readonly stop: number | null;
  readonly next: number;
  readonly text: string;
}

async function see(page: Page, { text, ends }: Runaway): Promise<Seen> {
  await replaceProgram(page, text);
  const before = await ended(page);
  await page.keyboard.press('ControlOrMeta+Enter');
  if (!ends) await page.locator('[role=status][data-phase=running]').waitFor();
  if (!ends) await page.waitForTimeout(400);
  const keystroke = await type(page, '# typed');
  const begin = performance.now();
  if (!ends) await page.keyboard.press('Escape');
  await until(
    page,
    `(({ phase, ended }) => phase === 'ready' && Number(ended) > ${before})(
       document.querySelector('[role=status]').dataset)`,
  );
  const stop = ends ? null : performance.now() - begin;
  const said = await page.locator('.tabpanel').first().innerText();
  await replaceProgram(page, 'print("the next")');
  const again = performance.now();
  await page.keyboard.press('ControlOrMeta+Enter');
  await output(page).getByText('the next').waitFor({ state: 'attached' });
  const next = performance.now() - again;
  await ready(page);
  return { keystroke, stop, next, text: said };
}

const all = process.env['RUNAWAYS'] === 'all';
const chosen = Object.entries(RUNAWAYS).filter(([name]) => all || EACH_CHANGE.includes(name));

// One page for all: each begins where the one before was ended.
it(
  'ends what runs away, answers meanwhile, and runs the next',
  async () => {
    const { page } = await visit(site, { text: 'print(1)\n' });
    await ready(page);
    await tab(page, 'Output').click();
    for (const [name, runaway] of chosen) {
      let seen = await see(page, runaway);
      const slow = (): boolean => (seen.stop ?? 0) > STOP || seen.keystroke > KEYSTROKE;
      for (let attempt = 1; attempt < ATTEMPTS && slow(); attempt++)
        seen = await see(page, runaway);
      const { text, ...times } = seen;
      if (all) console.log(name, JSON.stringify(times));
      expect.soft(text, name).toMatch(runaway.said);
      expect.soft(slow(), `${name}: ${JSON.stringify(times)}`).toBe(false);
    }
    await page.context().close();
  },
  all ? 1_200_000 : 300_000,
);
