/**
 * A random visitor: opens programs of the gallery and lessons in one page, edits their seeds, runs,
 * checks what came out, looks into panels, stops programs that do not end. All choices follow from
 * a seed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { COURSES } from '../../app/tutorials/course';
import { output, ready, replaceProgram, runToEnd, status, tab, toEnd } from '../page';

/** From the repository's root, where npm starts both the tests and the program. */
const EXAMPLES = join('public', 'examples');

/** Numbers in [0, 1) that follow from `seed` (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Example {
  readonly file: string;
  readonly title: string;
}
export const examples = (): readonly Example[] =>
  JSON.parse(readFileSync(join(EXAMPLES, 'index.json'), 'utf8')) as Example[];

/** The first line of a program of the walk: it is edited before each run. */
const HEADER = (seed: number | string, repetitions = 1): string =>
  `SEED, REPETITIONS = ${seed}, ${repetitions}`;

/**
 * A program of the gallery whose seed, and the repetitions of its measurements, stand in its first
 * line: somebody who edits one line keeps an undo history of lines.
 */
export function seeded(file: string, seed: number): string {
  const text = readFileSync(join(EXAMPLES, file), 'utf8')
    .replace(/torch\.manual_seed\(\d+\)/, 'torch.manual_seed(SEED)')
    .replaceAll(
      /do_bench\(((?:[^()]|\([^()]*\))*)\)/g,
      'do_bench($1, warmup=REPETITIONS, rep=REPETITIONS)',
    );
  return `${HEADER(seed)}\n${text}`;
}

export async function openExample(page: Page, { title }: Example): Promise<void> {
  await page.getByRole('button', { name: /^Program: / }).click();
  await page.getByRole('menuitem', { name: /^Gallery: / }).click();
  const dialog = page.getByRole('dialog');
  await dialog
    .getByRole('button')
    .filter({ has: page.getByText(title, { exact: true }) })
    .click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: `Program: ${title}` }).waitFor();
}

const PANELS = ['Output', 'Compare', 'Timing', 'Passes', 'WGSL', 'Memory', 'Layout', 'Debugger'];

/** A visitor's action, for the record of a run that went wrong. */
export interface Step {
  readonly kind: 'gallery' | 'again' | 'lesson' | 'mistake' | 'stop';
  readonly what: string;
}

const FOREVER = 'print("begun") or exec("while True: pass")';
const MISTAKE = 'no_such_name';

export class Walk {
  /** Runs so far. */
  runs = 0;
  private example: Example | null = null;
  /** Programs that have a first line of ours. */
  private readonly written = new Set<string>();
  private readonly list = examples();
  private readonly lessons = COURSES.flatMap((course) => course.lessons);

  constructor(
    private readonly page: Page,
    private readonly random: () => number,
  ) {}

  private pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.random() * from.length)]!;
  }

  /** One run, its result checked. @throws where it is wrong. */
  async step(): Promise<Step> {
    const step = this.next();
    try {
      await this[step.kind](step.what);
    } catch (error) {
      const { message } = error as Error;
      throw new Error(`run ${this.runs + 1}, ${step.kind} ${step.what}: ${message}`, {
        cause: error,
      });
    }
    this.runs++;
    await tab(this.page, this.pick(PANELS)).click();
    return step;
  }

  private next(): Step {
    const draw = this.random();
    if (draw < 0.5 && this.example) return { kind: 'again', what: this.example.file };
    if (draw < 0.8) return { kind: 'gallery', what: this.pick(this.list).file };
    if (draw < 0.96) return { kind: 'lesson', what: this.pick(this.lessons).slug };
    return draw < 0.98 ? { kind: 'mistake', what: 'a name' } : { kind: 'stop', what: 'a loop' };
  }

  /** Leaves a lesson, where one is open. */
  private async home(): Promise<void> {
    this.example = null;
    const { page } = this;
    if (!(await page.evaluate(() => location.hash.startsWith('#/learn')))) return;
    await page
      .getByRole('button', { name: /^Learn/ })
      .first()
      .click();
    await page.getByRole('button', { name: /Back to the editor/ }).click();
    await page.getByRole('button', { name: /^Program: / }).waitFor();
  }

  private async gallery(file: string): Promise<void> {
    await this.home();
    const example = this.list.find((each) => each.file === file)!;
    await openExample(this.page, example);
    this.example = example;
    await this.again(file);
  }

  private async again(file: string): Promise<void> {
    const { page } = this;
    const repetitions = this.random() < 0.05 ? 25 : 1;
    await this.edit(file, HEADER(Math.floor(this.random() * 1e6), repetitions));
    await runToEnd(page);
    await this.noError();
    await tab(page, 'Compare').click();
    const verdicts = page.locator('.tabpanel[data-state=active] li[data-passed]');
    await verdicts.first().waitFor();
    const failed = page.locator('.tabpanel[data-state=active] li[data-passed=false]');
    if ((await failed.count()) > 0) throw new Error(await failed.first().innerText());
  }

  /** Makes the program's first line this one. */
  private async edit(file: string, header: string): Promise<void> {
    const { page } = this;
    if (!this.written.has(file)) await replaceProgram(page, seeded(file, 0));
    this.written.add(file);
    await page.locator('.editor textarea, .editor .native-edit-context').first().focus();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.press('Shift+End');
    await page.keyboard.insertText(header);
  }

  private async noError(): Promise<void> {
    await tab(this.page, 'Output').click();
    const cards = await output(this.page).locator('.error-card:not(.warning)').allInnerTexts();
    if (cards.length > 0) throw new Error(cards.join('\n'));
  }

  private async lesson(slug: string): Promise<void> {
    const { page } = this;
    this.example = null;
    await page.evaluate((to) => void (location.hash = to), `/learn/${slug}`);
    const title = this.lessons.find((each) => each.slug === slug)!.title;
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
    const solved = this.random() < 0.6;
    const wanted = page.getByRole('button', { name: solved ? /^Show solution$/ : /^Reset$/ });
    if (await wanted.isEnabled()) await wanted.click();
    await toEnd(page, () => page.getByRole('button', { name: /^Check$/ }).click());
    const said = await page.getByRole('region', { name: 'Checks' }).innerText();
    const passed = /All \d+ checks passed|The check passed/.test(said);
    if (passed !== solved) throw new Error(`${solved ? 'solution' : 'start'}: ${said}`);
  }

  private async scratch(value: string): Promise<void> {
    await this.home();
    const example = this.pick(this.list);
    await openExample(this.page, example);
    await this.edit(example.file, HEADER(value));
    await tab(this.page, 'Output').click();
  }

  private async mistake(): Promise<void> {
    await this.scratch(MISTAKE);
    await runToEnd(this.page);
    await output(this.page).getByText('no_such_name').first().waitFor();
  }

  private async stop(): Promise<void> {
    const { page } = this;
    await this.scratch(FOREVER);
    await toEnd(page, async () => {
      await page.getByRole('button', { name: /^Run/ }).first().click();
      await output(page).getByText('begun').waitFor();
      await page.keyboard.press('Escape');
    });
    await page
      .getByText(/Stopped after/)
      .first()
      .waitFor();
  }

  /** The state in which a page is measured, the same every time. */
  async rest(): Promise<void> {
    const { page } = this;
    await this.home();
    const first = this.list.find(({ file }) => file === 'vector_add.py')!;
    await openExample(page, first);
    await this.edit(first.file, HEADER(0));
    await runToEnd(page);
    await tab(page, 'Output').click();
    await ready(page);
    // The spare worker begins to load some seconds after a run.
    await page.waitForTimeout(8000);
    await status(page).waitFor();
  }
}
