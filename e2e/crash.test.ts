/**
 * Python that cannot load, and workers that crash: the page says so, keeps the text, and goes on.
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  doubling,
  openSite,
  output,
  prefixScripts,
  ready,
  runToEnd,
  visit,
  type Site,
} from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

/** Throws where nobody catches it, in each worker that runs programs. */
async function crash(page: Page): Promise<void> {
  const programs = page.workers().filter((worker) => worker.url().includes('programWorker'));
  expect(programs.length).toBeGreaterThan(0);
  await programs[0]!.evaluate(() => {
    setTimeout(() => {
      throw new Error('crashed by a test');
    });
  });
}

it('offers a restart where Python does not load', async () => {
  const context = await site.browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.route('**/pyodide.asm.wasm', (route) => route.abort());
  const page = await context.newPage();
  await page.goto(site.address);
  const alert = page.getByRole('alert').filter({ hasText: 'Python stopped working' });
  await alert.waitFor();
  expect(await alert.innerText()).toContain('Your text is kept');
  await context.unroute('**/pyodide.asm.wasm');
  await alert.getByRole('button', { name: 'Restart Python' }).click();
  await ready(page);
  expect(await alert.count()).toBe(0);
  await context.close();
});

it('goes on after a crash of the worker, during a run and between runs', async () => {
  const { page } = await visit(site, {
    text:
      'import asyncio\nfrom pyodide.ffi import run_sync\nprint("begun")\n' +
      'run_sync(asyncio.sleep(60))\n',
  });
  await ready(page);
  await page.getByRole('button', { name: /^Run/ }).first().click();
  await output(page).getByText('begun').waitFor();
  await crash(page);
  const card = output(page).getByRole('alert').filter({ hasText: 'crashed' });
  await card.waitFor();
  expect(await card.innerText()).toContain('crashed by a test');
  await ready(page);
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText("print('well again')");
  await runToEnd(page);
  expect(await output(page).innerText()).toContain('well again');

  await crash(page);
  await ready(page);
  await runToEnd(page);
  expect(await output(page).innerText()).toContain('well again');
  await page.context().close();
});

it('survives the loss of the GPU device, and says which launch it cost', async () => {
  const context = await site.browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addInitScript(
    (text) => {
      localStorage.setItem('hippocamp:current', 'vector_add.py');
      localStorage.setItem('hippocamp:text:vector_add.py', text);
    },
    doubling(1).replace(
      'print("first:"',
      'import asyncio; from pyodide.ffi import run_sync\n' +
        'torch.cuda.synchronize(); print("lose"); run_sync(asyncio.sleep(LOSE))\ndouble[(20,)](x, out, 5000, 256)\n' +
        'print("first:"',
    ),
  );
  // The test keeps hold of the device that the worker opens, where no program of it looks for
  // names.
  await prefixScripts(
    context,
    '**/programWorker*.js',
    `const request = GPUAdapter.prototype.requestDevice;
      GPUAdapter.prototype.requestDevice = async function (...options) {
        return (self[Symbol.for('device')] = await request.apply(this, options));
      };`,
  );
  const page = await context.newPage();
  await page.goto(site.address);
  await ready(page);
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.insertText('LOSE = 3\n');
  await page.getByRole('button', { name: /^Run/ }).first().click();
  await output(page).getByText('lose').waitFor();
  const worker = page.workers().find((each) => each.url().includes('programWorker'));
  await worker!.evaluate(() => {
    const scope = self as unknown as Record<symbol, GPUDevice>;
    scope[Symbol.for('device')]!.destroy();
  });
  const card = output(page).getByRole('alert').filter({ hasText: 'device was lost' });
  await card.waitFor();
  await ready(page);
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('Shift+End');
  await page.keyboard.insertText('LOSE = 0');
  await runToEnd(page);
  expect(await output(page).innerText()).toContain('close: True');
  expect(await page.getByRole('status').innerText()).toMatch(/WebGPU/);
  await context.close();
});

it('runs on the interpreter in a browser without navigator.gpu', async () => {
  const context = await site.browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addInitScript((text) => {
    localStorage.setItem('hippocamp:current', 'vector_add.py');
    localStorage.setItem('hippocamp:text:vector_add.py', text);
  }, doubling(1));
  // Workers have their own navigator: theirs is taken away where the worker's script begins.
  const without = 'delete Object.getPrototypeOf(navigator).gpu;';
  await prefixScripts(context, '**/programWorker*.js', without);
  const page = await context.newPage();
  await page.goto(site.address);
  await ready(page);
  const said = page.getByRole('status').getByText('no WebGPU: runs on the interpreter (slower)');
  await said.hover();
  expect(await page.getByRole('tooltip').innerText()).toMatch(/WebGPU/);
  await runToEnd(page);
  expect(await output(page).innerText()).toContain('close: True');
  await context.close();
});
