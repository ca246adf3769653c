/**
 * Memory, layouts and the debugger, on real launches: what the panes say is compared as text, since
 * drawings are on canvases; the numbers behind them are the unit tests' (compiler/inspect).
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { doubling, openSite, ready, runToEnd, tab, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

async function ranWith(text: string, panel: string): Promise<{ page: Page; errors: string[] }> {
  const visited = await visit(site, { text });
  const { page } = visited;
  await tab(page, panel).click();
  await ready(page);
  await runToEnd(page);
  await tab(page, panel).click();
  return visited;
}
const tableText = async (page: Page, section: string): Promise<string> =>
  (await page.locator(`${section} table`).first().innerText()).replace(/[ \t]+/g, ' ');

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
  const { page, errors } = await ranWith(doubling(1), 'Memory');
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
  const { page, errors } = await ranWith(text, 'Memory');
  await page.getByRole('spinbutton', { name: 'program_id(0), as a number' }).fill('19');
  const notice = await page.locator('.memory-body .notice.fail').count();
  await page.getByRole('button', { name: 'Look for races between programs' }).click();
  await page.getByText(/elements written by two programs/).waitFor();
  // 20 programs of 256 that overlap by 16; the last stands before the end, so nothing is out of range.
  expect(notice).toBe(0);
  expect(await page.locator('.races').innerText()).toMatchInlineSnapshot(`
    "Look for races between programs
    ✗ 304 elements written by two programs, among 20 of 20 programs. First: out_ptr[240], programs 0 and 1"
  `);
  expect(errors).toEqual([]);
  await page.context().close();
});

it('marks accesses beyond a tensor’s end', async () => {
  const text = doubling(1).replace('mask = offsets < n', 'mask = offsets < n + 100');
  const { page } = await ranWith(text, 'Memory');
  await page.getByRole('spinbutton', { name: 'program_id(0), as a number' }).fill('19');
  await page.getByText('200 accesses out of range in this program').waitFor();
  expect(await tableText(page, '.memory')).toContain('✗ 100');
  await page.context().close();
});

it('draws layouts, and counts coalescing', async () => {
  const { page, errors } = await ranWith(doubling(1), 'Layout');
  const options = page.getByRole('listbox', { name: 'Tiles' }).getByRole('option');
  await options.filter({ hasText: '%x' }).first().click();
  expect(await page.locator('.layout-name').innerText()).toMatchInlineSnapshot(`
    "As Triton writes it
    #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [4], warpsPerCTA = [16], order = [0]}>
    #ttg.linear<{register = [[64], [128]], lane = [[1], [2]], warp = [[4], [8], [16], [32]], block = []}>"
  `);
  await page.locator('.tile-map canvas').hover({ position: { x: 20, y: 8 } });
  await page.getByText(/\[\d+\] ↔ register \d+, lane \d+, subgroup \d+/).waitFor();
  const coalescing = page.getByRole('region', { name: 'Coalescing' });
  await coalescing.getByRole('table').waitFor();
  expect(await tableText(page, '[aria-label=Coalescing]')).toMatchInlineSnapshot(`
    "access line vector instructions segments at best efficiency

    load vector_add.py:11 1 × 4 B 64 64 64 12.5%

    store vector_add.py:12 1 × 4 B 64 64 64 12.5%"
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
  const { page, errors } = await ranWith(transpose(32), 'Layout');
  // SwiftShader's threads exchange through storage, and the panel says so.
  await page.getByText('which has no banks').waitFor();
  await page.locator('.tile-row.conversion').first().click();
  const view = page.getByRole('region', { name: /^Tile / });
  await view.locator('.side-by-side canvas').nth(1).waitFor();
  expect(await view.locator('.layout-facts').nth(1).innerText()).toMatch(
    /^%\S+ → %\S+: through workgroup memory, 4 KiB written and read, in 1 round of 4 KiB\.$/,
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
  // Without an adapter it is compiled for a plain GPU, whose threads exchange through workgroup memory: in rounds,
  // whose rows are not skewed.
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

it('sets a breakpoint by a click in the margin, and takes it away by another', async () => {
  const { page, errors } = await ranWith(doubling(1), 'Debugger');
  await page.getByRole('toolbar', { name: 'Debugger' }).waitFor();
  const margin = async (): Promise<void> => {
    const line = page.locator('.editor .view-line').filter({ hasText: 'x = tl.load' });
    const at = (await line.boundingBox())!;
    const editor = (await page.locator('.editor .monaco-editor').first().boundingBox())!;
    await page.mouse.click(editor.x + 8, at.y + at.height / 2);
  };
  await margin();
  await page.locator('.editor .glyph-breakpoint').waitFor();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.locator('.debug-where').filter({ hasText: ':11' }).waitFor();
  // It moves with its line.
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /Remove the breakpoint at line 12/ }).waitFor();
  await margin();
  await page.locator('.editor .glyph-breakpoint').waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
  await page.context().close();
});

it('steps through a program, stops at a breakpoint, watches and steps back', async () => {
  const { page, errors } = await ranWith(doubling(1), 'Debugger');
  await page.getByRole('toolbar', { name: 'Debugger' }).waitFor();
  await page.locator('.debug-where').filter({ hasText: ':9' }).waitFor();
  await page.getByRole('textbox', { name: 'Expression to watch' }).fill('offsets[3]');
  await page.keyboard.press('Enter');
  await page.getByText('not computed yet').waitFor();
  await page.getByRole('button', { name: 'Next line' }).click();
  await page.locator('.debug-where').filter({ hasText: ':10' }).waitFor();
  await page.locator('.watches').getByText('3', { exact: true }).waitFor();
  await page.locator('.editor .line-lit').filter({ hasText: '' }).first().waitFor();
  // By key, wherever nothing is typed.
  await page.getByRole('heading', { name: 'Variables' }).click();
  await page.keyboard.press('n');
  await page.locator('.debug-where').filter({ hasText: ':11' }).waitFor();
  const variables = await tableText(page, '.debug-side');
  expect(variables.replace(/0x\w+/g, '0x…')).toMatchInlineSnapshot(`
    "name type value range
    x_ptr !tt.ptr<f32> 0x… 
    out_ptr !tt.ptr<f32> 0x… 
    n i32 5000 
    offsets tensor<256xi32> [0, 1, 2, 3, …] 0 … 255
    mask tensor<256xi1> [True, True, True, True, …] "
  `);
  await page.getByRole('button', { name: 'mask', exact: true }).click();
  await page.getByRole('region', { name: 'Values of mask' }).waitFor();
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await page.locator('.debug-where').filter({ hasText: ':10' }).waitFor();
  await page.locator('.editor .view-line').filter({ hasText: 'tl.store' }).click();
  await page.getByRole('button', { name: 'Stop at line 12' }).click();
  await page.getByRole('button', { name: /Remove the breakpoint at line 12/ }).waitFor();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.locator('.debug-where').filter({ hasText: ':12' }).waitFor();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('The program has ended.').waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});
