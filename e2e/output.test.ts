/** The output panel: tensors in containers, their statistics, pictures and values; long outputs. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSite, output, ready, runToEnd, TIMED, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

const TENSORS = `
import torch
import triton
import triton.language as tl
from dataclasses import dataclass


@triton.jit
def ramp(out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, offsets.to(tl.float32), mask=offsets < n)


@dataclass
class Result:
    values: torch.Tensor


print("before")
out = torch.zeros(4096 * 4096, device="cuda")
ramp[(triton.cdiv(out.numel(), 1024),)](out, out.numel(), BLOCK=1024)
print("after")
results = {"gold": [out[:6].reshape(2, 3).half(), 7]}
boxed = Result(torch.tensor([1.0, float("nan"), float("inf"), -0.0, 1e-40]))
cube = torch.arange(2 * 3 * 4, dtype=torch.int64).reshape(2, 3, 4)
print(cube[0])
`;

it('shows every tensor of the module, also in containers, with exact values', async () => {
  const { page, errors } = await visit(site, { text: TENSORS });
  await ready(page);
  await runToEnd(page);
  const text = await output(page).innerText();
  // In the order of the program, and tensors as PyTorch prints them.
  expect(text).toMatch(/before[^]*ramp[^]*after[^]*tensor\(\[\[ 0,  1,  2,  3\],\n +\[ 4,/);

  const gold = page.getByRole('region', { name: "results['gold'][0] [2, 3]" });
  await gold.getByRole('button').first().click();
  await gold.getByRole('button', { name: 'Values' }).click();
  await gold.getByRole('cell', { name: '5.0' }).waitFor();
  const grid = gold.getByRole('region', { name: /^Values of/ });
  const rows = await grid.getByRole('row').allInnerTexts();
  expect(rows.map((row) => row.split(/\s+/).filter(Boolean))).toEqual([
    ['0', '1', '2'],
    ['0', '0.0', '1.0', '2.0'],
    ['1', '3.0', '4.0', '5.0'],
  ]);

  const boxed = page.getByRole('region', { name: 'boxed.values [5]' });
  expect(await boxed.innerText()).toContain('! 1 NaN, ! 1 inf');
  await boxed.getByRole('button').first().click();
  await boxed.getByText('subnormal').waitFor();
  const facts = (await boxed.innerText()).replaceAll(/\s+/g, ' ');
  expect(facts).toContain('min 0 max 1');
  expect(facts).toContain('NaN 1 inf 1 zeros 1 (1 are −0) subnormal 1');

  const cube = page.getByRole('region', { name: 'cube [2, 3, 4]' });
  await cube.getByRole('button').first().click();
  await cube.getByRole('button', { name: 'Values' }).click();
  await cube.getByLabel('Index of dimension 0 as a number').fill('1');
  await cube.getByRole('cell', { name: '23' }).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('looks around in 16 million elements without holding up the page', TIMED, async () => {
  const { page, errors } = await visit(site, { text: TENSORS });
  await ready(page);
  await runToEnd(page);
  const region = page.getByRole('region', { name: /^out \[16777216\]/ });
  await region.getByRole('button').first().click();
  await region.getByText('std').waitFor({ timeout: 60_000 });
  const facts = (await region.innerText()).replaceAll(/\s+/g, ' ');
  expect(facts).toContain('elements 16,777,216 bytes 64 MiB');
  // Of 0 … 2²⁴ − 1, to four digits.
  expect(facts).toContain('mean 8389000 std 4843000 NaN 0 inf 0 zeros 1');
  expect(await region.locator('dd[title="8388607.5"]').count()).toBe(1);
  await region.getByText(/^Each cell/).waitFor({ timeout: 60_000 });
  const longest = await page.evaluate(async () => {
    const frame = document.querySelector<HTMLElement>('.picture-frame')!;
    frame.focus();
    let [last, worst] = [performance.now(), 0];
    for (let i = 0; i < 40; i++) {
      const key = i % 8 === 0 ? '+' : i % 2 ? 'ArrowRight' : 'ArrowDown';
      frame.dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, shiftKey: i % 8 > 0 }),
      );
      await new Promise((drawn) => requestAnimationFrame(drawn));
      const now = performance.now();
      worst = Math.max(worst, now - last);
      last = now;
    }
    return worst;
  });
  // A frame is 17 ms; two busy cores draw in software here, so the test finds a page that
  // hangs.
  expect(longest).toBeLessThan(250);
  await region.getByRole('button', { name: 'Values' }).click();
  await region.getByLabel('Go to index').fill('16777215');
  await region.getByRole('button', { name: 'Go', exact: true }).click();
  await region.getByRole('cell', { name: '16777215.0' }).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('draws a long output as far as it is seen, and finds in all of it', async () => {
  const program = `
import sys
for i in range(3000):
    print("line", i)
    print("note", i, file=sys.stderr)
print("the end")
`;
  const { page, errors } = await visit(site, { text: program });
  await ready(page);
  await runToEnd(page);
  await output(page).getByText('the end').waitFor();
  expect(await output(page).locator('li').count()).toBeLessThan(300);
  await page.getByRole('searchbox', { name: 'Find in output' }).fill('note 1234');
  await output(page).getByText('note 1234').first().waitFor();
  await page.getByRole('searchbox', { name: 'Find in output' }).fill('');
  expect(errors).toEqual([]);
  await page.context().close();
});

it('draws the figures of a program that imports matplotlib', async () => {
  const text = `
import matplotlib.pyplot as plt
import torch
plt.plot(torch.arange(4), [1, 4, 9, 16], "o-", label="squares")
plt.legend()
plt.savefig("squares.png")
plt.show()
`;
  const { page, errors } = await visit(site, { text });
  await ready(page);
  await runToEnd(page);
  const image = output(page).getByRole('img', { name: 'squares.png' });
  await image.waitFor();
  // A browser that could not read the SVG would give it no size of its own.
  const width = await image.evaluate((each) => (each as HTMLImageElement).naturalWidth);
  expect(width).toBe(640);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    output(page).getByRole('link', { name: 'squares.png' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('squares.svg');
  expect(errors).toEqual([]);
}, 300_000);
