/** Stop ends a program at once, also inside `while True`; the next Run starts within a second. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSite, output, ready, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

it('stops while True, and runs again within a second', async () => {
  const { page, errors } = await visit(site, {
    text: "import sys\nprint('begun')\nwhile True:\n    pass\n",
  });
  await ready(page);
  await page.getByRole('button', { name: /^Run/ }).first().click();
  await output(page).getByText('begun').waitFor();
  const stopped = Date.now();
  await page.keyboard.press('Escape');
  await ready(page);
  expect(Date.now() - stopped).toBeLessThan(2000);

  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText("print('again')");
  const again = Date.now();
  await page.keyboard.press('ControlOrMeta+Enter');
  await output(page).getByText('again').waitFor();
  expect(Date.now() - again).toBeLessThan(1000);
  expect(errors).toEqual([]);
  await page.context().close();
});
