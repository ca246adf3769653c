/** Cursor and mouse at a word of the program's text, which Monaco draws in parts. */
import type { Page } from 'playwright';

/** Puts the cursor behind the first `what` of the text. */
export async function cursorBehind(page: Page, what: string): Promise<void> {
  const line = page.locator('.editor .view-line').filter({ hasText: what }).first();
  await line.click();
  await page.keyboard.press('Home');
  const text = (await line.innerText()).replaceAll('\u00a0', ' ');
  const indent = /^ */.exec(text)![0].length;
  const steps = text.indexOf(what) + what.length - indent;
  for (let i = 0; i < steps; i++) await page.keyboard.press('ArrowRight');
}

/** Moves the mouse over the first `word` of the text. */
export async function pointAt(page: Page, word: string): Promise<void> {
  const place = await page.evaluate((wanted) => {
    const walker = document.createTreeWalker(
      document.querySelector('.editor .view-lines')!,
      NodeFilter.SHOW_TEXT,
    );
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.textContent!.indexOf(wanted);
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      const { x, y, width, height } = range.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    }
    throw new Error(`no ${wanted}`);
  }, word);
  await page.mouse.move(place.x - 40, place.y);
  await page.mouse.move(place.x, place.y, { steps: 5 });
}
