/** The pass viewer: list, keys, diff, and one selected line in every pane. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectCode } from './expectCode';
import {
  codeIn,
  doubling,
  openSite,
  output,
  prefixScripts,
  ready,
  runToEnd,
  tab,
  visit,
  type Site,
} from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

it('steps with j and k, diffs with d, hides the unchanged with c', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await tab(page, 'Passes').click();
  const options = page.getByRole('listbox', { name: 'Passes' }).getByRole('option');
  await options.first().waitFor();
  const all = await options.count();
  expect(all).toBeGreaterThan(5);
  const selected = page.locator('.pass-list [aria-selected=true]');

  await options.first().click();
  const first = await selected.getAttribute('id');
  await page.keyboard.press('j');
  const second = await selected.getAttribute('id');
  expect(second).not.toBe(first);
  await page.keyboard.press('k');
  expect(await selected.getAttribute('id')).toBe(first);

  await page.keyboard.press('c');
  expect(await options.count()).toBeLessThan(all);
  await page.keyboard.press('c');
  expect(await options.count()).toBe(all);

  await page.keyboard.press('j');
  await page.keyboard.press('d');
  await page.locator('.pass-main .monaco-diff-editor').waitFor();
  await page.keyboard.press('d');
  await page.locator('.pass-main .monaco-diff-editor').waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
  await page.context().close();
});

it('finds passes by name and by what their IR holds', async () => {
  const { page } = await visit(site, { text: doubling(1) });
  await tab(page, 'Passes').click();
  const options = page.getByRole('listbox', { name: 'Passes' }).getByRole('option');
  await options.first().waitFor();
  await page.getByRole('searchbox').fill('tt.get_program_id');
  expect(await options.count()).toBeGreaterThan(0);
  await page.getByRole('searchbox').fill('no such thing');
  expect(await options.count()).toBe(0);
  await page.context().close();
});

it('lights a line of the program in the IR and the WGSL, and the way back', async () => {
  const { page } = await visit(site, { text: doubling(1) });
  await tab(page, 'Passes').click();
  await page.locator('.pass-main .view-line').first().waitFor();
  await page.locator('.editor .view-line').filter({ hasText: 'tl.load' }).click();
  await page.locator('.pass-main .line-lit').first().waitFor();
  await tab(page, 'WGSL').click();
  await page.locator('.wgsl .line-lit').first().waitFor();
  // The highlighted line has been scrolled to.
  expect(await codeIn(page, '.wgsl')).toContain('x_ptr[');
  await page.locator('.wgsl .view-line').filter({ hasText: 'offsets =' }).first().click();
  await page.locator('.editor .line-lit').first().waitFor();
  await page.context().close();
});

it('gives a line one colour in the editor, the IR and the WGSL', async () => {
  const { page } = await visit(site, { text: doubling(1) });
  /** The colours drawn behind the lines that hold `text`, with how many lines have each. */
  const colors = (within: string, text: string) =>
    page.evaluate(
      ([where, wanted]) => {
        const host = document.querySelector(where)!;
        const tops = [...host.querySelectorAll<HTMLElement>('.view-line')]
          .filter((line) => line.textContent.replaceAll('\u00a0', ' ').includes(wanted))
          .map((line) => Math.round(line.getBoundingClientRect().top));
        const found = [...host.querySelectorAll<HTMLElement>('.line-color')]
          .filter((one) => tops.includes(Math.round(one.getBoundingClientRect().top)))
          .map((one) => /line-color-\d/.exec(one.className)![0]);
        return [...new Set(found)];
      },
      [within, text] as const,
    );
  await tab(page, 'Passes').click();
  await page.locator('.pass-main .line-color').first().waitFor();
  await page.locator('.editor .line-color').first().waitFor();
  const ofLoad = await colors('.editor', 'tl.load');
  expect(ofLoad).toHaveLength(1);
  expect(await colors('.pass-main', 'tt.load')).toEqual(ofLoad);
  const ofStore = await colors('.editor', 'tl.store');
  expect(ofStore).not.toEqual(ofLoad);
  await tab(page, 'Output').click();
  await page.locator('.editor .line-color').first().waitFor({ state: 'detached' });
  await page.context().close();
});

it('checks every pass, and the GPU, on the inputs of a launch', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await ready(page);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('checkbox', { name: 'Verify compiler passes' }).check();
  await page.keyboard.press('Escape');
  await runToEnd(page);
  expect(await output(page).innerText()).toContain('close: True');
  await tab(page, 'Passes').click();
  await page.getByText('GPU result matches the IR').waitFor();
  const passes = await page.locator('.pass-row').count();
  expect(passes).toBeGreaterThan(10);
  expect(await page.locator('.pass-row .sign.pass').count()).toBe(passes);
  expect(errors).toEqual([]);
  await page.context().close();
});

/** A pass that breaks the program: what was doubled becomes tripled where it is stored. */
const BROKEN = `
globalThis.hippocampPasses = [{
  name: 'spoil',
  run: (func) => {
    const op = func.body.ops.find(
      (each) => each.name === 'arith.constant' && each.attributes.value === 2);
    if (op && String(op.results[0].type.kind) !== 'i32') op.attributes = { value: 3 };
    return op !== undefined;
  },
}];
`;

it('names the pass that broke the program, and the first element that it broke', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await prefixScripts(page.context(), '**/*Worker-*.js', BROKEN);
  await page.reload();
  await ready(page);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('checkbox', { name: 'Verify compiler passes' }).check();
  await page.keyboard.press('Escape');
  await runToEnd(page);
  // The program itself is wrong, too: nothing is hidden.
  await tab(page, 'Output').click();
  expect(await output(page).innerText()).toContain('close: False');
  await tab(page, 'Passes').click();
  const broken = page.getByRole('button', { name: /broke element/ });
  await broken.waitFor();
  expect((await broken.innerText()).replace(/\d+(?=, spoil)/, '…')).toBe(
    '✗ Pass …, spoil, broke element out_ptr[0]',
  );
  const row = page.locator('.pass-row').filter({ hasText: 'spoil' });
  expect(await row.locator('.sign.fail').innerText()).toBe('✗');
  // Those before it hold, those after it change nothing more.
  expect(await page.locator('.pass-row .sign.fail').count()).toBe(1);
  await broken.click();
  expect(await row.getAttribute('aria-selected')).toBe('true');
  const verdict = page.locator('.pass-main .notice.fail');
  expect(await verdict.innerText()).toMatch(
    /Verified: this pass changed the result: out_ptr\[0\] was [\d.]+, became [\d.]+/,
  );
  const [was, became] = [.../was ([\d.]+), became ([\d.]+)/.exec(await verdict.innerText())!]
    .slice(1)
    .map(Number);
  expect(became! / was!).toBeCloseTo(1.5, 5);
  // And the diff shows what it did.
  await page.keyboard.press('d');
  await page.locator('.pass-main .monaco-diff-editor').waitFor();
  await expectCode(page, '.pass-main .editor.modified').toContain('3.0');
  expect(errors).toEqual([]);
  await page.context().close();
});
