/**
 * The page that measures a device: from Settings to a report that somebody can paste, on a software
 * adapter; and what it says where there is none.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseReport } from '../bench/deviceText';
import { openSite, STEP, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

it('measures the device, and stops with what it has', async () => {
  const { page, errors } = await visit(site);
  await page.getByRole('button', { name: 'Settings' }).click();
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: /^Device report/ }).click();
  const report = await opened;
  const problems: string[] = [];
  report.on('pageerror', (error) => problems.push(error.message));
  await report.getByRole('button', { name: 'Measure' }).click();
  const text = report.getByRole('textbox', { name: 'Report' });
  await expect.poll(() => text.inputValue(), { timeout: 3 * STEP }).toMatch(/\| vector add .* \|/);
  await report.getByRole('button', { name: 'Stop' }).click();
  await report.getByText(/^Stopped\.$/).waitFor({ timeout: 2 * STEP });

  const { adapter, target, limits, roofs, rows, failures, stopped } = parseReport(
    await text.inputValue(),
  );
  expect(`${adapter.vendor} ${target.name}`.toLowerCase()).toContain('swiftshader');
  expect(target.machine).toMatchObject({ computesOn: 'cpu' });
  expect(limits['maxComputeWorkgroupStorageSize']).toBeGreaterThanOrEqual(16_384);
  expect(roofs?.bytesPerSecond).toBeGreaterThan(1e8);
  expect(rows[0]).toMatchObject({ name: 'vector add 1048576', against: 'wgsl', error: 0 });
  expect(rows[0]!.ratio).toBeGreaterThan(0);
  expect({ failures, stopped }).toEqual({ failures: [], stopped: true });
  // Another one can be measured.
  await expect.poll(() => report.getByRole('button', { name: 'Measure' }).isEnabled()).toBe(true);
  expect([...errors, ...problems]).toEqual([]);
  await page.context().close();
});

it('says where there is nothing to measure', async () => {
  const plain = await openSite({ gpu: false });
  const { page } = await visit(plain);
  await page.goto(`${plain.address}device.html`);
  await page.getByRole('button', { name: 'Measure' }).click();
  await page.getByText(/^Nothing to measure: /).waitFor();
  expect(await page.getByRole('textbox', { name: 'Report' }).inputValue()).toBe('');
  await page.context().close();
  await plain.close();
});
