/** Run on the GPU: output, comparison, time; and how long it takes. */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { doubling, openSite, output, ready, runToEnd, status, tab, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

async function assertGpu(page: Page): Promise<void> {
  const info = await page.evaluate(async () => {
    const adapter = await navigator.gpu.requestAdapter();
    return adapter ? { vendor: adapter.info.vendor, kind: adapter.info.architecture } : null;
  });
  expect(info).toEqual({ vendor: 'google', kind: 'swiftshader' });
  expect(await status(page).innerText()).toMatch(/WebGPU/);
}

it('runs a kernel on WebGPU, compares it with torch and times it', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await ready(page);
  await assertGpu(page);
  await runToEnd(page);
  const text = await output(page).innerText();
  expect(text).toContain('first: True');
  expect(text).toContain('close: True');
  expect(text).toMatch(/double\s*\[20, 1, 1\]/);
  expect(await tab(page, 'Output').getAttribute('data-state')).toBe('active');
  await tab(page, 'Compare').click();
  const comparison = page.getByRole('button', { name: /allclose/ });
  expect(await comparison.innerText()).toContain('5,000 elements');
  expect(await page.locator('[data-passed=true]').count()).toBe(1);
  await tab(page, 'Timing').click();
  const row = page.getByRole('region', { name: 'Launches' }).locator('.launch-row');
  expect(await row.innerText()).toMatch(/double.*\[20, 1, 1\].*(µs|ms|below resolution)/s);
  // Behind a time that is not the GPU's own stands its clock.
  expect(await row.innerText()).not.toMatch(/\(CPU\)|\(interpreter\)/);
  await tab(page, 'Passes').click();
  await page.getByRole('option').first().waitFor();
  await tab(page, 'WGSL').click();
  await page.locator('.wgsl .view-line').first().waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('offers Run only once the program is open, so that no click is lost', async () => {
  const context = await site.browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addInitScript(() => {
    // Storage answers late, and with it the program.
    const add = EventTarget.prototype.addEventListener;
    IDBOpenDBRequest.prototype.addEventListener = function (
      this: IDBOpenDBRequest,
      name: string,
      listener: EventListenerOrEventListenerObject,
    ) {
      add.call(this, name, (event) =>
        setTimeout(
          () => (typeof listener === 'function' ? listener(event) : listener.handleEvent(event)),
          name === 'success' ? 1500 : 0,
        ),
      );
    };
  });
  const page = await context.newPage();
  await page.goto(site.address);
  await page.getByRole('button', { name: /^Run/ }).first().click();
  await page.getByText('as PyTorch computes it: True').waitFor({ timeout: 90_000 });
  await context.close();
});

it('runs the first example from a cold page, and again', async () => {
  const { page, errors } = await visit(site);
  const begin = Date.now();
  await page.getByRole('button', { name: /^Run/ }).first().click();
  await page.getByText('as PyTorch computes it: True').waitFor({ timeout: 90_000 });
  const cold = Date.now() - begin;
  await ready(page);
  await assertGpu(page);
  await tab(page, 'Timing').click();
  await page
    .getByRole('region', { name: /^Benchmark/ })
    .locator('canvas')
    .waitFor();
  // The figure on two free cores is 8 s; a busy machine must not make the test fail by chance.
  expect(cold).toBeLessThan(30_000);
  expect(errors).toEqual([]);
  await page.context().close();
});

it('starts every run from a clean namespace', async () => {
  const { page } = await visit(site, {
    text: "print('left over:', 'leftover' in globals())\nleftover = 1\n",
  });
  await ready(page);
  for (let run = 0; run < 2; run++) {
    await runToEnd(page);
    expect(await output(page).innerText()).toContain('left over: False');
  }
  await page.context().close();
});

it('dims results once the text is edited', async () => {
  const { page } = await visit(site, { text: 'print(1)\n' });
  await ready(page);
  await runToEnd(page);
  expect(await page.getByText('The code has changed since this run').count()).toBe(0);
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.type('# ');
  await page.getByText('The code has changed since this run').waitFor();
  // Another program was never run: it has no results.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('fused softmax');
  await page
    .getByRole('option', { name: /Fused softmax/ })
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('The code has changed since this run').waitFor({ state: 'detached' });
  expect(await output(page).count()).toBe(0);
  await page.context().close();
});

it('never leaves a tab that the visitor chose while it ran', async () => {
  const { page } = await visit(site, { text: 'import time\ntime.sleep(1)\nraise ValueError(7)\n' });
  await ready(page);
  await page.getByRole('button', { name: /^Run/ }).first().click();
  await tab(page, 'WGSL').click();
  await ready(page);
  expect(await tab(page, 'WGSL').getAttribute('data-state')).toBe('active');
  await page.context().close();
});
