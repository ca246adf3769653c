/** The compare panel: what differs, by how much, where, and which program wrote it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeIn, openSite, ready, runToEnd, tab, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

/** The programs of the second row write too much. */
const WRONG = `
import torch
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    rows = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    offsets = rows[:, None] * N + columns[None, :]
    x = tl.load(x_ptr + offsets)
    x = tl.where(tl.program_id(1) == 1, x + 0.5, x)
    tl.store(out_ptr + offsets, x)


x = torch.ones(32, 64, device="cuda")
out = torch.empty_like(x)
scale[(4, 2)](x, out, 64, BLOCK=16)
print(torch.allclose(x, x.clone()))
print(torch.allclose(out, x, atol=0.25))
odd = torch.tensor([1.0, float("nan"), 3.0])
print(torch.equal(odd, torch.tensor([1.0, 2.0, 3.0])))
ones = torch.ones(8)
print(torch.allclose(ones + 2**-20, ones, rtol=0, atol=5000 * 2**-20))
`;

it('names errors, elements and programs, and says what would pass', async () => {
  const { page, errors } = await visit(site, { text: WRONG });
  await ready(page);
  await runToEnd(page);
  expect(await tab(page, 'Compare').getAttribute('data-state')).toBe('active');
  const rows = page.locator('.compare-list > li');
  // The first that failed comes first, and stands open.
  expect(await rows.nth(0).getByRole('button').first().innerText()).toContain(
    'torch.allclose(out, x) float32 [32, 64], line 21',
  );
  const first = rows.nth(0);
  const programs = first.getByRole('region', { name: 'Errors by program' });
  await programs.waitFor();
  await expect
    .poll(() => first.locator('.error-pattern').innerText())
    .toBe('Wrong: the last 16 of 32 rows (from 16 on), in every column. There, actual is 1.5.');
  const facts = (await first.locator('.facts').innerText()).replaceAll(/\s+/g, ' ');
  expect(facts).toContain('exceeding 1,024 of 2,048 max |error| 0.5 at [16, 0]');
  expect(facts).toContain('max ULP of float32 4194304 at [16, 0]');
  expect(facts).toContain('NaN none inf mismatches none');
  expect((await programs.innerText()).replaceAll(/\s+/g, ' ')).toContain(
    'By program 4 of 8 programs over the tolerance',
  );
  const table = await programs.getByRole('row').allInnerTexts();
  expect(table.slice(1).map((row) => row.split(/\t|\n/).filter(Boolean))).toEqual([
    ['program (0, 1, 0)', '256', '256', '0.5', '[16, 0]'],
    ['program (1, 1, 0)', '256', '256', '0.5', '[16, 16]'],
    ['program (2, 1, 0)', '256', '256', '0.5', '[16, 32]'],
    ['program (3, 1, 0)', '256', '256', '0.5', '[16, 48]'],
  ]);
  const worst = first.getByRole('region', { name: 'Worst elements' });
  expect((await worst.getByRole('row').nth(1).innerText()).replaceAll(/\s+/g, ' ')).toBe(
    '[16, 0] 1.5 1.0 0.5 0.5 4194304 program (0, 1, 0) Debug',
  );
  // The store's line, in the editor.
  await worst.getByRole('button', { name: 'program (0, 1, 0)' }).first().click();
  await page.waitForFunction(() =>
    document.querySelector('.editor .line-lit, .editor .current-line'),
  );
  expect(await codeIn(page, '.editor')).toContain('tl.store');

  // A comparison speaks of one run only, until races were looked for.
  const head = first.getByRole('button').first();
  expect(await head.innerText()).toContain('races not checked');
  expect(await rows.nth(1).innerText()).not.toContain('races not checked');
  await first.getByRole('button', { name: 'Check for races' }).click();
  await first.getByText('No two of 8 of 8 programs').waitFor();
  expect(await head.innerText()).not.toContain('races not checked');

  const tool = first.getByRole('region', { name: 'What would pass' });
  expect(await tool.innerText()).toContain('✗ 1,024 of 2,048 elements are over');
  await tool.getByLabel('atol as a number').fill('0.6');
  await tool.getByLabel('atol as a number').press('Enter');
  await tool.getByText('all 2,048 elements pass').waitFor();

  const nan = rows.nth(1);
  await nan.getByRole('button').first().click();
  await nan.getByText('No tolerance lets all elements pass').waitFor();
  expect((await nan.locator('.facts').innerText()).replaceAll(/\s+/g, ' ')).toContain(
    'NaN 1 in actual only',
  );
  await rows.nth(2).getByRole('button').first().click();
  await rows.nth(2).getByText('Every element is exactly equal.').waitFor();
  expect(await rows.nth(2).innerText()).not.toContain('but the tolerance');
  await rows.nth(3).getByText('Passes, but the tolerance is 5,000 × the largest error.').waitFor();

  // The worker that holds the elements dies: those of the next run are held by another.
  const data = page.workers().find((each) => each.url().includes('dataWorker'))!;
  const gone = data.waitForEvent('close');
  await data.evaluate(() => {
    setTimeout(() => {
      throw new Error('out of memory');
    });
  });
  await gone;
  await runToEnd(page);
  await worst.getByRole('row').nth(1).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

/** A sum in float16, and one in another order that must be equal. */
const ROUNDED = `
import torch
import triton
import triton.language as tl


@triton.jit
def row_sum(x, out, N: tl.constexpr, DTYPE: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((16,), dtype=DTYPE)
    for i in range(0, N, 16):
        acc += tl.load(x + row * N + i + tl.arange(0, 16)).to(DTYPE)
    tl.store(out + row, tl.sum(acc, axis=0))


x = torch.randn(8, 1024, device="cuda")
out = torch.empty(8, device="cuda")
row_sum[(8,)](x, out, 1024, tl.float16)
print(torch.allclose(out, x.sum(dim=1), atol=1.0))
row_sum[(8,)](x, out, 1024, tl.float32)
print(torch.equal(out, x.sum(dim=1)))
`;

it('doubts a comparison whose errors rounding does not explain, and one that is too narrow', async () => {
  const { page, errors } = await visit(site, { text: ROUNDED });
  await ready(page);
  await runToEnd(page);
  await tab(page, 'Compare').click();
  const rows = page.locator('.compare-list > li');
  await rows
    .nth(0)
    .getByText('Fails, but rounding explains it: the tolerance is too narrow.')
    .waitFor();
  await rows.nth(0).getByText('Rounding explains every error: the worst has').waitFor();
  const doubt = rows.nth(1).locator('.sign.warn').first();
  expect(await doubt.innerText()).toMatch(
    /^Passes, but the error is far above rounding: .* float32 roundings in a row explain.*; sums in float16 have such errors\.$/,
  );
  expect(errors).toEqual([]);
  await page.context().close();
});
