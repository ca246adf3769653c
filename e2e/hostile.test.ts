/** Hostile timing: everything at the worst moment. Nothing may be lost, hang, or throw. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectCode } from './expectCode';
import {
  doubling,
  openSite,
  output,
  ready,
  runToEnd,
  status,
  tab,
  visit,
  until,
  type Site,
} from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

/** Runs for a while and prints how far it is. */
const SLOW = `${doubling(1)}
for i in range(200):
    double[(triton.cdiv(5000, 256),)](x, out, 5000, BLOCK=256)
    torch.cuda.synchronize()
    print("step", i)
    for _ in range(300_000):
        pass
`;

it('is edited while it runs: the run goes on, its results are dimmed, the edit is kept', async () => {
  const { page, errors } = await visit(site, { text: SLOW });
  await ready(page);
  await page.getByRole('button', { name: /^Run/ }).first().click();
  await output(page).getByText('step 1').first().waitFor();
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.insertText('# while it ran\n');
  await page.getByText('The code has changed since this run').waitFor();
  await page.locator('.editor .view-line').filter({ hasText: 'while it ran' }).waitFor();
  await page.keyboard.press('Alt+1');
  await page.keyboard.press('Escape');
  await page.locator('[role=status][data-phase=ready]').waitFor();
  await expectCode(page, '.editor').toContain('# while it ran');
  expect(errors).toEqual([]);
  await page.context().close();
});

it('is stopped while it compiles, and at once again', async () => {
  // Many specializations, each compiled when it is launched.
  const text = `${doubling(1)}
for block in (16, 32, 64, 128, 256, 512, 1024):
    for warps in (1, 2, 4, 8):
        double[(triton.cdiv(5000, block),)](x, out, 5000, BLOCK=block, num_warps=warps)
        torch.cuda.synchronize()
print("all compiled")
`;
  const { page, errors } = await visit(site, { text });
  await ready(page);
  for (const wait of [0, 30, 150, 400]) {
    await page.getByRole('button', { name: /^Run/ }).first().click();
    await page.waitForTimeout(wait);
    await page.keyboard.press('Escape');
    await page.locator('[role=status][data-phase=ready]').waitFor({ timeout: 60_000 });
  }
  await runToEnd(page);
  await output(page).getByText('all compiled').waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('is stopped at any moment of its waits for the GPU, and nothing but the stop is reported', async () => {
  const { page, errors } = await visit(site, { text: SLOW });
  await ready(page);
  for (let turn = 0; turn < 8; turn++) {
    await page.getByRole('button', { name: /^Run/ }).first().click();
    await page.waitForTimeout(500 + 53 * turn);
    await page.keyboard.press('Escape');
    await page.locator('[role=status][data-phase=ready]').waitFor();
    expect(await page.getByRole('tabpanel').first().innerText()).not.toContain('Traceback');
  }
  expect(errors).toEqual([]);
  await page.context().close();
});

it('is resized while it loads and while it runs: every layout, and nothing lost', async () => {
  const { page, errors } = await visit(site, { text: SLOW });
  for (const [width, height] of [
    [390, 844],
    [800, 600],
    [1920, 1080],
    [320, 480],
    [1440, 900],
  ] as const)
    await page.setViewportSize({ width, height });
  await ready(page);
  await page.getByRole('button', { name: /^Run/ }).first().click();
  for (const width of [390, 1440, 700, 1100]) {
    await page.setViewportSize({ width, height: 800 });
    // A busy page takes a moment until it has the layout of the new width.
    await until(
      page,
      'document.documentElement.scrollWidth === document.documentElement.clientWidth',
    );
  }
  await output(page).getByText('step 1').first().waitFor();
  await page.locator('.editor .view-line').filter({ hasText: 'def double' }).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('is reloaded in the middle of a run, and in the middle of a word', async () => {
  const { page, errors } = await visit(site, { text: SLOW });
  await ready(page);
  await page.getByRole('button', { name: /^Run/ }).first().click();
  await page.locator('[role=status][data-phase=running]').waitFor();
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.insertText('# half a wo');
  await page.reload();
  await page.locator('.editor .view-line').filter({ hasText: '# half a wo' }).waitFor();
  await ready(page);
  // Nothing runs by itself after a reload.
  expect(await status(page).getAttribute('data-ended')).toBeNull();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('closes a dialog by Escape that is still on its way', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await ready(page);
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const asked = page.waitForRequest('**/assets/Help-*.js');
  await page.route('**/assets/Help-*.js', async (route) => {
    await held;
    await route.continue();
  });
  await page.keyboard.press('F1');
  await asked;
  await page.keyboard.press('Escape');
  release();
  await page.waitForTimeout(1000);
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.keyboard.press('F1');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
  await page.context().close();
});

it('gets every key at once', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await tab(page, 'Passes').waitFor();
  const keys =
    'Alt+1,Alt+4,j,k,d,c,d,Alt+s,Alt+5,Control+k,Escape,F1,Escape,Control+s,Escape,Alt+p,Alt+p,Alt+2,j,c,Alt+s';
  for (let round = 0; round < 3; round++)
    for (const key of keys.split(',')) await page.keyboard.press(key);
  await ready(page);
  expect(await page.getByRole('dialog').count()).toBe(0);
  // One panel or two: a key that comes while a dialog opens is the dialog's.
  expect([1, 2]).toContain(await page.locator('.tabstrip [role=tablist]').count());
  expect(errors).toEqual([]);
  await page.context().close();
});

it('opens other programs while one runs, and shows them nothing of that run', async () => {
  const { page, errors } = await visit(site, { text: SLOW });
  await ready(page);
  await page.getByRole('button', { name: /^Run/ }).first().click();
  await output(page).getByText('step 1').first().waitFor();
  await page.getByRole('button', { name: /^Program: / }).click();
  await page.getByRole('menuitem', { name: 'New program' }).click();
  await page.locator('.editor .view-line').filter({ hasText: 'def square_kernel' }).waitFor();
  const whose = page.getByText(/ is still running\.$/);
  await whose.waitFor();
  expect(await output(page).count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.locator('[role=status][data-phase=ready]').waitFor();
  await whose.waitFor({ state: 'detached' });
  expect(await output(page).count()).toBe(0);
  await runToEnd(page);
  expect(await output(page).innerText()).not.toContain('step 1');
  expect(errors).toEqual([]);
  await page.context().close();
});
