/**
 * Memory and layouts, on real launches: what the panes say is compared as text, since
 * drawings are on canvases; the numbers behind them are the unit tests' (compiler/inspect).
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  doubling,
  openSite,
  ranWith,
  ready,
  runToEnd,
  tab,
  tableText,
  visit,
  type Site,
} from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

it('says what would fill the memory panel, and fills it with one click', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await tab(page, 'Memory').click();
  await ready(page);
  await page.getByText('No launch to look at yet').waitFor();
  await page.getByRole('button', { name: 'Run the program' }).click();
  await page.getByRole('table').waitFor({ timeout: 60_000 });
  expect(errors).toEqual([]);
  await page.context().close();
});

it('shows what a program reads, writes and masks off, and that no two race', async () => {
  const { page, errors } = await ranWith(site, doubling(1), 'Memory');
  const number = page.getByRole('spinbutton', { name: 'program_id(0), as a number' });
  await number.fill('19');
  await page.getByRole('cell', { name: '136' }).first().waitFor();
  expect(await tableText(page, '.memory')).toMatchInlineSnapshot(`
    "Loads and stores of this program
    access of elements bytes masked off out of range times line

    load [256] x_ptr 136 544 B 120 1 vector_add.py:11

    store [256] out_ptr 136 544 B 120 1 vector_add.py:12"
  `);
  await page.getByRole('button', { name: 'Look for races between programs' }).click();
  await page.getByText('No two of 20 of 20 programs').waitFor();
  // An element under the pointer is named, with what touched it.
  await page.locator('.touch-map canvas').hover({ position: { x: 20, y: 30 } });
  await page.getByText(/x_ptr\[\d+\] · read by the load of line 11/).waitFor();
  // A click on an access lights its line in the editor.
  await page.getByRole('button', { name: /store \[256\]/ }).click();
  await page.locator('.editor .line-lit').first().waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('shows what is out of range, and races', async () => {
  const text = doubling(1)
    .replace('mask=mask)\n    tl.store', 'mask=offsets < n + 100)\n    tl.store')
    .replace('tl.program_id(0) * BLOCK', 'tl.program_id(0) * (BLOCK - 16)');
  const { page, errors } = await ranWith(site, text, 'Memory');
  await page.getByRole('spinbutton', { name: 'program_id(0), as a number' }).fill('19');
  const notice = await page.locator('.memory-body .notice.fail').count();
  await page.getByRole('button', { name: 'Look for races between programs' }).click();
  await page.getByText(/elements written by two programs/).waitFor();
  // 20 programs of 256 that overlap by 16; the last stands before the end, so nothing is out of
  // range.
  expect(notice).toBe(0);
  expect(await page.locator('.races').innerText()).toMatchInlineSnapshot(`
    "Look for races between programs
    ✗ 304 elements written by two programs, among 20 of 20 programs. First: out_ptr[240], programs (0, 0, 0) and (1, 0, 0)"
  `);
  expect(errors).toEqual([]);
  await page.context().close();
});

it('plays the order of programs, with what a cache reuses', async () => {
  const { page, errors } = await ranWith(site, doubling(1), 'Memory');
  await page.getByRole('button', { name: 'Order of programs and cache' }).click();
  const order = page.locator('.program-order');
  // 20 programs, four at once; each reads its own elements, so nothing is reused.
  await order.getByText('Programs 0 to 3 of 20').waitFor();
  await order
    .getByText(/whole launch: 0 % from the cache, 19.6 KiB from memory of 19.6 KiB/)
    .waitFor();
  expect(await order.getByRole('img', { name: /^Lines of/ }).count()).toBe(2);
  await order.getByRole('button', { name: 'Play' }).click();
  await order.getByText('Programs 16 to 19 of 20').waitFor();
  await order.getByRole('button', { name: 'Play' }).waitFor();
  await order.getByLabel('programs at once').selectOption('1');
  await order.getByText('Program 4 of 20').waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('marks accesses beyond a tensor’s end', async () => {
  const text = doubling(1).replace('mask = offsets < n', 'mask = offsets < n + 100');
  const { page } = await ranWith(site, text, 'Memory');
  await page.getByRole('spinbutton', { name: 'program_id(0), as a number' }).fill('19');
  await page.getByText('200 accesses out of range in this program').waitFor();
  expect(await tableText(page, '.memory')).toContain('✗ 100');
  await page.context().close();
});

/** Every thirtieth element of a tensor. */
const everyThirtieth = doubling(1)
  .replace(
    'x = tl.load(x_ptr + offsets, ',
    'x_ptrs = x_ptr + offsets * 30\n    x = tl.load(x_ptrs, ',
  )
  .replace('torch.rand(5000', 'torch.rand(5000 * 30')
  .replace('empty_like(x)', 'empty_like(x[::30])')
  .replace('allclose(out, x * 2)', 'allclose(out, x[::30] * 2)');

/** A layout of an IR dump is drawn beside the kernel's; what is none has a sentence. */
async function drawsPasted(page: Page): Promise<void> {
  await page.getByText('Draw another layout').click();
  const drawn = page.locator('.pasted-layout');
  await drawn.getByLabel('Layout').fill('gl.BlockedLayout([1, 4], [4, 8], [4, 1]');
  await drawn.getByText('This is not read as a layout: it ends too early.').waitFor();
  const rows =
    '#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>';
  await drawn.getByLabel('Layout', { exact: true }).fill(rows);
  await drawn.getByLabel('Shape').fill('32x64');
  await drawn.getByText('tensor<32x64>').waitFor();
  // Cells of 6 pixels. Row 1, column 4: the second lane of the second row of lanes.
  await drawn.locator('canvas').hover({ position: { x: 4 * 6 + 3, y: 6 + 3 } });
  await drawn.getByText('[1, 4] ↔ register 0, lane 9, subgroup 0').waitFor();
}

it('draws layouts, and counts coalescing as on a GPU with 32 lanes', async () => {
  const { page, errors } = await ranWith(site, everyThirtieth, 'Layout');
  const options = page.getByRole('listbox', { name: 'Tiles' }).getByRole('option');
  await options.filter({ hasText: '%x' }).first().click();
  expect(await page.locator('.layout-name').innerText()).toMatchInlineSnapshot(`
    "As Triton writes it
    #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [4], warpsPerCTA = [16], order = [0]}>
    #ttg.linear<{register = [[64], [128]], lane = [[1], [2]], warp = [[4], [8], [16], [32]], block = []}>"
  `);
  await page.locator('.tile-map canvas').hover({ position: { x: 20, y: 8 } });
  await page.getByText(/\[\d+\] ↔ register \d+, lane \d+, subgroup \d+/).waitFor();
  await drawsPasted(page);
  const coalescing = page.getByRole('region', { name: 'Coalescing' });
  await coalescing.getByRole('table').waitFor();
  // SwiftShader has four lanes: what coalesces there says nothing of a GPU.
  await coalescing
    .getByText(/^As on a GPU with 32 lanes: .* has subgroups of 4 lanes\.$/)
    .waitFor();
  expect(await tableText(page, '[aria-label=Coalescing]')).toMatchInlineSnapshot(`
    "access of line efficiency segments at best instructions vector

    load x_ptrs 12 ! 3.33% 240 8 8 1 × 4 B


    The lanes of a subgroup load with stride 30 elements: most touch a segment of their own. Let the contiguous dimension vary fastest: put a tl.arange along the dimension of stride 1, or transpose the tensor before the launch.



    store out_ptr + offsets 13 100% 8 8 8 1 × 4 B"
  `);
  await coalescing.getByRole('button', { name: 'This adapter: 4 lanes' }).click();
  await coalescing.getByText(/^As on .*, with 4 lanes a subgroup\.$/).waitFor();
  expect(await tableText(page, '[aria-label=Coalescing]')).toMatchInlineSnapshot(`
    "access of line efficiency segments at best instructions vector

    load x_ptrs 12 ! 26.7% 240 64 64 1 × 4 B


    The lanes of a subgroup load with stride 30 elements: most touch a segment of their own. Let the contiguous dimension vary fastest: put a tl.arange along the dimension of stride 1, or transpose the tensor before the launch.



    store out_ptr + offsets 13 100% 64 64 64 1 × 4 B"
  `);
  // A line of the program brings its tile.
  await page.locator('.editor .view-line').filter({ hasText: 'mask = ' }).first().click();
  await page.locator('.tile-list [aria-selected=true]').filter({ hasText: '%mask' }).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

/** Transposes a square tile. */
const transpose = (size: number): string => `
import torch
import triton
import triton.language as tl


@triton.jit
def transpose(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    columns = tl.arange(0, N)
    x = tl.load(x_ptr + rows[:, None] * N + columns[None, :])
    tl.store(out_ptr + columns[:, None] * M + rows[None, :], tl.trans(x))


x = torch.rand(${size}, ${size}, device="cuda")
out = torch.empty_like(x)
transpose[(1,)](x, out, ${size}, ${size})
`;

it('draws a conversion side by side, and the way of each element', async () => {
  const { page, errors } = await ranWith(site, transpose(32), 'Layout');
  // SwiftShader's threads have shared memory in storage, and the panel says so.
  await page.getByText('bank conflicts don’t apply').waitFor();
  await page.locator('.tile-row.conversion').first().click();
  const view = page.getByRole('region', { name: /^Tile / });
  await view.locator('.side-by-side canvas').nth(1).waitFor();
  expect(await view.locator('.layout-facts').nth(1).innerText()).toMatch(
    /^%\S+ → %\S+: through workgroup memory, 4 KiB written and read, in 1 chunk of 4 KiB\.$/,
  );
  await view
    .locator('.side-by-side canvas')
    .first()
    .hover({ position: { x: 30, y: 30 } });
  const way = view.getByText(/^\[\d+, \d+\] ↔ register .* → /);
  await way.waitFor();
  expect(await way.innerText()).toMatch(
    /^\[\d+, \d+\] ↔ register \d+, lane \d+, subgroup \d+ +→ +register \d+, lane \d+, subgroup \d+$/,
  );
  expect(errors).toEqual([]);
  await page.context().close();
});

it('counts and draws bank conflicts, where memory has banks', async () => {
  // Without an adapter it is compiled for a plain GPU, whose threads communicate through workgroup
  // memory: in chunks, whose rows are not skewed.
  const plain = await openSite({ gpu: false });
  const { page, errors } = await visit(plain, { text: transpose(64) });
  await tab(page, 'Layout').click();
  const banks = page.getByRole('region', { name: 'Bank conflicts' });
  await banks.getByRole('table').waitFor();
  expect(await tableText(page, '[aria-label="Bank conflicts"]')).toMatchInlineSnapshot(`
    "access line in the shader threads trips conflicts
    write of 4 B vector_add.py:12 32× 128 64 ! 56 (8×)
    read of 4 B vector_add.py:12 16× 256 32 ! 24 (4×)"
  `);
  const drawn = banks.locator('.banks .bank');
  await drawn.first().waitFor();
  expect(await drawn.count()).toBe(32);
  // The first threads want eight different words of one bank, and none of the others'.
  const words = (await drawn.allInnerTexts()).map((text) => Number(text.trim()));
  expect(Math.max(...words)).toBeGreaterThan(1);
  expect(errors).toEqual([]);
  await plain.close();
});

it('shows nothing of a run, a pinned one either, for another program', async () => {
  const { page, errors } = await ranWith(site, doubling(1), 'Timing');
  await page.getByRole('button', { name: 'Pin as baseline', exact: true }).click();
  await tab(page, 'Memory').click();
  await page.getByRole('combobox', { name: 'Launch' }).waitFor();
  const menu = page.getByRole('button', { name: /^Program: / });
  await menu.click();
  await page.getByRole('menuitem', { name: 'New program' }).click();
  await page.locator('.editor .view-line').filter({ hasText: 'def square_kernel' }).waitFor();
  for (const panel of ['Memory', 'Layout', 'Debugger', 'Timing', 'Compare', 'Output']) {
    await tab(page, panel).click();
    const shown = page.getByRole('tabpanel', { name: new RegExp(`^${panel}`) });
    await shown.waitFor();
    expect(await shown.innerText(), panel).not.toContain('double');
    expect(await page.getByRole('combobox', { name: 'Launch' }).count(), panel).toBe(0);
  }
  expect(await page.locator('.statusbar').innerText()).not.toContain('GPU');
  // Back at the first program, what it left is there again.
  await menu.click();
  await page
    .getByRole('menuitemradio', { name: /^Vector add/ })
    .first()
    .click();
  await tab(page, 'Memory').click();
  await page.getByRole('combobox', { name: 'Launch' }).waitFor();
  await menu.click();
  await page.getByRole('menuitemradio', { name: /^Untitled/ }).click();
  await page.locator('.editor .view-line').filter({ hasText: 'def square_kernel' }).waitFor();
  await runToEnd(page);
  await tab(page, 'Timing').click();
  await page.getByRole('button', { name: 'Pin as baseline', exact: true }).waitFor();
  expect(await page.getByText('Compare with previous run').count()).toBe(0);
  expect(errors).toEqual([]);
  await page.context().close();
});
