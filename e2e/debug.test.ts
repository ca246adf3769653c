/**
 * Debugging: what kernels print stands under their launch, an assertion fails the run, a code
 * explains itself.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from './expectCode';
import { openSite, output, ready, runToEnd, visit, type Site } from './page';

const PROGRAM = `
import torch
import triton
import triton.language as tl


@triton.jit
def show(x_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    print("pid", tl.program_id(0))
    tl.device_print("x", x)
    tl.device_assert(x < 20, "x is too large")


x = torch.arange(32, dtype=torch.float32, device="cuda")
print("before")
show[(2,)](x, BLOCK=16)
torch.cuda.synchronize()
print("between")
show[(2,)](x, BLOCK=16, debug=True)
torch.cuda.synchronize()
print("never")
`;

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

it('shows prints under their launch, grouped by program, and the assertion that fails', async () => {
  const { page, errors } = await visit(site, { text: PROGRAM });
  await ready(page);
  await runToEnd(page);
  const prints = output(page).getByRole('region', { name: 'Printed by show' });
  expect(await prints.count()).toBe(2);
  const first = prints.first();
  expect(await first.innerText()).toContain('show printed 4 times in 2 programs');
  expect(await first.getByRole('row').count()).toBe(4);
  const row = await first.getByRole('row').nth(3).innerText();
  expect(row).toContain('x: [16]');
  expect(row).toContain('16.000000');
  await first.locator('summary').last().click();
  await eventually(() => first.locator('details pre').last().innerText()).toMatch(
    /16\.000000 .* 31\.000000/,
  );
  // In the program's order: a print of the host, the launch, what it printed, the next print.
  const text = await output(page).innerText();
  const order = ['before', 'show printed', 'between', 'x is too large'].map((part) =>
    text.indexOf(part),
  );
  expect(order).toEqual([...order].sort((a, b) => a - b));
  expect(order[0]).toBeGreaterThanOrEqual(0);
  expect(text).not.toContain('never');
  const card = output(page).getByRole('alert').first();
  expect(await card.innerText()).toMatch(
    /device-side assert triggered in show, program \(1, 0, 0\), element \[\d+\]: x is too large/,
  );
  expect(await card.innerText()).toContain('vector_add.py:12');

  await card.getByRole('button', { name: 'What HC8012 means' }).click();
  const page8012 = page.getByRole('article', { name: 'What HC8012 means' });
  expect(await page8012.innerText()).toContain('HC8012: A device-side assertion failed.');
  expect(await page8012.getByRole('link').first().getAttribute('href')).toMatch(/^https:/);
  await page8012.getByRole('button', { name: 'Close' }).click();
  await page8012.waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
  await page.context().close();
});
