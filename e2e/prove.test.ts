/**
 * The Prove panel: from a wrong kernel by its counterexample to one that is proved; Run meanwhile,
 * Stop, and what is shown of a text that has changed since.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { doubling, openSite, output, READY, ready, replaceProgram, tab } from './page';
import { TIMED, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

/** One element too many for each tensor. */
const WRONG = `${doubling(1).replace('mask = offsets < n', 'mask = offsets <= n')}
import matplotlib.pyplot as plt  # Comes with the proof's runs as with the program's own.
plt.plot([1, 2])
plt.show()
`;
/** Three runs and Python's start, on two busy cores. */
const PROOF = 2 * READY;

const panel = (page: Page) => page.getByRole('tabpanel', { name: /^Prove/ });
const press = (page: Page, name: string) => panel(page).getByRole('button', { name }).click();

it('finds a counterexample, shows it, and proves the kernel once it is mended', async () => {
  const { page, errors } = await visit(site, { text: WRONG });
  await page.keyboard.press('Alt+9');
  await panel(page).getByText('Nothing is proved yet').waitFor();
  await ready(page);
  await press(page, 'Prove the program');
  await panel(page).getByRole('progressbar').waitFor();
  const kernels = panel(page).getByRole('region', { name: 'Kernels' });
  const load = kernels
    .getByRole('listitem')
    .filter({ hasText: 'load of element 5000 of x_ptr of 5000 elements' });
  await load.waitFor({ timeout: PROOF });
  expect(await load.innerText()).toContain('(19, 0, 0)');
  await load.getByRole('button', { name: /:11, show it/ }).click();
  await page.locator('.editor .line-lit').first().waitFor();
  await load.getByRole('button', { name: 'Step through program (19, 0, 0)' }).click();
  await page.getByRole('toolbar', { name: 'Debugger' }).waitFor();
  await page.getByRole('option', { name: 'double[20, 1, 1] of the proof' }).waitFor({
    state: 'attached',
  });
  expect(await page.getByRole('spinbutton', { name: 'program_id(0)' }).inputValue()).toBe('19');

  await tab(page, 'Prove').click();
  await page.locator('.editor .view-line').filter({ hasText: 'mask = offsets <= n' }).click();
  await page.keyboard.press('End');
  await page.keyboard.press('Shift+Home');
  await page.keyboard.insertText('mask = offsets < n');
  await panel(page).getByText('The code has changed since this proof.').waitFor();
  await press(page, 'Prove again');
  const proved = kernels.locator('summary').filter({ hasText: 'every program and every n' });
  await proved.waitFor({ timeout: PROOF });
  const comparisons = panel(page).getByRole('region', { name: 'Comparisons' });
  expect(await comparisons.innerText()).toMatch(
    /equal in the ring, bit for bit, on the interpreter and .*swiftshader/i,
  );
  expect(await panel(page).getByText('0 fail, 0 undecided').count()).toBe(1);
  await proved.click();
  await kernels.getByText('stays inside of its tensor').first().waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('leaves Run free, and stops in the middle of a program that does not end', async () => {
  const endless = `import torch\nif torch.zeros(1).is_cuda:\n    pass\nprint("begun")\nwhile True:\n    pass\n`;
  const { page, errors } = await visit(site, {
    text: endless,
    viewport: { width: 390, height: 844 },
  });
  await page.getByRole('button', { name: 'Results' }).click();
  await tab(page, 'Prove').click();
  await ready(page);
  await press(page, 'Prove the program');
  await panel(page).getByText('running in the ring on the interpreter').waitFor({ timeout: READY });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
  await page.keyboard.press('ControlOrMeta+Enter');
  await tab(page, 'Output').click();
  await output(page).getByText('begun').waitFor({ timeout: READY });
  await page.keyboard.press('Escape');
  await ready(page);
  await tab(page, 'Prove').click();
  await press(page, 'Stop the proof');
  await panel(page).getByText('The proof was stopped.').waitFor();
  await panel(page).getByRole('button', { name: 'Prove again' }).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

const example = (name: string): string =>
  readFileSync(join(import.meta.dirname, '..', 'public', 'examples', name), 'utf8');

it('stops in the middle of fused attention within 2 s, and proves the next', TIMED, async () => {
  const { page, errors } = await visit(site, { text: example('fused_attention.py') });
  await tab(page, 'Prove').click();
  await ready(page);
  await press(page, 'Prove the program');
  // The second of three runs: launches are kept, and the GPU has some.
  await panel(page)
    .getByText('running with ordinary floats on the GPU')
    .waitFor({ timeout: PROOF });
  const proving = page.workers().length;
  const pressed = performance.now();
  await press(page, 'Stop the proof');
  await panel(page).getByText('The proof was stopped.').waitFor();
  await expect
    .poll(() => page.workers().length, { interval: 50, timeout: 2000 })
    .toBeLessThan(proving);
  expect(performance.now() - pressed).toBeLessThan(2000);

  // A vector add without a partial tile: right, and its mask is not tested.
  const whole = example('vector_add.py').replaceAll('98432', '98304');
  expect(whole).toContain('98304');
  await replaceProgram(page, whole);
  await press(page, 'Prove again');
  const kernels = panel(page).getByRole('region', { name: 'Kernels' });
  await kernels
    .locator('summary')
    .filter({ hasText: 'every program and every n' })
    .waitFor({ timeout: PROOF });
  const notes = panel(page).getByRole('region', {
    name: 'Not exercised by any launch of this run',
  });
  await notes.getByText('the mask was true in every lane').first().waitFor();
  expect(await notes.getByRole('listitem').count()).toBe(3);
  expect(await notes.innerText()).toContain('hippocamp_testing.sweep');
  expect(errors).toEqual([]);
  await page.context().close();
});

it('says in another program which one is being proved, and stops it from there', async () => {
  const { page, errors } = await visit(site, { text: 'while True:\n    pass\n' });
  await tab(page, 'Prove').click();
  await ready(page);
  await press(page, 'Prove the program');
  await panel(page).getByRole('progressbar').waitFor();
  await page.evaluate(() => void (location.hash = '/learn/04-online-softmax'));
  await panel(page)
    .getByText(/is being proved: /)
    .waitFor({ timeout: READY });
  await press(page, 'Stop the proof');
  await panel(page).getByText('Nothing is proved yet').waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('says of a program without kernels, and of one that does not parse, what is missing', async () => {
  const first = await visit(site, {
    text: 'import torch\nx = torch.ones(3)\ntorch.testing.assert_close(x, x)\n',
  });
  await tab(first.page, 'Prove').click();
  await ready(first.page);
  await press(first.page, 'Prove the program');
  await panel(first.page)
    .getByText('The program launches no kernel that accesses memory.')
    .waitFor({ timeout: PROOF });
  expect(await panel(first.page).getByText('1 hold, 0 fail, 0 undecided').count()).toBe(1);
  expect(first.errors).toEqual([]);
  await first.page.context().close();

  const second = await visit(site, { text: 'import torch\nx = = 3\n' });
  await tab(second.page, 'Prove').click();
  await ready(second.page);
  await press(second.page, 'Prove the program');
  await panel(second.page)
    .getByRole('alert')
    .getByText('invalid syntax')
    .waitFor({ timeout: PROOF });
  const texts = [
    'The program ended with an error before it compared anything.',
    'The program ended with an error before a kernel was launched.',
  ];
  for (const text of texts) expect(await panel(second.page).getByText(text).count()).toBe(1);
  expect(second.errors).toEqual([]);
  await second.page.context().close();
});
