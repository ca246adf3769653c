/**
 * Browsers whose Python cannot be suspended (no JSPI), played by taking JSPI out of the program
 * worker: in an isolated page a second worker has the GPU, elsewhere the interpreter does what it
 * can.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bareSite } from './bare';
import {
  doubling,
  openSite,
  output,
  ready,
  runToEnd,
  status,
  visit,
  withoutJspi,
  type Site,
} from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

const PROGRAM = `${doubling(1)}
@triton.constexpr_function
def half(n):
    return n // 2


@triton.jit
def shift(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at: tl.constexpr = half(BLOCK)
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets) + at)


y = torch.zeros(64, device="cuda")
z = torch.arange(64, device="cuda", dtype=torch.float32)
shift[(1,)](z, y, BLOCK=64)
z[0] = 100
print("shifted:", y[:3].tolist(), z[0].item())
shift[(1,)](z, y, BLOCK=64)
print("again:", y[:2].tolist())
large = torch.arange(3_000_000, dtype=torch.float32, device="cuda")
twice = torch.empty_like(large)
double[(triton.cdiv(large.numel(), 256),)](large, twice, large.numel(), BLOCK=256)
print("large:", torch.equal(twice, large * 2))
try:
    shift[(1,)](z, y, BLOCK=60)
except Exception as error:
    print("refused:", type(error).__name__)
`;

/** Times a kernel, and another one with each of its configurations. */
const MEASURED = `${doubling(1)}
print("measured:", triton.testing.do_bench(lambda: double[(20,)](x, out, 5000, BLOCK=256)) > 0)


@triton.autotune([triton.Config({"BLOCK": 128}), triton.Config({"BLOCK": 256})], key=["n"])
@triton.jit
def halve(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) / 2, mask=mask)


halve[lambda meta: (triton.cdiv(5000, meta["BLOCK"]),)](x, out, 5000)
print("tuned:", torch.equal(out, x / 2))
`;

it('runs on the GPU through a second worker, in a page that is isolated', async () => {
  const { page, errors } = await visit(site, { text: PROGRAM });
  await withoutJspi(page.context());
  await page.reload();
  await ready(page);
  expect(await status(page).innerText()).toMatch(/swiftshader.*webgpu/i);
  await runToEnd(page);
  const text = await output(page).innerText();
  expect(text).toContain('first: True');
  expect(text).toContain('close: True');
  expect(text).toContain('shifted: [32.0, 33.0, 34.0] 100.0');
  expect(text).toContain('again: [132.0, 33.0]');
  expect(text).toContain('large: True');
  expect(text).toContain('refused: CompilationError');
  // Prints stand among the launches, in the program's order.
  expect(text.indexOf('first: True')).toBeLessThan(text.indexOf('shifted:'));
  await runToEnd(page);
  expect(errors).toEqual([]);
  await page.context().unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
});

it('is stopped there too', async () => {
  const { page } = await visit(site, { text: 'while True:\n    pass\n' });
  await withoutJspi(page.context());
  await page.reload();
  await ready(page);
  await page.getByRole('button', { name: /^Run/ }).first().click();
  await page.locator('[role=status][data-phase=running]').waitFor();
  await page.waitForTimeout(500);
  await page.keyboard.press('Escape');
  await page.locator('[role=status][data-phase=ready]').waitFor({ timeout: 60_000 });
  await page.context().unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
});

it('runs on the interpreter, and says why, where the page is not isolated', async () => {
  const { page } = await visit(site, { text: MEASURED });
  await page.locator('.editor .view-line').first().waitFor();
  await page.keyboard.press('Control+s');
  const link = await page.getByRole('textbox', { name: 'Link' }).inputValue();
  await page.context().close();
  const bare = await bareSite({
    'index.html': `<!doctype html><iframe src="${link}?embed=1" width="1000" height="600"></iframe>`,
  });
  try {
    const context = await site.browser.newContext();
    await withoutJspi(context);
    const blog = await context.newPage();
    await blog.goto(bare.address);
    const frame = blog.frameLocator('iframe');
    await frame.locator('[role=status][data-phase=ready]').waitFor({ timeout: 90_000 });
    await frame.getByText('no WebGPU: runs on the interpreter').waitFor();
    await frame.getByRole('button', { name: /^Run/ }).first().click();
    for (const text of ['close: True', 'measured: True', 'tuned: True'])
      await frame.getByText(text).waitFor({ timeout: 90_000 });
    expect(await frame.locator('.error-card:not(.warning)').allInnerTexts()).toEqual([]);
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  } finally {
    await bare.close();
  }
});
