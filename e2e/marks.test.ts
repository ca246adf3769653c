/**
 * Marks and strips that follow what is shown: one sign a problem however its line wraps, the tab in
 * view in a narrow window.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from './expectCode';
import { openSite, replaceProgram, tab, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: false });
});
afterAll(() => site.close());

it('draws one sign for an error in a line that wraps', async () => {
  const { page, errors } = await visit(site);
  const sum = Array.from({ length: 12 }, () => 'tl.arange(0, 128)').join(' + ');
  await replaceProgram(
    page,
    `import triton\nimport triton.language as tl\n@triton.jit\ndef k(out_ptr):\n    o = tl.arange(0, 100) + ${sum}\n    tl.store(out_ptr + o, o)\n`,
  );
  await page.locator('.editor .glyph-fail').first().waitFor();
  // The line takes several rows.
  expect(await page.locator('.editor .view-line').count()).toBeGreaterThan(7);
  expect(await page.locator('.editor .glyph-fail').count()).toBe(1);
  expect(errors).toEqual([]);
  await page.context().close();
});

it('keeps the tab in view when the window becomes narrow', async () => {
  const { page, errors } = await visit(site);
  await tab(page, 'Debugger').click();
  await page.setViewportSize({ width: 800, height: 800 });
  await eventually(() =>
    tab(page, 'Debugger').evaluate((element) => {
      const own = element.getBoundingClientRect();
      const strip = element.closest('[role=tablist]')!.getBoundingClientRect();
      return own.left >= strip.left - 1 && own.right <= strip.right + 1;
    }),
  ).toBe(true);
  expect(errors).toEqual([]);
  await page.context().close();
});
