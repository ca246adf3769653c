/**
 * No run changes another one: another program gets a worker of its own; the same one, run again,
 * finds the settings as they were, and a fresh Python where it patched something or left something
 * running.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright';
import { CHANGES, IMPORTS } from '../app/python/testing/changes';
import { printed, runLink } from './attack';
import { doubling, openSite, ready, runToEnd, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

const entries = Object.entries(CHANGES);
/** Sets everything; patches of what running itself needs come last. */
const CHANGE = `${entries.map(([, { set }]) => set).join('\n')}\n`;
const READ = `${entries
  .map(([name, { read }]) => `print(${JSON.stringify(`${name}: `)} + str((${read})))`)
  .join('\n')}\nprint("read")\n`;

/** Left running, and listening to whoever comes next. */
const REMAIN = `
async def tick():
    while True:
        print("a tick of the program before")
        await asyncio.sleep(0.05)

asyncio.ensure_future(tick())
js.setInterval(create_proxy(lambda: print("an interval of the program before")), 50)

def forge(run):
    for event in (
        '{"type": "print", "stream": "stdout", "text": "forged"}',
        '{"type": "finished", "outcome": "ok", "milliseconds": 1}',
    ):
        js.postMessage(js.JSON.parse('{"type": "event", "run": %d, "event": %s}' % (run, event)))

def heard(event):
    print("heard", js.JSON.stringify(event.data)[:80])
    forge(event.data.run)

js.addEventListener("message", create_proxy(heard))
`;

const workersOf = (page: Page): string[] =>
  page
    .workers()
    .filter((each) => each.url().includes('programWorker'))
    .map((each) => each.url());

it('gives another program a Python of which the one before has nothing', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await ready(page);
  const clean = await runLink(page, 'Second', IMPORTS + READ);
  expect(clean).toContain('read');
  // One after the other: what remains would break over what is changed, and cost the worker.
  for (const [name, attack] of Object.entries({ Changing: CHANGE, Remaining: REMAIN })) {
    await runLink(page, name, IMPORTS + attack);
    const text = await runLink(page, 'Second', IMPORTS + READ);
    await page.waitForTimeout(300);
    expect.soft(text, name).toBe(clean);
    expect.soft(await printed(page), name).toBe(clean);
  }
  // Comparisons that do not hold are shown, whatever was patched before.
  const wrong = await runLink(page, 'Third', doubling(2));
  expect(wrong).toContain('close: False');
  await page.waitForTimeout(300);
  expect(await printed(page)).toBe(wrong);
  expect(errors).toEqual([]);
  await page.context().close();
});

/** Makes the first line of the program this one. */
async function firstLine(page: Page, text: string): Promise<void> {
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('Shift+End');
  await page.keyboard.insertText(text);
}

it('finds its own settings as they were, when it is edited and run again', async () => {
  const indented = (text: string): string => text.trim().replace(/^(?=.)/gm, '    ');
  const text = `CHANGE = 0
${IMPORTS}
if CHANGE == 1:
${indented(CHANGE)}
elif CHANGE == 2:
${indented(REMAIN)}
else:
${indented(READ)}
`;
  const { page, errors } = await visit(site, { text });
  await ready(page);
  await runToEnd(page);
  const clean = await printed(page);
  expect(clean).toContain('read');
  for (const change of [1, 2]) {
    await firstLine(page, `CHANGE = ${change}`);
    await runToEnd(page);
    await firstLine(page, 'CHANGE = 0');
    await runToEnd(page);
    await page.waitForTimeout(300);
    expect(await printed(page)).toBe(clean);
  }
  expect(errors).toEqual([]);
  await page.context().close();
});

it('keeps its worker where it only sets what programs set', async () => {
  const text = `import logging, sys, warnings
import numpy
warnings.simplefilter("ignore")
logging.basicConfig(level=10)
sys.setrecursionlimit(5000)
numpy.set_printoptions(precision=3)
${doubling(1)}
torch.backends.cuda.matmul.allow_tf32 = True
print("product:", (torch.ones(2, 2) @ torch.ones(2, 2)).sum().item())
`;
  const { page } = await visit(site, { text });
  await ready(page);
  await runToEnd(page);
  expect(await printed(page)).toContain('product: 8.0');
  const worker = page.workers().find((each) => each.url().includes('programWorker'))!;
  await worker.evaluate(() => performance.mark('the first'));
  for (let run = 0; run < 3; run++) {
    await runToEnd(page);
    await page.waitForTimeout(300);
  }
  expect(workersOf(page).length).toBeLessThanOrEqual(2);
  expect(await worker.evaluate(() => performance.getEntriesByName('the first').length)).toBe(1);
  await page.context().close();
});
