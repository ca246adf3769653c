/** Cost by source line in the editor’s margin: whose it is, its words, and none after an edit. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSite, ready, replaceFirstLine, runToEnd, tab, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

const PROGRAM = `# Matmul
import torch
import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, K, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for k in range(0, K, BLOCK):
        a = tl.load(a_ptr + i[:, None] * K + (k + j)[None, :])
        b = tl.load(b_ptr + (k + j)[:, None] * BLOCK + j[None, :])
        total += tl.dot(a, b, input_precision="ieee")
    tl.store(c_ptr + i[:, None] * BLOCK + j[None, :], total)


a = torch.rand((128, 64), device="cuda")
b = torch.rand((64, 32), device="cuda")
c = torch.empty((128, 32), device="cuda")
matmul[(4,)](a, b, c, 64, BLOCK=32)
torch.testing.assert_close(c.cpu(), a.cpu() @ b.cpu())
`;

it('shows the cost of a launch by line, and none of a text that has changed', async () => {
  const { page, errors } = await visit(site, { text: PROGRAM });
  await ready(page);
  await runToEnd(page);
  await tab(page, 'Timing').click();
  await page.getByRole('button', { name: 'Measure them and run again' }).click();
  await page.getByRole('button', { name: 'Show its cost by line' }).first().click();
  const bar = page.getByRole('region', { name: 'Cost by line' });
  await bar.getByText('Cost by line of matmul[4, 1, 1], launch').waitFor();
  await bar.getByText('4 programs of 4 interpreted').waitFor();
  const margin = page.locator('.editor .margin .line-numbers');
  const shares = async (): Promise<string[]> =>
    (await margin.allInnerTexts()).map((text) => text.replaceAll('\u00a0', ' ').trim());
  await expect.poll(async () => (await shares()).some((text) => /%\s+15$/.test(text))).toBe(true);

  await bar.getByLabel('Measure in the margin').selectOption({ label: 'FLOPs' });
  // The product's line has nearly all of them.
  await expect
    .poll(async () => (await shares()).some((text) => /^(9\d|100) %\s+15$/.test(text)))
    .toBe(true);
  const top = bar.getByRole('list');
  expect(await top.getByRole('listitem').first().innerText()).toMatch(
    /^vector_add.py:15 (9\d|100) %/,
  );
  await margin.filter({ hasText: '15' }).hover();
  await page
    .getByText(/FLOPs (9\d|100) %: .* a program/)
    .first()
    .waitFor();

  await replaceFirstLine(page, '# Product');
  await bar.getByText('The code has changed since').waitFor();
  expect((await shares()).some((text) => text.includes('%'))).toBe(false);
  await bar.getByRole('button', { name: 'Hide costs' }).click();
  await bar.waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
  await page.context().close();
});
