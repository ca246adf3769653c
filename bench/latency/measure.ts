/**
 * How long a page takes to answer, measured inside of it: from the browser's own time of an input
 * event to the frame that shows the answer, and the frames of a while. `e2e/frames.test.ts` holds
 * the page to generous bounds by the same functions that `npm run bench:page` prints figures with.
 */
import type { Page } from 'playwright';
import { visit, type Site } from '../../e2e/page';

/** Milliseconds, but for `count`. */
export interface Frames {
  readonly count: number;
  readonly median: number;
  readonly p95: number;
  readonly worst: number;
  /** The longest that the page's thread was busy without a break; 0 where never for 50. */
  readonly longTask: number;
  /**
   * Time of the page's thread for a frame, on average, in milliseconds. A frame at 60 a second has
   * 16.7.
   */
  readonly work: number;
}

/** A visitor's page with this text, compiled once. */
export async function compiledPage(
  site: Site,
  text: string,
): Promise<{ page: Page; errors: string[] }> {
  const visited = await visit(site, { text });
  await visited.page.locator('.editor .view-line').first().waitFor();
  await visited.page.getByText(/compiled in/).waitFor({ timeout: 120_000 });
  return visited;
}

/** The frames that the page draws while `action` goes on. */
export async function framesWhile(page: Page, action: () => Promise<void>): Promise<Frames> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const busy = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
  };
  await page.evaluate(() => {
    const seen = { times: [] as number[], longTask: 0, on: true };
    Object.assign(globalThis, { framesSeen: seen });
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries())
        seen.longTask = Math.max(seen.longTask, duration);
    });
    observer.observe({ entryTypes: ['longtask'] });
    const frame = (): void => {
      seen.times.push(performance.now());
      if (seen.on) requestAnimationFrame(frame);
      else observer.disconnect();
    };
    requestAnimationFrame(frame);
  });
  const before = await busy();
  await action();
  const after = await busy();
  const { times, longTask } = await page.evaluate(async () => {
    const { framesSeen } = globalThis as unknown as {
      framesSeen: { times: number[]; longTask: number; on: boolean };
    };
    framesSeen.on = false;
    await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0)));
    return framesSeen;
  });
  await session.detach();
  const gaps = times.slice(1).map((time, index) => time - times[index]!);
  if (gaps.length === 0) throw new Error('the page drew no frame');
  return {
    count: gaps.length,
    median: quantile(gaps, 0.5),
    p95: quantile(gaps, 0.95),
    worst: Math.max(...gaps),
    longTask,
    work: (after - before) / gaps.length,
  };
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

/**
 * Turns the wheel over the middle of `selector`, `turns` times by `step` pixels, one turn a frame
 * or so.
 */
export async function wheel(
  page: Page,
  selector: string,
  turns: number,
  step: number,
): Promise<void> {
  const box = await page.locator(selector).first().boundingBox();
  if (!box) throw new Error(`${selector} is not to be seen`);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (let turn = 0; turn < turns; turn++) await page.mouse.wheel(0, step);
}

export type InputEvent = 'keydown' | 'pointerdown' | 'mousedown';

/**
 * Milliseconds from the next input event to the first frame drawn for which `until` holds: an
 * expression of the page's. Looked at once a frame, so never below what the screen itself takes.
 */
export async function answerTo(
  page: Page,
  event: InputEvent,
  until: string,
  act: () => Promise<void>,
): Promise<number> {
  await page.evaluate(
    ([type, condition]) => {
      // eslint-disable-next-line no-implied-eval, no-new-func -- the expression is this file's
      // caller's
      const holds = new Function(`return ${condition}`) as () => unknown;
      const answer = new Promise<number>((resolve) => {
        const listen = (input: Event): void => {
          const look = (): void => {
            if (!holds()) requestAnimationFrame(look);
            else {
              // A message comes after the frame was given to the compositor.
              const channel = new MessageChannel();
              channel.port1.onmessage = () => resolve(performance.now() - input.timeStamp);
              channel.port2.postMessage(null);
            }
          };
          requestAnimationFrame(look);
        };
        addEventListener(type, listen, { capture: true, once: true });
      });
      Object.assign(globalThis, { answerTo: answer });
    },
    [event, until] as const,
  );
  await act();
  return page.evaluate(() => (globalThis as unknown as { answerTo: Promise<number> }).answerTo);
}

/** Milliseconds of each step to the next pass, by the key j, from the first. */
export async function stepThroughPasses(page: Page, most: number): Promise<number[]> {
  const options = page.getByRole('listbox', { name: 'Passes' }).getByRole('option');
  await options.first().click();
  const steps: number[] = [];
  const count = Math.min(await options.count(), most);
  for (let turn = 1; turn < count; turn++) {
    const until = `document.querySelector('.pass-list [aria-selected=true]').id === 'pass-${turn}'`;
    steps.push(await answerTo(page, 'keydown', until, () => page.keyboard.press('j')));
  }
  return steps;
}

/** True in the page while something of the editor's text is underlined as wrong. */
export const JUDGED_WRONG = 'document.querySelector(".editor .squiggly-error") !== null';

/**
 * Waits until another compilation has ended than the one that the page reports when this is
 * called.
 */
export async function compiledAnew(page: Page, edit: () => Promise<void>): Promise<void> {
  const status = page.getByText(/compiled in/);
  const before = (await status.getAttribute('title')) ?? '';
  await edit();
  await page.locator(`.statusbar [title="${before}"]`).waitFor({ state: 'detached' });
  await status.waitFor();
}
