/**
 * A visitor whose GPU is lost again and again, in one page: each loss comes at a random call of
 * WebGPU of a run, in a random phase. All choices follow from a seed.
 *
 * Guarantee: a loss passes only where the run ends, with right results or with a card that names
 * the lost device and nothing else; the next run gives right results on the GPU; the editor holds
 * what was typed meanwhile; and the page throws nothing.
 */
import type { Page } from 'playwright';
import { keptText, output, ready, replaceProgram, runToEnd, status, tab, toEnd } from '../page';
import { examples, openExample, randomFrom } from '../soak/walk';
import type { Loss, Losses, Outcome } from './hook';
import { header, PHASES, PROGRAM, RUN_PHASES, type Phase } from './phases';

/** A loss, and how the run ended. */
export interface Lost extends Loss {
  readonly phase: Phase;
  /** Whether the run had so many calls. */
  readonly lost: boolean;
  /** `right`, or the sentence of the card. */
  readonly ended: string;
  readonly faults: readonly string[];
}

/** Sentences that explain a loss, and words of the page's and the browser's insides. */
const EXPLAINED = /The GPU device was lost|were lost with the GPU device/;
const INTERNAL =
  /AbortError|OperationError|InvalidState|TypeError|ReferenceError|JsException|HC8009|HC8011|HC8002|WGSL|WebGPU refused|WebGPU failed|reading a tensor back failed|AssertionError/;

/** The program that a first visit shows. */
const EXAMPLE = examples().find(({ file }) => file === 'vector_add.py')!;

/** Calls of a phase that was not counted yet. */
const FIRST: Outcome['calls'] = { createBuffer: 3, submit: 2, mapAsync: 2, finish: 2 };

/** Milliseconds within which a loss comes later than its call. */
const LATER = 30;

export class Losing {
  /** Calls of WebGPU that a run of the phase makes, as the last whole one counted. */
  private readonly calls = new Map<Phase, Outcome['calls']>();
  private runs = 0;
  private typed = '';

  constructor(
    private readonly page: Page,
    private readonly losses: Losses,
    /** Errors that the page has thrown. */
    private readonly errors: string[],
    private readonly random: () => number,
  ) {}

  static of(page: Page, losses: Losses, errors: string[], seed: number): Losing {
    return new Losing(page, losses, errors, randomFrom(seed));
  }

  async begin(): Promise<void> {
    const { page } = this;
    await replaceProgram(page, PROGRAM);
    await tab(page, 'Output').click();
    await ready(page);
  }

  /**
   * Draws a method first: most calls are dispatches.
   * @param times more than the calls that were counted.
   */
  private draw(phase: Phase, times = 1): Loss {
    const counted = Object.entries(this.calls.get(phase) ?? FIRST);
    const [method, most] = counted[Math.floor(this.random() * counted.length)]!;
    const call = 1 + Math.floor(this.random() * most * times);
    const kind = this.random();
    const when = kind < 0.4 ? 'before' : kind < 0.8 ? 'behind' : 'later';
    return { method, call, when, milliseconds: Math.floor(this.random() * LATER) };
  }

  /** One loss, and the run after it. */
  async lose(phase: Phase): Promise<Lost> {
    if (phase === 'start') return this.loseStart();
    if (phase === 'switch') return this.loseSwitch();
    const { page, losses } = this;
    // The debugger keeps what launches get only where it is in view.
    await tab(page, phase === 'debugger' ? 'Debugger' : 'Output').click();
    if (!this.calls.has(phase)) {
      await this.write(header(phase, ++this.runs));
      await losses.plan(page, null);
      await runToEnd(page);
      this.calls.set(phase, (await losses.outcome(page)).calls);
    }
    await this.write(header(phase, ++this.runs));
    const loss = this.draw(phase);
    await losses.plan(page, loss);
    const faults: string[] = [];
    await toEnd(page, async () => {
      await page.getByRole('button', { name: /^Run/ }).first().click();
      await this.type();
    });
    const outcome = await losses.outcome(page);
    const ended = await this.ended(faults);
    if (phase === 'debugger') await this.lookAtDebugger(faults);
    return this.verdict(phase, loss, outcome, ended, faults);
  }

  /** A worker loses its device while it starts: the page is loaded anew. */
  private async loseStart(): Promise<Lost> {
    const { page, losses } = this;
    const loss = this.draw('start');
    losses.next = loss;
    await page.reload();
    await ready(page);
    losses.next = null;
    const outcome = await losses.outcome(page);
    this.calls.set('start', outcome.calls);
    await tab(page, 'Output').click();
    return this.verdict('start', loss, outcome, 'right', []);
  }

  /** The device goes while the visitor opens another program, whose run is right. */
  private async loseSwitch(): Promise<Lost> {
    const { page, losses } = this;
    await this.write(header('switch', ++this.runs));
    const loss = this.draw('switch', 50);
    await losses.plan(page, loss);
    await page.getByRole('button', { name: /^Run/ }).first().click();
    await output(page).getByText('begun switch').waitFor();
    const faults: string[] = [];
    await page.getByRole('button', { name: /^Program: / }).click();
    await page.getByRole('menuitem', { name: 'New program' }).click();
    await page.locator('.editor .view-line').filter({ hasText: 'def square_kernel' }).waitFor();
    await page.waitForTimeout(Math.floor(this.random() * 200));
    if (this.random() < 0.5) await page.keyboard.press('Escape');
    await ready(page);
    const outcome = await losses.outcome(page);
    await losses.plan(page, null);
    await runToEnd(page);
    const cards = await this.cards();
    if (cards.length > 0) faults.push(`the program that was opened: ${cards.join(' ')}`);
    await openExample(page, EXAMPLE);
    await page.locator('.editor .view-line').filter({ hasText: 'PHASE, RUN' }).waitFor();
    await ready(page);
    await tab(page, 'Output').click();
    return this.verdict('switch', loss, outcome, 'right', faults);
  }

  private async lookAtDebugger(faults: string[]): Promise<void> {
    const said = await this.page.getByRole('tabpanel').first().innerText();
    if (INTERNAL.test(said)) faults.push(`the debugger: ${said.slice(0, 300)}`);
    await tab(this.page, 'Output').click();
  }

  private async write(line: string): Promise<void> {
    const { page } = this;
    await this.toFirstLine();
    await page.keyboard.press('Shift+End');
    await page.keyboard.insertText(line);
    this.typed = line;
  }

  private async toFirstLine(): Promise<void> {
    await this.page.locator('.editor textarea, .editor .native-edit-context').first().focus();
    await this.page.keyboard.press('ControlOrMeta+Home');
  }

  /** Types while the program runs. */
  private async type(): Promise<void> {
    const text = '  # typed meanwhile';
    await this.toFirstLine();
    await this.page.keyboard.press('End');
    await this.page.keyboard.insertText(text);
    this.typed += text;
  }

  /** The first line of the text that the browser keeps, once that is what was typed. */
  private async firstLine(): Promise<string> {
    let text = '';
    for (let i = 0; i < 100; i++) {
      text = ((await keptText(this.page)) ?? '').split('\n')[0]!;
      if (text === this.typed) break;
      await this.page.waitForTimeout(50);
    }
    return text;
  }

  private cards(): Promise<string[]> {
    return output(this.page).locator('.error-card:not(.warning)').allInnerTexts();
  }

  /** How the last run ended, where it did well. */
  private async ended(faults: string[]): Promise<string> {
    const { page } = this;
    await tab(page, 'Output').click();
    const cards = await this.cards();
    const text = cards.join('\n').replace(/\s+/g, ' ').trim();
    const printed = await output(page).innerText();
    if (cards.length === 0) {
      if (printed.includes('right ')) return 'right';
      faults.push(`it ended with neither a result nor a card: ${printed.slice(-300)}`);
      return 'nothing';
    }
    if (cards.length > 1) faults.push(`${cards.length} cards: ${text.slice(0, 600)}`);
    if (!EXPLAINED.test(text)) faults.push(`not explained: ${text.slice(0, 600)}`);
    else if (INTERNAL.test(text)) faults.push(`of the insides: ${text.slice(0, 600)}`);
    return text.slice(0, 300);
  }

  /** Makes the run behind the loss, and looks at what is left. */
  private async verdict(
    phase: Phase,
    loss: Loss,
    outcome: Outcome,
    ended: string,
    found: readonly string[],
  ): Promise<Lost> {
    const { page, losses, errors } = this;
    const faults = [...found];
    await losses.plan(page, null);
    const kept = await this.firstLine();
    if (this.typed !== '' && kept !== this.typed) faults.push(`the text is ${kept}`);
    await this.write(header('launch', ++this.runs));
    await runToEnd(page);
    const cards = await this.cards();
    if (cards.length > 0) faults.push(`the next run: ${cards.join(' ').slice(0, 600)}`);
    else if (!(await output(page).innerText()).includes(`right ${this.runs}`))
      faults.push('the next run printed no result');
    const said = await status(page).innerText();
    if (!/WebGPU/.test(said) || /no WebGPU/.test(said))
      faults.push(`the next run was not on the GPU: ${said}`);
    faults.push(...errors.splice(0).map((each) => `the page threw ${each}`));
    return { phase, ...loss, lost: outcome.lost, ended, faults };
  }

  /** A phase for each loss, in turn: pages are loaded anew for few of them. */
  phaseOf(index: number): Phase {
    const rare = Math.floor(this.random() * 20);
    if (rare === 0) return 'start';
    if (rare === 1) return 'switch';
    return RUN_PHASES[index % RUN_PHASES.length]!;
  }
}

/** Losses by phase, for a report. */
export function byPhase(all: readonly Lost[]): Record<string, number> {
  return Object.fromEntries(
    PHASES.map((phase) => [phase, all.filter((each) => each.phase === phase && each.lost).length]),
  );
}
