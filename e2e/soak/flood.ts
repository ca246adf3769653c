/** Somebody, or something, who edits the program fifty times a second. */
import type { Page } from 'playwright';
import { framesWhile, type Frames } from '../../bench/latency/measure';
import { cursorBehind } from '../editing';
import { codeIn, doubling, replaceProgram, tab, until } from '../page';

export interface Flood {
  readonly edits: number;
  /** Edits a second that the page took. */
  readonly rate: number;
  /** While it is edited; milliseconds. */
  readonly frames: Frames;
  readonly workersBefore: number;
  readonly workersMost: number;
  /** Milliseconds from the last edit until the passes are those of the last text. */
  readonly settled: number;
}

const PACE = 20;
/** The factor that the last text has, as the passes print it. */
const LAST = '14321.0';

/** Types and deletes in a kernel for `seconds`; ends with a text whose passes are known. */
export async function flood(page: Page, seconds: number): Promise<Flood> {
  await tab(page, 'Passes').click();
  await replaceProgram(page, doubling(1).replace('2.0 * 1', '1.0'));
  await until(page, `!!document.querySelector('.pass-main .view-line')`);
  await cursorBehind(page, 'x * 1');
  const session = await page.context().newCDPSession(page);
  const key = { key: 'Backspace', code: 'Backspace', windowsVirtualKeyCode: 8 };
  const edit = async (index: number): Promise<void> => {
    if (index % 2 === 0) {
      await session.send('Input.insertText', { text: String(index % 10) });
      return;
    }
    await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...key });
    await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key });
  };
  const workersBefore = page.workers().length;
  let workersMost = workersBefore;
  let edits = 0;
  const began = performance.now();
  let took = 0;
  const frames = await framesWhile(page, async () => {
    const sent: Promise<void>[] = [];
    while (performance.now() - began < seconds * 1000 || edits % 2 === 1) {
      sent.push(edit(edits++));
      workersMost = Math.max(workersMost, page.workers().length);
      const ahead = began + edits * PACE - performance.now();
      if (ahead > 0) await new Promise((resolve) => setTimeout(resolve, ahead));
    }
    await Promise.all(sent);
    took = performance.now() - began;
  });
  await session.detach();
  await page.keyboard.insertText('4321');
  const last = performance.now();
  while (!(await codeIn(page, '.pass-main')).includes(LAST)) {
    if (performance.now() - last > 60_000)
      throw new Error(`the passes are not of the last text: ${await codeIn(page, '.pass-main')}`);
    await page.waitForTimeout(20);
  }
  const settled = performance.now() - last;
  return { edits, rate: (1000 * edits) / took, frames, workersBefore, workersMost, settled };
}

/** Faults that no busy machine explains: edits that are missing, workers that pile up. */
export function faults({ edits, workersBefore, workersMost }: Flood, seconds: number): string[] {
  const least = (seconds * 1000) / PACE / 2;
  return [
    ...(edits < least
      ? [`${edits} edits were made in ${seconds} s, at least ${least} wanted`]
      : []),
    ...(workersMost > workersBefore + 1 ? [`${workersMost} workers, of ${workersBefore}`] : []),
  ];
}

/** Faults of a page that holds up typing, on a machine that has a core for it. */
export function delays({ frames, rate, settled }: Flood): string[] {
  return [
    ...(rate < 40 ? [`${rate.toFixed(0)} edits a second were taken, of 50`] : []),
    ...(frames.median > 50 ? [`a frame took ${frames.median.toFixed(0)} ms`] : []),
    ...(frames.longTask > 1000 ? [`the page was busy for ${frames.longTask.toFixed(0)} ms`] : []),
    ...(settled > 5000 ? [`the passes came ${settled.toFixed(0)} ms after the last edit`] : []),
  ];
}
