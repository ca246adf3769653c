/** The debugger, on real launches: moves, keys, breakpoints and their conditions, ways into it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeIn, doubling, openSite, ranWith, tab, tableText, type Site } from './page';

const pictures = join(import.meta.dirname, '..', '.cache', 'pictures');
let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

it('sets a breakpoint by a click in the margin, and takes it away by another', async () => {
  const { page, errors } = await ranWith(site, doubling(1), 'Debugger');
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
  const { page, errors } = await ranWith(site, doubling(1), 'Debugger');
  await page.getByRole('toolbar', { name: 'Debugger' }).waitFor();
  await page.locator('.debug-where').filter({ hasText: ':9' }).waitFor();
  await page.getByRole('textbox', { name: 'Expression to watch' }).fill('offsets[3]');
  await page.keyboard.press('Enter');
  await page.getByText('not computed yet').waitFor();
  await page.getByRole('button', { name: 'Step over' }).click();
  await page.locator('.debug-where').filter({ hasText: ':10' }).waitFor();
  await page.locator('.watches').getByText('3', { exact: true }).waitFor();
  await page.locator('.editor .line-lit').filter({ hasText: '' }).first().waitFor();
  // By key, wherever nothing is typed.
  await page.getByRole('heading', { name: 'Variables' }).click();
  await page.keyboard.press('n');
  await page.locator('.debug-where').filter({ hasText: ':11' }).waitFor();
  const variables = await tableText(page, '.debug-side');
  expect(variables.replace(/0x\w+/g, '0x…')).toMatchInlineSnapshot(`
    "name value range type
    x_ptr 0x… !tt.ptr<f32>
    out_ptr 0x… !tt.ptr<f32>
    n 5000 i32
    BLOCK 256 constexpr
    offsets [0, 1, 2, 3, …] 0 … 255 tensor<256xi32>
    mask [True, True, True, True, …] tensor<256xi1>"
  `);
  await page.getByRole('button', { name: 'mask', exact: true }).click();
  await page.getByRole('region', { name: 'Values of mask' }).waitFor();
  // It opens below its own row.
  const rows = page.locator('.debug-variables tbody tr');
  expect(await rows.nth(-2).innerText()).toContain('mask');
  expect(await rows.last().getByRole('region', { name: 'Values of mask' }).count()).toBe(1);
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await page.locator('.debug-where').filter({ hasText: ':10' }).waitFor();
  await page.locator('.editor .view-line').filter({ hasText: 'tl.store' }).click();
  await page.getByRole('button', { name: 'Break at line 12' }).click();
  await page.getByRole('button', { name: /Remove the breakpoint at line 12/ }).waitFor();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.locator('.debug-where').filter({ hasText: ':12' }).waitFor();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('The program has ended.').waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

const HELPER = `import torch
import triton
import triton.language as tl


@triton.jit
def centered(x, factor):
    y = x * factor
    top = tl.max(y, axis=0)
    return y - top


@triton.jit
def kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    out = centered(x, 2.0)
    tl.store(out_ptr + i, out)


x = torch.arange(16, dtype=torch.float32, device="cuda")
out = torch.empty_like(x)
kernel[(1,)](x, out, BLOCK=16)
`;

it('stops in a helper at its own line, with its variables and who called it', async () => {
  const { page, errors } = await ranWith(site, HELPER, 'Debugger');
  await page.getByRole('toolbar', { name: 'Debugger' }).waitFor();
  await page.locator('.editor .view-line').filter({ hasText: 'top = tl.max' }).click();
  await page.keyboard.press('F9');
  await page.getByRole('button', { name: 'Continue' }).click();
  const where = page.locator('.debug-where');
  await where.getByText('tl.max').waitFor();
  await where.getByRole('button', { name: /^vector_add\.py:9/ }).waitFor();
  const lit = (line: number): Promise<void> =>
    page
      .locator('.editor .line-lit')
      .first()
      .waitFor()
      .then(() =>
        page
          .getByRole('button', {
            name: new RegExp(`(Break at|Remove the breakpoint at) line ${line}\\b`),
          })
          .waitFor(),
      );
  await lit(9);
  const stack = page.getByRole('region', { name: 'Call stack' });
  expect((await stack.getByRole('listitem').allInnerTexts()).map((text) => text.trim())).toEqual([
    'centered vector_add.py:9',
    'kernel vector_add.py:17',
  ]);
  const names = (of: string): Promise<string[]> =>
    page
      .getByRole('table', { name: `Variables of ${of}` })
      .locator('tbody td:first-child')
      .allInnerTexts();
  expect((await names('centered')).toSorted()).toEqual(['x', 'y']);
  expect((await names('kernel')).toSorted()).toEqual(['BLOCK', 'i', 'out_ptr', 'x', 'x_ptr']);
  // Each frame leads to its place.
  await stack.getByRole('button', { name: /^vector_add\.py:17/ }).click();
  await page.getByRole('button', { name: 'Break at line 17' }).waitFor();
  await stack.getByRole('button', { name: /^vector_add\.py:9/ }).click();
  // Over the library's code as over one operation; into it only where one asks for it.
  await page.getByRole('button', { name: 'Step op' }).click();
  await where.getByRole('button', { name: /^vector_add\.py:10/ }).waitFor();
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await where.getByRole('button', { name: /^vector_add\.py:9/ }).waitFor();
  await page.getByRole('button', { name: 'Step into' }).click();
  await where.getByText(/triton\/language\/standard\.py:\d+/).waitFor();
  expect((await stack.getByRole('listitem').allInnerTexts())[0]).toContain('tl.max');
  expect(errors).toEqual([]);
  await page.context().close();
});

const LOOP = `import torch
import triton
import triton.language as tl


@triton.jit
def sums(x_ptr, out_ptr, n, SCALE: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for k in range(n):
        x = tl.load(x_ptr + rows * n + k)
        total += x * SCALE
    tl.store(out_ptr + rows, total, mask=rows != 21)


x = torch.ones(64, 8, device="cuda")
first = torch.zeros(64, device="cuda")
out = torch.zeros(64, device="cuda")
sums[(4,)](x, first, 8, SCALE=1.0, BLOCK=16)
sums[(4,)](x, out, 8, SCALE=3.0, BLOCK=16)
print(torch.allclose(out, x.sum(1) * 2))
`;

it('steps by the keys of other debuggers, while it is in view', async () => {
  const { page, errors } = await ranWith(site, doubling(1), 'Debugger');
  const where = page.locator('.debug-where');
  await where.getByRole('button', { name: /^vector_add\.py:9/ }).waitFor();
  expect(await where.innerText()).toContain('Paused before vector_add.py:9');
  expect(await where.innerText()).toContain('0 ops executed');
  await page.keyboard.press('F10');
  await where.getByRole('button', { name: /^vector_add\.py:10/ }).waitFor();
  await page.keyboard.press('F11');
  await where.getByRole('button', { name: /^vector_add\.py:11/ }).waitFor();
  // At the line in view where the focus is elsewhere.
  await page.keyboard.press('F9');
  await page.getByRole('button', { name: /Remove the breakpoint at line 11/ }).waitFor();
  await page.keyboard.press('Shift+F11');
  await page.getByText('The program has ended.').waitFor();
  await page.getByRole('button', { name: 'Restart' }).click();
  await where.getByRole('button', { name: /^vector_add\.py:9/ }).waitFor();
  await page.keyboard.press('F5');
  await where.getByRole('button', { name: /^vector_add\.py:11/ }).waitFor();
  // Nowhere else: the browser keeps its keys.
  await tab(page, 'Output').click();
  await page.getByRole('toolbar', { name: 'Debugger' }).waitFor({ state: 'detached' });
  expect(
    await page.evaluate(() =>
      ['F5', 'F10', 'F11'].map((key) =>
        document.body.dispatchEvent(
          new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
        ),
      ),
    ),
  ).toEqual([true, true, true]);
  // Both stand in the palette.
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('What do you want to do?').fill('breakpoint');
  await page.getByRole('option', { name: /Toggle breakpoint/ }).click();
  await page.locator('.editor .glyph-breakpoint').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('What do you want to do?').fill('format');
  await page.getByRole('option', { name: /Format the program/ }).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('stops only where a condition holds, and says what is wrong with one', async () => {
  const { page, errors } = await ranWith(site, LOOP, 'Debugger');
  const where = page.locator('.debug-where');
  await where.getByText(/Paused before/).waitFor();
  // Launches that look the same have different names.
  expect(
    await page.getByRole('combobox', { name: 'Launch' }).locator('option').allInnerTexts(),
  ).toEqual([
    '#1 sums[4, 1, 1] · line 19 · SCALE = 1.0',
    '#2 sums[4, 1, 1] · line 20 · SCALE = 3.0',
  ]);
  await page.locator('.editor .view-line').filter({ hasText: 'total +=' }).click();
  await page.keyboard.press('F9');
  const condition = async (text: string): Promise<void> => {
    await where.getByRole('button', { name: /^Condition of the breakpoint at line 12/ }).click();
    await where.getByRole('textbox', { name: /^Condition of the breakpoint/ }).fill(text);
    await page.keyboard.press('Enter');
  };
  await condition('k >');
  await where.getByRole('alert').filter({ hasText: 'not an expression' }).waitFor();
  await condition('k == 5 and program_id(0) == 0');
  await where.getByRole('alert').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Continue' }).click();
  await where.getByRole('button', { name: /^vector_add\.py:12/ }).waitFor();
  const row = (name: string) =>
    page.locator('.debug-variables tr').filter({ has: page.getByText(name, { exact: true }) });
  expect(await row('k').innerText()).toMatch(/^k\s+5\s/);
  expect(await row('SCALE').innerText()).toMatch(/^SCALE\s+1\.0\s+constexpr/);
  await condition('total > 2');
  await page.getByRole('button', { name: 'Continue' }).click();
  await where.getByRole('alert').filter({ hasText: 'total is a tile of [16]' }).waitFor();
  // The value column is in view at this width.
  const value = (await page.getByRole('columnheader', { name: 'value' }).boundingBox())!;
  expect(value.x + value.width).toBeLessThanOrEqual(1440);
  expect(errors).toEqual([]);
  await page.context().close();
});

it('opens at the store of a wrong element that Compare shows', async () => {
  const { page, errors } = await ranWith(site, LOOP, 'Compare');
  await page.getByRole('button', { name: 'Debug this element', exact: true }).first().click();
  const where = page.locator('.debug-where');
  await where.getByRole('button', { name: /^vector_add\.py:13/ }).waitFor();
  expect(await where.innerText()).toContain('stores [0] of the tensor: element [0] of the tile');
  await tab(page, 'Compare').click();
  await page
    .getByRole('button', { name: /^Debug this element, \[/ })
    .last()
    .click();
  await where.getByText(/stores \[\d+\] of the tensor: element \[\d+\] of the tile/).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

const HALF = `import torch
import triton
import triton.language as tl


@triton.jit
def counts(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.full([BLOCK], 2048, tl.float16)
    for k in range(n):
        x = tl.load(x_ptr + rows * n + k)
        total += x.to(tl.float16)
    tl.store(out_ptr + rows, total.to(tl.float32))


x = torch.ones(64, 16, device="cuda")
out = torch.zeros(64, device="cuda")
counts[(4,)](x, out, 16, BLOCK=16)
print(torch.allclose(out, x.sum(1) + 2048))
`;

it('names the operation at which a wrong element departs from float64, and opens there', async () => {
  const { page, errors } = await ranWith(site, HALF, 'Compare');
  await page.getByRole('button', { name: 'Compare [0] with a float64 run' }).click();
  const answer = page.locator('.why-wrong');
  await answer.getByText(/departs from a float64 run at/).waitFor();
  const text = await answer.innerText();
  // One rounding is at most 1 here: 8 of them explain 2056.
  expect(text).toContain('vector_add.py:12');
  expect(text).toContain('in iteration 9 of the loop at line 10');
  expect(text).toContain('2048 in float16, 2057 in float64');
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, 'departure-1440.png') });
  await answer.getByRole('button', { name: 'Debug this operation' }).click();
  const where = page.locator('.debug-where');
  await where.getByRole('button', { name: /^vector_add\.py:12/ }).waitFor();
  expect(await where.innerText()).toContain('arith.addf');
  const total = page
    .locator('.debug-variables tr')
    .filter({ has: page.getByText('total', { exact: true }) });
  expect(await total.innerText()).toContain('2048');
  expect(errors).toEqual([]);
  await page.context().close();
});

const REDUCTION = `import torch
import triton
import triton.language as tl


@triton.jit
def normalize(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    top = tl.max(x, axis=0)
    tl.store(out_ptr + i, x - top)


x = torch.arange(1024, dtype=torch.float32, device="cuda")
out = torch.empty_like(x)
normalize[(1,)](x, out, BLOCK=1024)
`;

it('steps one thread through thread IR, with its registers and shared memory', async () => {
  const { page, errors } = await ranWith(site, REDUCTION, 'Debugger');
  const where = page.locator('.debug-where').last();
  await where.getByText(/Paused before/).waitFor();
  const passes = page.getByRole('combobox', { name: 'IR after' });
  await passes.selectOption({ label: 'lower_tiles' });
  await page.getByRole('button', { name: 'To barrier' }).waitFor();
  expect(await codeIn(page, '.debugger')).toContain('thread.func @normalize');
  await page.getByRole('button', { name: 'Step line' }).click();
  await where.getByRole('button', { name: /^vector_add\.py:/ }).waitFor();
  const registers = page.getByRole('table', { name: 'Registers' });
  await registers.locator('tr[data-fresh=true]').first().waitFor();
  const before = await where.innerText();
  await page.keyboard.press('F11');
  await expect.poll(() => where.innerText()).not.toBe(before);
  // The operation that comes next is lit.
  await page.locator('.debugger .line-lit').first().waitFor();
  await registers.getByRole('button').first().click();
  await page.getByRole('region', { name: /^Values of %/ }).waitFor();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('The thread has ended.').waitFor();
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await where.getByText(/Paused before/).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});
