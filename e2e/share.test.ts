/** Links, embeds and exports, as somebody who gets them sees them. */
import { readFileSync } from 'node:fs';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright';
import { textOf } from '../app/share/export/text';
import { bareSite } from './bare';
import { eventually } from './expectCode';
import {
  codeIn,
  doubling,
  openSite,
  ready,
  runToEnd,
  type Site,
  STEP,
  tab,
  until,
  visit,
} from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

async function shareDialog(page: Page) {
  await page.keyboard.press('Control+s');
  const dialog = page.getByRole('dialog', { name: /^Share / });
  await dialog.waitFor();
  return dialog;
}
async function linkOf(page: Page): Promise<string> {
  const dialog = await shareDialog(page);
  const link = await dialog.getByRole('textbox', { name: 'Link' }).inputValue();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  return link;
}
async function download(page: Page, name: RegExp): Promise<Buffer> {
  const dialog = await shareDialog(page);
  await dialog.getByRole('tab', { name: 'Export' }).click();
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name }).click(),
  ]);
  const bytes = readFileSync(await saved.path());
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  return bytes;
}

it('carries program, panels, pass and settings, and is the same for who opens it', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('radio', { name: 'Interpreter' }).click();
  await page.keyboard.press('Escape');
  await tab(page, 'Passes').click();
  const passes = page.getByRole('listbox', { name: 'Passes' });
  await passes.getByRole('option').nth(3).click();
  await page.keyboard.press('d');
  const chosen = await passes.locator('[aria-selected=true]').innerText();
  await page.keyboard.press('Alt+s');
  await page.getByRole('tablist', { name: 'Panels of the second group' }).waitFor();
  const link = await linkOf(page);
  expect(await linkOf(page)).toBe(link);
  expect(link).toMatch(/#\/s\/2\.[\w-]+$/);

  // Somebody else, who has work of their own.
  const other = await visit(site, { text: '# my own work\n' });
  await other.page.locator('.editor .view-line').filter({ hasText: 'my own work' }).waitFor();
  await other.page.goto(link);
  await other.page.locator('.editor .view-line').filter({ hasText: 'def double' }).waitFor();
  await other.page.getByText(/Opened from a link/).waitFor();
  const theirs = other.page
    .getByRole('listbox', { name: 'Passes' })
    .locator('[aria-selected=true]');
  await theirs.waitFor();
  expect(await theirs.innerText()).toContain(chosen.split('\n')[0]!);
  expect(await other.page.getByRole('button', { name: 'Diff' }).getAttribute('aria-pressed')).toBe(
    'true',
  );
  expect(await linkOf(other.page)).toBe(link);
  // Nothing runs by itself, and the settings of the link hold.
  await ready(other.page);
  expect(await other.page.locator('[role=status]').getAttribute('data-ended')).toBeNull();
  await other.page.getByText('interpreter (chosen in settings)').waitFor();
  // An edit is the visitor's own, and the address no longer claims to be the link.
  await other.page.locator('.editor .view-line').first().click();
  await other.page.keyboard.insertText('# edited\n');
  await until(other.page, 'location.hash === ""');
  await other.page.reload();
  await other.page.locator('.editor .view-line').filter({ hasText: '# edited' }).waitFor();
  await other.page.getByRole('button', { name: /^Program: / }).click();
  await other.page
    .getByRole('menuitemradio', { name: /^Vector add\s*(edited)?\s*The first/ })
    .click();
  await other.page.locator('.editor .view-line').filter({ hasText: 'my own work' }).waitFor();
  // The link once more: what was sent, beside what was made of it.
  await other.page.goto(link);
  await other.page.locator('.editor .view-line').filter({ hasText: 'def double' }).waitFor();
  expect(await codeIn(other.page, '.editor')).not.toContain('# edited');
  expect([...errors, ...other.errors]).toEqual([]);
  await page.context().close();
  await other.page.context().close();
});

it('copies the link by Enter alone, and as Markdown, and shows an embed in a theme', async () => {
  const { page, errors } = await visit(site, {
    text: doubling(1),
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const clipboard = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
  const dialog = await shareDialog(page);
  await page.keyboard.press('Enter');
  await dialog.getByText('Copied the link.').waitFor();
  const link = await clipboard();
  expect(link).toBe(await dialog.getByRole('textbox', { name: 'Link' }).inputValue());
  await dialog.getByRole('button', { name: 'Copy as Markdown' }).click();
  await dialog.getByText('Copied the link as Markdown.').waitFor();
  expect(await clipboard()).toBe(`[Vector add](${link})`);
  await dialog.getByRole('tab', { name: 'Embed' }).click();
  await dialog.getByLabel('Theme').selectOption('dark');
  await dialog.getByRole('checkbox', { name: 'Show the code' }).uncheck();
  await eventually(() =>
    dialog.getByRole('textbox', { name: /web component/ }).inputValue(),
  ).toContain('panel="output" editor="no" theme="dark"');
  const [embed] = await Promise.all([
    page.context().waitForEvent('page'),
    dialog.getByRole('link', { name: 'See it in a tab' }).click(),
  ]);
  await embed.getByRole('tab', { name: /^Output/ }).waitFor();
  expect(await embed.locator('.editor').count()).toBe(0);
  expect(await embed.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  await embed.locator('.start-card').waitFor();
  // The first page names the panels that the embed has, and no others.
  expect(await embed.locator('.start-card dt button').allInnerTexts()).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
});

it('waits for the first program where somebody shares before it is there', async () => {
  const context = await site.browser.newContext();
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await context.route('**/assets/examples-*/**', async (route) => {
    await held;
    await route.continue();
  });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(site.address);
  await page.keyboard.press('Control+s');
  await page.getByText('The program is still loading.').waitFor();
  release();
  const dialog = page.getByRole('dialog', { name: /^Share / });
  await dialog.waitFor();
  expect(await dialog.getByRole('textbox', { name: 'Link' }).inputValue()).toContain('#/s/');
  expect(errors).toEqual([]);
  await context.close();
});

it('says of a broken link that it is broken, and shows the visitor’s own program', async () => {
  const { page, errors } = await visit(site, { text: '# my own work\n' });
  await page.goto(`${site.address}#/s/2.AAAAbroken`);
  await page.reload();
  await page.getByText(/This link cannot be opened/).waitFor();
  await page.locator('.editor .view-line').filter({ hasText: 'my own work' }).waitFor();
  await page.goto(`${site.address}#/s/99.AAAA`);
  await page.getByText(/newer Hippocamp/).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('runs inside a page that is not isolated, read-only, with the chosen panels', async () => {
  const { page } = await visit(site, { text: doubling(1) });
  const dialog = await shareDialog(page);
  await dialog.getByRole('tab', { name: 'Embed' }).click();
  await dialog.getByRole('checkbox', { name: 'Compare' }).check();
  await dialog.getByRole('checkbox', { name: 'Read-only' }).check();
  const iframe = await dialog.getByRole('textbox', { name: 'As an iframe' }).inputValue();
  const element = await dialog.getByRole('textbox', { name: /web component/ }).inputValue();
  await page.context().close();
  const bare = await bareSite({
    'index.html': `<!doctype html><title>A blog</title><h1>A blog</h1>${iframe}`,
    'element.html': `<!doctype html><title>A blog</title>${element}`,
    'src.html':
      `<!doctype html><script type="module" src="${site.address}embed.js"></script>` +
      `<hippocamp-kernel src="kernel.py" panel="output" theme="dark"></hippocamp-kernel>`,
    'kernel.py': 'print("from a", "file")\n',
  });
  try {
    const context = await site.browser.newContext({ viewport: { width: 1100, height: 700 } });
    context.setDefaultTimeout(STEP);
    const blog = await context.newPage();
    await blog.goto(bare.address);
    const frame = blog.frameLocator('iframe');
    await frame.locator('[role=status][data-phase=ready]').waitFor({ timeout: 90_000 });
    expect(await blog.frames()[1]!.evaluate('crossOriginIsolated')).toBe(false);
    expect(await frame.getByRole('tab').allInnerTexts()).toEqual(['Output', 'Compare']);
    expect(await frame.locator('.statusbar').count()).toBe(0);
    await frame.locator('.editor .view-line').filter({ hasText: 'def double' }).click();
    await blog.keyboard.type('nonsense');
    await frame.getByRole('button', { name: /^Run/ }).first().click();
    await frame.getByText('close: True').waitFor({ timeout: 90_000 });
    // Stop works too, by ending the worker.
    await blog.goto(`${bare.address}element.html`);
    await frame
      .locator('.editor .view-line')
      .filter({ hasText: 'def double' })
      .waitFor({ timeout: 90_000 });
    await blog.goto(`${bare.address}src.html`);
    await frame.locator('[role=status][data-phase=ready]').waitFor({ timeout: 90_000 });
    await frame.getByRole('button', { name: /^Run/ }).first().click();
    await frame.getByText('from a file').waitFor({ timeout: 90_000 });
    expect(await blog.frames()[1]!.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    // An embedded page leaves nothing behind.
    expect(
      await blog
        .frames()[1]!
        .evaluate('Object.keys(localStorage).filter((key) => key.includes("draft")).length'),
    ).toBe(0);
    await context.close();
  } finally {
    await bare.close();
  }
});

it('exports a kernel as a module that runs alone in a bare page', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await ready(page);
  await runToEnd(page);
  const zip = unzipSync(new Uint8Array(await download(page, /^Save double as a module/)));
  expect(Object.keys(zip).sort()).toEqual(['double.d.ts', 'double.js', 'double.wgsl']);
  expect(strFromU8(zip['double.d.ts']!)).toContain('readonly x_ptr: Elements;');
  await page.context().close();
  const bare = await bareSite({
    'index.html':
      '<!doctype html><title>bare</title><script type="module">' +
      'import * as module from "./double.js"; window.exported = module</script>',
    'double.js': strFromU8(zip['double.js']!),
  });
  try {
    const context = await site.browser.newContext();
    const empty = await context.newPage();
    await empty.goto(bare.address);
    const result = await empty.evaluate(async () => {
      const { createKernel } = (window as unknown as { exported: unknown }).exported as {
        createKernel(device: GPUDevice): Promise<{
          run(args: Record<string, unknown>, grid: number[]): void;
        }>;
      };
      const adapter = await navigator.gpu.requestAdapter();
      const device = await adapter!.requestDevice({
        requiredFeatures: [...adapter!.features] as GPUFeatureName[],
      });
      const problems: string[] = [];
      device.onuncapturederror = (event) => problems.push(event.error.message);
      const kernel = await createKernel(device);
      const n = 1000;
      const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
      // The output is a part of a larger buffer.
      const x = device.createBuffer({ size: n * 4, usage });
      const out = device.createBuffer({ size: 8192, usage });
      device.queue.writeBuffer(
        x,
        0,
        Float32Array.from({ length: n }, (_, i) => i),
      );
      kernel.run({ x_ptr: x, out_ptr: { buffer: out, offset: 256 }, n }, [Math.ceil(n / 256)]);
      const read = device.createBuffer({
        size: 8192,
        usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
      });
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(out, 0, read, 0, 8192);
      device.queue.submit([encoder.finish()]);
      await read.mapAsync(GPUMapMode.READ);
      const values = new Float32Array(read.getMappedRange());
      return {
        problems,
        before: values[63],
        first: [...values.slice(64, 68)],
        last: values[64 + n - 1],
        after: values[64 + n],
      };
    });
    expect(result).toEqual({ problems: [], before: 0, first: [0, 2, 4, 6], last: 1998, after: 0 });
    await context.close();
  } finally {
    await bare.close();
  }
  expect(errors).toEqual([]);
});

it('opens again from a file, and from a text of several files', async () => {
  const { page, errors } = await visit(site, { text: doubling(3) });
  await tab(page, 'Timing').click();
  const link = await linkOf(page);
  const dialog = await shareDialog(page);
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: /^Save as a file/ }).click(),
  ]);
  expect(saved.suggestedFilename()).toMatch(/\.hippocamp$/);
  const bytes = readFileSync(await saved.path());

  const other = await visit(site, { text: '# my own work\n' });
  const imported = async (name: string, buffer: Buffer): Promise<void> => {
    await other.page.keyboard.press('Alt+o');
    const programs = other.page.getByRole('dialog');
    await programs.waitFor();
    await programs
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'text/plain', buffer });
  };
  await other.page.locator('.editor .view-line').filter({ hasText: 'my own work' }).waitFor();
  await imported('sent.hippocamp', bytes);
  await other.page.locator('.editor .view-line').filter({ hasText: 'def double' }).waitFor();
  await other.page.keyboard.press('Escape');
  expect(await linkOf(other.page)).toBe(link);
  const files = { 'run.py': 'import helper\nprint(helper.TWO)\n', 'helper.py': 'TWO = 2\n' };
  await imported('gist.py', Buffer.from(textOf({ entry: 'run.py', files })));
  await other.page.getByText('Imported “gist”.').first().waitFor();
  await other.page.keyboard.press('Escape');
  await other.page.getByRole('tablist', { name: 'Files' }).getByText('helper.py').waitFor();
  await other.page.locator('.editor .view-line').filter({ hasText: 'import helper' }).waitFor();
  expect([...errors, ...other.errors]).toEqual([]);
  await page.context().close();
  await other.page.context().close();
});

it('exports a notebook, a report and a picture', async () => {
  const { page, errors } = await visit(site, { text: doubling(2) });
  await ready(page);
  await runToEnd(page);
  const notebook = JSON.parse((await download(page, /^Save A notebook/)).toString()) as {
    nbformat: number;
    cells: { cell_type: string; source: string[] }[];
  };
  expect(notebook.nbformat).toBe(4);
  expect(notebook.cells.at(-1)!.source.join('')).toBe('%run vector_add.py');
  expect(notebook.cells[1]!.source.join('')).toContain('def double(x_ptr');
  const report = (await download(page, /^Save A report/)).toString();
  expect(report).toContain(String.raw`| ✗ | allclose float32 \[5000\] |`);
  expect(report).toMatch(/On .*swiftshader.* through WebGPU/i);
  expect(report).toContain(String.raw`| double | \[20, 1, 1\] |`);
  const picture = await download(page, /^Save A picture/);
  expect(picture.subarray(1, 4).toString()).toBe('PNG');
  expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([1200, 630]);
  expect(errors).toEqual([]);
  await page.context().close();
});
