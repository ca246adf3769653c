/**
 * No run changes another one: another program gets a worker of its own; the same one, run again,
 * finds the settings as they were, and a fresh Python where it patched something or left something
 * running.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright';
import { CHANGES, IMPORTS } from '../app/python/testing/changes';
import { printed, runLink } from './attack';
import { eventually } from './expectCode';
import {
  doubling,
  openSite,
  ready,
  replaceFirstLine,
  replaceProgram,
  runToEnd,
  tab,
  visit,
  withoutJspi,
  type Site,
} from './page';

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
const REMAIN = `import js
from pyodide.ffi import create_proxy

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

/** Hooks and callbacks in JavaScript: a later run would see each, or be called by it. */
const HOOKS = `import js
from pyodide.ffi import create_proxy

def ghost(*_):
    print("a ghost")

js.Object.getPrototypeOf(js.Uint8Array.prototype).mine = 1
js.Object.getPrototypeOf(js.Array.new().values()).mine = 1
js.Intl.Collator.mine = 1
js.Reflect.apply = js.Reflect.apply.bind(js.Reflect)
js.Object.preventExtensions(js.Array.prototype)
js.setTimeout(js.Function.prototype.call.bind(create_proxy(ghost)), 1000)
js.AbortSignal.timeout(1000).addEventListener("abort", create_proxy(ghost))
js.addEventListener("message", create_proxy(ghost))
channel = js.MessageChannel.new()
def again(*_):
    ghost()
    js.setTimeout(channel.port2.postMessage.bind(channel.port2), 400, 1)
channel.port1.onmessage = create_proxy(again)
channel.port2.postMessage(1)
setattr(js.Object, "is", create_proxy(lambda *a: True))
js.Array.prototype.every = create_proxy(lambda *a: True)
`;
const READ_HOOKS = `import js
time.sleep(1.2)
typed = js.Object.getPrototypeOf(js.Uint8Array.prototype)
iterators = js.Object.getPrototypeOf(js.Array.new().values())
for each in (typed, iterators, js.Intl.Collator):
    print(hasattr(each, "mine"))
print(js.Reflect.apply.name)
print(js.Object.isExtensible(js.Array.prototype), getattr(js.Object, "is")(1, 2))
print("read hooks")
`;

const ATTACKS = { Changing: CHANGE, Remaining: REMAIN, Hooking: HOOKS };

const workersOf = (page: Page): string[] =>
  page
    .workers()
    .filter((each) => each.url().includes('programWorker'))
    .map((each) => each.url());

/** Browsers that cannot suspend Python are tried by night. */
const BROWSERS = process.env['NIGHTLY_SECONDS'] === undefined ? [true] : [true, false];

it.each(BROWSERS)(
  'gives another program a Python of which the one before has nothing (JSPI: %s)',
  async (jspi) => {
    const { page, errors } = await visit(site, { text: doubling(1) });
    if (!jspi) {
      await withoutJspi(page.context());
      await page.reload();
    }
    await ready(page);
    const clean = await runLink(page, 'Second', IMPORTS + READ + READ_HOOKS);
    expect(clean).toContain('read hooks');
    // One after the other: what remains would break over what is changed, and cost the worker.
    for (const [name, attack] of Object.entries(ATTACKS)) {
      await runLink(page, name, `${IMPORTS}${attack}print("attacked")\n`);
      const text = await runLink(page, 'Second', IMPORTS + READ + READ_HOOKS);
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
  },
);

it('finds its own settings as they were, when it is edited and run again', async () => {
  const indented = (text: string): string => text.trim().replace(/^(?=.)/gm, '    ');
  const text = `CHANGE = 0
${IMPORTS}
if CHANGE == 1:
${indented(CHANGE)}
elif CHANGE == 2:
${indented(REMAIN)}
elif CHANGE == 3:
${indented(HOOKS)}
else:
${indented(READ + READ_HOOKS)}
`;
  const { page, errors } = await visit(site, { text });
  await ready(page);
  await runToEnd(page);
  const clean = await printed(page);
  expect(clean).toContain('read hooks');
  for (const change of [1, 2, 3]) {
    await replaceFirstLine(page, `CHANGE = ${change}`);
    await runToEnd(page);
    await replaceFirstLine(page, 'CHANGE = 0');
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

it('names what a program replaced of torch and triton, beside its verdicts', async () => {
  const text = `import torch, triton
x = torch.ones(3)
assert torch.allclose(x, x)
def agree(*_, **__):
    return True
torch.allclose = agree
triton.testing.do_bench = lambda f, **_: 0.001
print("agree:", torch.allclose(x, x + 1))
`;
  const { page, errors } = await visit(site, { text });
  await ready(page);
  await runToEnd(page);
  expect(await printed(page)).toContain('agree: True');
  const note = page.getByRole('note').filter({ hasText: 'This program replaced' });
  await tab(page, 'Output').click();
  await eventually(() => note.innerText()).toMatch(
    /torch\.allclose.*triton\.testing\.do_bench.*its comparisons and times are what it makes of them/,
  );
  await tab(page, 'Compare').click();
  await note.waitFor();

  await replaceProgram(page, text.split('def agree')[0]!);
  await ready(page);
  await runToEnd(page);
  await page.waitForTimeout(1000);
  expect(await note.count()).toBe(0);
  expect(errors).toEqual([]);
  await page.context().close();
});
