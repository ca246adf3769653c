/**
 * The same program in the browser and under real Triton, on a real Jupyter server; both in the
 * panels.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JUPYTER, startJupyter, type TestJupyter } from '../app/jupyter/testing/server';
import { eventually } from './expectCode';
import { openSite, ready, runToEnd, tab, visit, type Site } from './page';

const PROGRAM = `
import torch
import triton
import triton.language as tl

device = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.load(x_ptr + i, i < n) + tl.load(y_ptr + i, i < n)
    tl.store(out_ptr + i, total, i < n)

x = torch.arange(1000.0, device=device)
out = torch.empty_like(x)
add[(triton.cdiv(1000, 256),)](x, x, out, 1000, BLOCK=256)
print("device", device)
print(torch.allclose(out, 2 * x))
`;

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

it('says why no server answers, and how to start one', async () => {
  const { page, errors } = await visit(site, { text: PROGRAM });
  await page.keyboard.press('Control+Shift+Enter');
  const dialog = page.getByRole('dialog', { name: 'Run it on real Triton' });
  await dialog.getByLabel('Address').fill('http://127.0.0.1:9/');
  await dialog.getByRole('button', { name: 'Connect' }).click();
  expect(await dialog.getByRole('alert').innerText()).toContain('No Jupyter server answers');
  await dialog.getByText('How to start a compatible server').click();
  expect(await dialog.locator('pre').innerText()).toContain(new URL(site.address).origin);
  expect(errors).toEqual([]);
  await page.context().close();
});

describe.runIf(JUPYTER)('with a Jupyter server', () => {
  let server: TestJupyter;
  beforeAll(async () => {
    server = await startJupyter(8932, new URL(site.address).origin);
  }, 60_000);
  afterAll(() => server?.stop());

  it('shows both runs beside each other', async () => {
    const { page, errors } = await visit(site, { text: PROGRAM });
    await ready(page);
    await runToEnd(page);
    await page.keyboard.press('Control+Shift+Enter');
    const dialog = page.getByRole('dialog', { name: 'Run it on real Triton' });
    await dialog.getByLabel('Address').fill(`${server.url}?token=${server.token}`);
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await dialog.getByRole('button', { name: 'Run there' }).click();
    const there = page.getByRole('region', { name: /interpreter on CPU/ }).first();
    await there.getByText('device cpu').waitFor({ timeout: 60_000 });
    const here = page.getByRole('region', { name: /swiftshader/i }).first();
    expect(await here.innerText()).toContain('device cuda');
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/both.png` });
    await tab(page, 'Compare').click();
    // The other run may still go on.
    await page.locator('[data-passed=true]').nth(1).waitFor();
    expect(await page.locator('[data-passed=true]').count()).toBe(2);
    if (process.env['SHOTS'])
      await page.screenshot({ path: `${process.env['SHOTS']}/compare.png` });
    await tab(page, 'Timing').click();
    await page.getByRole('region', { name: 'Launches' }).nth(1).waitFor();
    expect(await page.getByRole('region', { name: 'Launches' }).count()).toBe(2);
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/timing.png` });
    await page.getByRole('radio', { name: /swiftshader/i }).click();
    await eventually(() => page.getByRole('region', { name: 'Launches' }).count()).toBe(1);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});
