/** The verdict of a launch, and changes of its settings that are tried, in the page. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from './expectCode';
import { keptText, openSite, ready, runToEnd, tab, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

const PROGRAM = `
import torch
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, 2 * tl.load(x_ptr + offsets, mask=mask), mask=mask)


n = 1 << 20
x = torch.rand(n, device="cuda")
out = torch.empty_like(x)
grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)
double[grid](x, out, n, BLOCK=512)
assert torch.equal(out.cpu(), 2 * x.cpu())

# Launched a second time, over a launch’s own result: what repeats it must leave it as it was.
double[grid](out, out, n, BLOCK=512)
assert torch.equal(out.cpu(), 4 * x.cpu())
`;

it('names what limits a launch, tries a change beside the baseline, and keeps it', async () => {
  const { page, errors } = await visit(site, { text: PROGRAM });
  await ready(page);
  await runToEnd(page);
  await tab(page, 'Timing').click();
  const verdicts = page.getByRole('region', { name: 'What limits each launch' });
  const rows = verdicts.locator('details.verdict');
  await verdicts.getByRole('button', { name: 'Measure them and run again' }).click();
  await rows.first().waitFor();
  expect(await rows.count()).toBe(2);
  const summary = await rows.first().locator(':scope > summary').innerText();
  expect(summary).toMatch(
    /^double\[2048, 1, 1\] [\d.]+ (µs|ms) (launch overhead|bandwidth|arithmetic|occupancy|latency)$/,
  );
  expect(await rows.first().innerText()).toMatch(
    /Minimum traffic\s+8 MiB, [\d.]+ (µs|ms) at the roof/,
  );

  const tries = rows.first().getByRole('list', { name: 'Changes to try' });
  // Which change it is depends on the limit, and that on what else this machine does.
  const offered = tries.getByRole('button', { name: /^Try / }).first();
  const change = (await offered.innerText()).slice('Try '.length);
  await offered.click();
  const keep = tries.getByRole('button', { name: `Keep ${change}` });
  await keep.waitFor();
  // Both were measured, and the comparisons of the program held in the trial.
  expect(await tries.innerText()).toMatch(/[\d.]+ (µs|ms) beside [\d.]+ (µs|ms) as it is/);
  expect((await keptText(page)) ?? PROGRAM).toBe(PROGRAM);

  // Two settings as axes: each cell is measured, until Stop or the budget.
  const whatIf = rows.first().locator('.what-if');
  await whatIf.locator('summary').click();
  await whatIf.getByLabel('Down').selectOption({ label: 'num_warps' });
  await whatIf.getByLabel('Across').selectOption({ label: 'BLOCK' });
  await whatIf.getByRole('button', { name: /^Measure \d+ combinations$/ }).click();
  const heat = whatIf.getByRole('table', { name: 'Times by BLOCK and num_warps' });
  const times = heat.locator('td').filter({ hasText: /[\d.]+ (µs|ms)/ });
  await eventually(() => times.count()).toBeGreaterThan(3);
  await whatIf.getByRole('button', { name: 'Stop measuring' }).click();
  await whatIf.getByText(/^\d+ of \d+ measured$/).waitFor();
  await whatIf.getByText(/^(Fastest: |The program’s own numbers are the fastest)/).waitFor();
  expect(await heat.innerText()).toContain('★');
  expect((await keptText(page)) ?? PROGRAM).toBe(PROGRAM);
  await keep.click();
  await verdicts.getByText('The code has changed since this run: run it').first().waitFor();
  await eventually(async () => (await keptText(page))?.includes(change)).toBe(true);
  await runToEnd(page);
  await rows.nth(1).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});
