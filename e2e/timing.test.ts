/**
 * The timing panel: launches with honest clocks, charts that can be kept, a trace, a pinned run.
 */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from './expectCode';
import { openSite, output, ready, runToEnd, tab, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

const BENCHMARK = `
import torch
import triton
import triton.language as tl


@triton.jit
def copy(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)


def run(n):
    x = torch.rand(n, device="cuda")
    out = torch.empty_like(x)
    copy[(triton.cdiv(n, 1024),)](x, out, n, BLOCK=1024)
    return x, out


x, out = run(1 << 20)
assert torch.equal(x, out)


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["n"], x_vals=[2**i for i in (10, 12, 14)], x_log=True, line_arg="provider",
        line_vals=["triton", "torch"], line_names=["Triton", "Torch"], ylabel="GB/s",
        plot_name="copy-bandwidth", args={},
    )
)
def bench(n, provider):
    x = torch.rand(n, device="cuda")
    out = torch.empty_like(x)
    if provider == "torch":
        ms = triton.testing.do_bench(lambda: x + 0, quantiles=[0.5, 0.2, 0.8])
    else:
        ms = triton.testing.do_bench(
            lambda: copy[(triton.cdiv(n, 1024),)](x, out, n, BLOCK=1024), quantiles=[0.5, 0.2, 0.8]
        )
    return tuple(2 * x.numel() * 4e-6 / each for each in ms)


bench.run()
`;

async function saved(page: Page, click: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), click()]);
  return readFile(await download.path(), 'utf8');
}

it('times launches, draws charts and a trace, saves them, and pins a run', async () => {
  const { page, errors } = await visit(site, { text: BENCHMARK });
  await ready(page);
  await runToEnd(page);
  await tab(page, 'Timing').click();
  const launches = page.getByRole('region', { name: 'Launches', exact: true });
  const row = (await launches.locator('.launch-row').first().innerText()).replaceAll(/\s+/g, ' ');
  expect(row).toMatch(
    /^copy ?\[1024, 1, 1\] 1 (below resolution \(.*\)|[\d.]+ (µs|ms) 1 sample) .* WGSL \d+ Verify$/,
  );
  // Nothing is said of a time of 0.
  expect(row).not.toMatch(/ 0 µs/);

  const chart = page.getByRole('region', { name: 'Benchmark copy-bandwidth' });
  await chart.locator('canvas').waitFor();
  await chart.getByRole('group', { name: /^Chart of/ }).press('ArrowRight');
  await chart.getByText(/^n = 1,024: Triton [\d.]+ GB\/s/).waitFor();
  const hide = chart.getByRole('button', { name: /^Torch/ });
  await hide.click();
  await eventually(() => hide.getAttribute('aria-pressed')).toBe('false');
  const csv = await saved(page, () => chart.getByRole('button', { name: 'CSV' }).click());
  expect(csv.split('\n')[0]).toBe(
    'n,Triton (GB/s),Triton low,Triton high,Torch (GB/s),Torch low,Torch high',
  );
  expect(
    csv
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',')[0]),
  ).toEqual(['1024', '4096', '16384']);
  const svg = await saved(page, () => chart.getByRole('button', { name: 'SVG' }).click());
  expect(svg).toMatch(/^<svg [^]*copy-bandwidth[^]*<\/svg>$/);
  const png = await saved(page, () => chart.getByRole('button', { name: 'PNG' }).click());
  expect(png.slice(1, 4)).toBe('PNG');

  const trace = page.getByRole('region', { name: 'Trace of the run' });
  await trace.locator('canvas').waitFor();
  const tracks = await trace.getByRole('row').allInnerTexts();
  const names = tracks.slice(1).map((text) => text.split(/\t|\n/)[0]);
  expect(names).toEqual(expect.arrayContaining(['Python', 'Compiler', 'Launch', 'Upload', 'GPU']));
  const json = JSON.parse(
    await saved(page, () =>
      trace.getByRole('button', { name: 'Save for Chrome or Perfetto' }).click(),
    ),
  ) as { traceEvents: { ph: string; name: string; cat?: string; dur?: number }[] };
  const onGpu = json.traceEvents.filter(({ cat }) => cat === 'gpu');
  expect(onGpu.some(({ name }) => name.startsWith('copy'))).toBe(true);
  expect(json.traceEvents.every(({ ph, dur }) => ph === 'M' || (dur ?? -1) >= 0)).toBe(true);

  // Nothing ran before.
  const compare = page.getByRole('button', { name: 'Compare with previous run' });
  expect(await compare.count()).toBe(0);
  await runToEnd(page);
  await tab(page, 'Timing').click();
  await compare.click();
  await launches.locator('.launch-row').first().waitFor();
  const columns = await launches.getByRole('columnheader').allInnerTexts();
  expect(columns).toEqual(expect.arrayContaining(['Pinned', 'Change']));
  await chart.getByText('Triton (pinned)').first().waitFor();
  await page.getByRole('button', { name: 'Unpin' }).click();
  await eventually(() => launches.getByRole('columnheader').allInnerTexts()).not.toContain(
    'Pinned',
  );
  expect(errors).toEqual([]);
  await page.context().close();
});

const TUNED = `
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": block}, num_warps=warps) for block, warps in ((64, 2), (256, 4), (1024, 8))],
    key=["n"],
)
@triton.jit
def scale(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, x * 2.0 + 1.0, mask=offsets < n)


x = torch.rand(1 << 18, device="cuda")
out = torch.empty_like(x)
for _ in range(5):
    scale[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel())
print(torch.allclose(out, x * 2 + 1))
`;

it('lists every configuration of a tuning, and stands each launch below its roof', async () => {
  const { page, errors } = await visit(site, { text: TUNED });
  await ready(page);
  await runToEnd(page);
  await tab(page, 'Timing').click();
  const tuning = page.getByRole('region', { name: 'Autotuning of scale' });
  await tuning.waitFor();
  const rows = tuning.getByRole('row');
  expect(await rows.count()).toBe(4);
  const texts = (await rows.allInnerTexts()).slice(1).map((text) => text.replaceAll(/\s+/g, ' '));
  for (const block of [64, 256, 1024])
    expect(
      texts.filter((text) => new RegExp(`^(✓ ?chosen )?${block} `).test(text.trim())),
    ).toHaveLength(1);
  // One is chosen: it comes first, as the fastest.
  expect(texts.filter((text) => text.includes('chosen'))).toHaveLength(1);
  expect(texts[0]).toMatch(/^✓ ?chosen \d+ \d (below )?[\d.]+ (µs|ms)/);
  expect(await tuning.getByText(/^3 configurations in [\d.]+ s$/).count()).toBe(1);
  // The launched configuration is the chosen one, and the one in view.
  const chosen = /chosen (\d+)/.exec(texts[0]!)![1]!;
  const inView = page.getByRole('combobox', { name: 'Specialization in view' });
  const label = await inView.locator('option:checked').innerText();
  expect(label).toMatch(new RegExp(`^scale · BLOCK=${chosen}, warps=\\d · [\\d.]+ (µs|ms)$`));
  // A column sorts, and a row opens the code that it timed; two of them stand side by side.
  await tuning.getByRole('button', { name: 'BLOCK' }).click();
  const blocks = tuning.locator('tbody tr td:nth-child(2)');
  expect(await blocks.allInnerTexts()).toEqual(['64', '256', '1024']);
  await rows.nth(1).getByRole('button', { name: 'WGSL' }).click();
  await page.getByRole('tabpanel').getByText('@workgroup_size').first().waitFor();
  expect(await inView.locator('option:checked').innerText()).toMatch(/^scale · BLOCK=64, /);
  await tab(page, 'Timing').click();
  await rows.filter({ hasText: '1024' }).getByRole('button', { name: 'Diff' }).click();
  const other = page.getByRole('combobox', { name: 'Compare with another specialization' });
  expect(await other.locator('option:checked').innerText()).toMatch(/^vs scale · BLOCK=64, /);
  const inserted = page.locator('.monaco-diff-editor .modified-in-monaco-diff-editor .char-insert');
  await inserted.first().waitFor();
  await other.selectOption({ label: 'Stop comparing' });
  await page.locator('.monaco-diff-editor').waitFor({ state: 'detached' });
  await tab(page, 'Timing').click();

  const roofline = page.getByRole('region', { name: 'Roofline' });
  await roofline.scrollIntoViewIfNeeded();
  expect(await roofline.getByRole('heading').innerText()).toMatch(/^Roofline of .*swiftshader/i);
  const lines = await roofline.locator('svg text').allTextContents();
  expect(lines).toEqual(expect.arrayContaining(['FLOP for each byte', 'FLOP/s']));
  expect(lines.some((line) => /^f32: [\d.]+ [MGT]FLOP\/s$/.test(line))).toBe(true);
  // The launch, and the trials of tuning: two operations for each 8 bytes.
  const points = roofline.getByRole('img', { name: /^scale\[/ });
  const labels = await points.evaluateAll((all) =>
    all.map((one) => one.getAttribute('aria-label')),
  );
  expect(labels).toHaveLength(4);
  for (const label of labels)
    expect(label).toMatch(
      /^scale\[\d+, 1, 1\]: [\d.]+ [MG]FLOP\/s at 0\.25 FLOP for each byte, [\d.]+ % of the roof$/,
    );
  await points.first().focus();
  await roofline.locator('.readout').getByText('0.25 FLOP for each byte').waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

const MATMUL = `
import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BM": 32, "BN": 32, "BK": k}) for k in (16, 32)], key=["n"])
@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, n, BK):
        depth = k + tl.arange(0, BK)
        a = tl.load(a_ptr + rows[:, None] * n + depth[None, :])
        b = tl.load(b_ptr + depth[:, None] * n + columns[None, :])
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(c_ptr + rows[:, None] * n + columns[None, :], acc)


n = 128
a = torch.randn(n, n, device="cuda")
b = torch.randn(n, n, device="cuda")
c = torch.empty(n, n, device="cuda")
for _ in range(3):
    matmul[lambda meta: (n // meta["BM"], n // meta["BN"])](a, b, c, n)
assert torch.allclose(c, a @ b, atol=1e-3)
print("right")
`;

it('tunes schedules on a click, keeps what it found, and goes back to the default', async () => {
  const { page, errors } = await visit(site, { text: MATMUL });
  await ready(page);
  await runToEnd(page);
  await tab(page, 'Timing').click();
  const schedules = page.getByRole('region', { name: 'Schedules of matmul' });
  expect(await schedules.count()).toBe(0);
  await page.getByRole('button', { name: 'Tune schedules' }).click();
  await schedules.getByText(/times as fast|The default stays/).waitFor({ timeout: 60_000 });
  const rows = schedules.locator('tbody tr');
  // The configurations of the autotuner have schedules of their own only where they won.
  expect(await schedules.count()).toBe(1);
  const tried = await rows.locator('td:nth-child(2)').allInnerTexts();
  expect(tried).toEqual(expect.arrayContaining(['default', expect.stringContaining('threads: ')]));
  expect(await rows.locator('.pass').count()).toBe(1);
  await eventually(() => page.getByText(/compiled in/).count()).toBe(1);
  await tab(page, 'Output').click();
  expect(await output(page).innerText()).toContain('right');

  await runToEnd(page);
  await tab(page, 'Timing').click();
  await schedules.getByText('from an earlier run on this adapter').waitFor();
  await page.getByRole('button', { name: 'Use default schedules' }).click();
  await page.getByRole('button', { name: 'Tune schedules' }).waitFor();
  await eventually(() => schedules.count()).toBe(0);

  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByText(/^Results of \d+ tuning runs? are kept\.$/).waitFor();
  await page.getByRole('button', { name: 'Forget them' }).click();
  await eventually(() => page.getByText(/^Results of \d+ tuning/).count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Tune schedules' }).click();
  await schedules.getByText(/times as fast|The default stays/).waitFor({ timeout: 60_000 });
  expect(await schedules.getByText('from an earlier run on this adapter').count()).toBe(0);
  expect(errors).toEqual([]);
}, 180_000);

it('verifies a launch: runs again, and states how the GPU and the interpreter agree', async () => {
  const { page } = await visit(site, { text: BENCHMARK.split('@triton.testing')[0]! });
  await ready(page);
  await runToEnd(page);
  await tab(page, 'Timing').click();
  const launches = page.getByRole('region', { name: 'Launches', exact: true });
  await launches.getByRole('button', { name: 'Verify' }).click();
  await launches.getByText('✓ verified').waitFor();
  expect(await launches.getByText('✓ verified').getAttribute('title')).toContain('bit for bit');
  await page.context().close();
});
