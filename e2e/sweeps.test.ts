/**
 * A sweep of hippocamp_testing in the page: what it found among the output, and its failing case
 * opened as a program, which fails by itself.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSite, output, ready, READY, runToEnd, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

const TEXT = `import torch
import triton
import triton.language as tl
from hippocamp_testing import one_of, sweep, tensor


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def add(x, y, BLOCK):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    add_kernel[(triton.cdiv(n, BLOCK),)](x, y, out, n, BLOCK=BLOCK)
    return out


sweep(add, lambda x, y: x + y, x=tensor("M", "N"), y=tensor("M", "N"), BLOCK=one_of(64, 128),
      sizes={"M": range(1, 20), "N": range(1, 70)}, cases=30, raises=False)
print("went on")
`;

it('shows where a sweep fails, and opens the case as a program', async () => {
  const { page, errors } = await visit(site, { text: TEXT });
  await ready(page);
  await runToEnd(page);
  const item = output(page).getByRole('listitem').filter({ hasText: 'Sweep of add' });
  await item.getByText(/fails at M=2, N=\d+, BLOCK=64, float32/).waitFor();
  expect(await output(page).innerText()).toContain('went on');
  // The whole message is there to read.
  const message = item.locator('.grow');
  expect(await message.evaluate((e) => e.scrollWidth - e.clientWidth)).toBe(0);
  expect(await message.evaluate((e) => getComputedStyle(e).whiteSpace)).toBe('normal');
  if (process.env['SCREENSHOTS'])
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: `${process.env['SCREENSHOTS']}/sweep-${width}.png` });
    }
  await page.setViewportSize({ width: 1440, height: 900 });
  await item.getByRole('button', { name: 'Open the failing case' }).click();
  await page.locator('.editor .view-line').filter({ hasText: 'Found by a sweep' }).waitFor();
  await page.getByRole('tab', { name: 'failing_add.py', selected: true }).waitFor();
  await runToEnd(page);
  await output(page)
    .getByText(/AssertionError: \d+ of \d+ elements of the result are wrong/)
    .first()
    .waitFor({ timeout: READY });
  expect(errors).toEqual([]);
  await page.context().close();
});
