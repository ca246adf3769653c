/** Without WebGPU everything runs on the interpreter, and the page says so. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from './expectCode';
import { doubling, openSite, output, ready, runToEnd, status, tab, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: false });
});
afterAll(() => site.close());

it('runs on the interpreter where there is no adapter, and says why', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await ready(page);
  const adapter = await page.evaluate(async () =>
    navigator.gpu ? await navigator.gpu.requestAdapter() : null,
  );
  expect(adapter).toBeNull();
  const said = status(page).getByText('no WebGPU: runs on the interpreter (slower)');
  await said.waitFor();
  await said.hover();
  expect(await page.getByRole('tooltip').innerText()).toMatch(/WebGPU|adapter/);
  await runToEnd(page);
  expect(await output(page).innerText()).toContain('close: True');
  await tab(page, 'Compare').click();
  await eventually(() => page.locator('[data-passed=true]').count()).toBe(1);
  await tab(page, 'Timing').click();
  const row = page.getByRole('region', { name: 'Launches' }).locator('.launch-row');
  expect(await row.innerText()).not.toMatch(/GPU/);
  await tab(page, 'WGSL').click();
  await page.locator('.wgsl .view-line').first().waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});
