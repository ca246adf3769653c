/** Stop ends a program at once, also inside `while True`; the next Run starts within a second. */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSite, output, ready, TIMED, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true, ownBrowser: true });
});
afterAll(() => site.close());

it('stops while True, and runs again within a second', TIMED, async () => {
  const { page, errors } = await visit(site, {
    text: "import sys\nprint('begun')\nwhile True:\n    pass\n",
  });
  await ready(page);
  await page.getByRole('button', { name: /^Run/ }).first().click();
  await output(page).getByText('begun').waitFor();
  const stopped = Date.now();
  await page.keyboard.press('Escape');
  await ready(page);
  expect(Date.now() - stopped).toBeLessThan(2000);

  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText("print('again')");
  const again = Date.now();
  await page.keyboard.press('ControlOrMeta+Enter');
  await output(page).getByText('again').waitFor();
  expect(Date.now() - again).toBeLessThan(1000);
  expect(errors).toEqual([]);
  await page.context().close();
});

/** The longest time without a frame within so many milliseconds. */
function longestFrame(page: Page, milliseconds: number): Promise<number> {
  return page.evaluate(async (length) => {
    const begin = performance.now();
    let last = begin;
    let longest = 0;
    while (last - begin < length) {
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }
    return longest;
  }, milliseconds);
}

/** One launch that takes SwiftShader some seconds; the store keeps the loop alive. */
const LONG = `
import torch
import triton
import triton.language as tl


@triton.jit
def spin(x_ptr, n):
    value = tl.load(x_ptr)
    for i in range(n):
        value = (value * 1103515245 + 12345) % 65536
    tl.store(x_ptr, value)


x = torch.ones(1, dtype=torch.int32, device="cuda")
print("begun")
spin[(1,)](x, 1_000_000_000)
print(x.item())
`;

it('stops a wait for the GPU, and runs again within a second', TIMED, async () => {
  const { page, errors } = await visit(site, { text: LONG });
  await ready(page);
  // The spare that takes over is started some seconds after the first.
  await page.waitForTimeout(8000);
  await page.getByRole('button', { name: /^Run/ }).first().click();
  await output(page).getByText('begun').waitFor();
  await page.waitForTimeout(500);
  const stopped = Date.now();
  await page.keyboard.press('Escape');
  await ready(page);
  expect(Date.now() - stopped).toBeLessThan(2000);
  expect(await longestFrame(page, 2500)).toBeLessThan(1500);
  await page.locator('.editor textarea, .editor .native-edit-context').first().focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText("print('again')");
  const again = Date.now();
  await page.keyboard.press('ControlOrMeta+Enter');
  await output(page).getByText('again').waitFor({ state: 'attached' });
  // The software adapter still computes the stopped launch on the cores that this needs.
  expect(Date.now() - again).toBeLessThan(3000);
  expect(errors).toEqual([]);
  await page.context().close();
});

/** A launch that takes a software adapter a minute: a million programs of 2,000 steps each. */
const MANY = `
import torch
import triton
import triton.language as tl


@triton.jit
def spin(out_ptr, steps, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = at
    for i in range(steps):
        value = (value * 1103515245 + 12345) % 65536
    tl.store(out_ptr + at, value)


out = torch.empty(2**20, dtype=torch.int32, device="cuda")
print("begun")
spin[(2**20,)](out, 2000, BLOCK=1)
print(out[0].item())
`;

it('draws again soon after a launch of many programs was stopped', TIMED, async () => {
  const { page, errors } = await visit(site, { text: MANY });
  await ready(page);
  await page.getByRole('button', { name: /^Run/ }).first().click();
  await output(page).getByText('begun').waitFor();
  await page.waitForTimeout(3000);
  await page.keyboard.press('Escape');
  expect(await longestFrame(page, 5000)).toBeLessThan(2000);
  await ready(page);
  expect(errors).toEqual([]);
  await page.context().close();
});

const TASKS: Readonly<Record<string, string>> = {
  'a task that never waits': 'await asyncio.sleep(1000)',
  'a task beside a program of short steps': 'while True:\n        await asyncio.sleep(0)',
  'a task that the program waits for': 'await task',
};

it.each(Object.entries(TASKS))(
  'stops %s, without an error of the page',
  TIMED,
  async (name, wait) => {
    const busy = name === 'a task that never waits';
    const { page, errors } = await visit(site, {
      text: `import asyncio


async def spin():
    while True:
        ${busy ? 'pass' : 'await asyncio.sleep(0)'}


async def main():
    task = asyncio.create_task(spin())
    print("begun", flush=True)
    ${wait}


asyncio.run(main())
`,
    });
    await ready(page);
    await page.getByRole('button', { name: /^Run/ }).first().click();
    await output(page).getByText('begun').waitFor();
    await page.waitForTimeout(500);
    const stopped = Date.now();
    await page.keyboard.press('Escape');
    await page.locator('.tabpanel').first().getByText('Stopped after').waitFor();
    expect(Date.now() - stopped).toBeLessThan(2000);
    await ready(page);
    // Errors of a worker arrive behind its messages.
    await page.waitForTimeout(300);
    expect(errors).toEqual([]);
    await page.context().close();
  },
);

it('ends a program that leaves in a task', TIMED, async () => {
  const { page, errors } = await visit(site, {
    text: `import asyncio, sys


async def leave():
    sys.exit("left in a task")


async def main():
    task = asyncio.create_task(leave())
    await asyncio.sleep(1000)
    print("never")


asyncio.run(main())
`,
  });
  await ready(page);
  await page.getByRole('button', { name: /^Run/ }).first().click();
  await output(page).getByText('left in a task').first().waitFor();
  await ready(page);
  expect(errors).toEqual([]);
  await page.context().close();
});
