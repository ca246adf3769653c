/** The pass viewer: list, keys, diff, and one selected line in every pane. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PIPELINE } from '../compiler/pipeline';
import { eventually, expectCode } from './expectCode';
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
  await eventually(() => selected.getAttribute('id')).not.toBe(first);
  await page.keyboard.press('k');
  await eventually(() => selected.getAttribute('id')).toBe(first);

  await page.keyboard.press('c');
  await eventually(() => options.count()).toBeLessThan(all);
  await page.keyboard.press('c');
  await eventually(() => options.count()).toBe(all);

  await page.keyboard.press('j');
  await page.keyboard.press('d');
  await page.locator('.pass-main .monaco-diff-editor').waitFor();
  await page.keyboard.press('d');
  await page.locator('.pass-main .monaco-diff-editor').waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
  await page.context().close();
});

it('shows what real Triton made of a gallery program, linked with its lines', async () => {
  const { page, errors } = await visit(site);
  await ready(page);
  await runToEnd(page);
  await tab(page, 'Passes').click();
  const list = page.getByRole('listbox', { name: 'Passes' });
  await list.getByRole('option', { name: 'TTGIR' }).click();
  await page
    .locator('.pass-main')
    .getByText(/by Triton 3\.8\.0 for sm_90/)
    .waitFor();
  await page
    .locator('.pass-main')
    .getByText(/num_warps 4, num_stages 3/)
    .waitFor();
  await expectCode(page, '.pass-main').toContain('#ttg.blocked');
  // The next and the last level; then back over the first one to the last pass.
  await page.keyboard.press('j');
  await expectCode(page, '.pass-main').toContain('.target sm_90a');
  for (const _ of ['TTGIR', 'TTIR', 'the last pass']) await page.keyboard.press('k');
  await page.locator('.pass-list [aria-selected=true][id^=pass-]').waitFor();
  await list.getByRole('option', { name: 'PTX' }).click();
  // A changed text is no longer the recorded one.
  await page.locator('.editor textarea, .editor .native-edit-context').first().focus();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.insertText('# changed');
  await page.getByText('which you have changed: lines are not linked').waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

it('finds passes by name and by what their IR holds', async () => {
  const { page } = await visit(site, { text: doubling(1) });
  await tab(page, 'Passes').click();
  const options = page.getByRole('listbox', { name: 'Passes' }).getByRole('option');
  await options.first().waitFor();
  await page.getByRole('searchbox').fill('no such thing');
  await eventually(() => options.count()).toBe(0);
  await page.getByRole('searchbox').fill('tt.get_program_id');
  await eventually(() => options.count()).toBeGreaterThan(0);
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
  await eventually(() => codeIn(page, '.wgsl')).toContain('x_ptr[');
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

/** Turns check mode on. */
async function checkMode(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('checkbox', { name: 'Verify compiler passes' }).check();
  await page.keyboard.press('Escape');
}

it('checks every pass, and the GPU, on the inputs of a launch', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await ready(page);
  await checkMode(page);
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

/** The gallery's program up to a line, with smaller shapes: check mode interprets every pass. */
function shortened(
  file: string,
  end: string,
  changes: readonly (readonly [string, string])[],
): string {
  const text = readFileSync(join(import.meta.dirname, '../public/examples', file), 'utf8');
  const [program = '', rest] = text.split(end);
  expect(rest, `${file} has ${end}`).toBeDefined();
  return changes.reduce((now, [from, to]) => {
    expect(now).toContain(from);
    return now.replaceAll(from, to);
  }, program);
}
const MATMUL = shortened('matmul.py', 'three = matmul_in_three', [
  ['(64, 128, 16, 4),\n        (128, 64, 16, 4),\n        (128, 128, 16, 8),', ''],
  ['        (64, 64, 32, 4),\n', ''],
  ['(600, 200)', '(70, 40)'],
  ['(200, 390)', '(40, 50)'],
  ['randn(390,', 'randn(50,'],
]);
const ATTENTION = shortened('fused_attention.py', '@triton.testing.perf_report', [
  ['(2, 3, 200, 64)', '(1, 2, 70, 32)'],
  ['in (False, True):', 'in (True,):'],
]);

it.each([
  ['matmul', 'matmul_kernel', MATMUL],
  ['fused attention', 'attention_kernel', ATTENTION],
])('checks %s to the last pass, for all programs', async (_, kernel, text) => {
  const { page, errors } = await visit(site, { text });
  await ready(page);
  await checkMode(page);
  await runToEnd(page);
  expect(await output(page).innerText()).toMatch(/as PyTorch computes it: True/);
  await tab(page, 'Passes').click();
  await page.getByText(/GPU result (matches the IR|differs from the IR by rounding)/).waitFor();
  // Thread IR was interpreted for as many programs as tiles: else the panel says how few.
  expect(await page.getByText(/thread IR for/).count()).toBe(0);
  const rows = page.locator('.pass-row');
  expect(await rows.locator('.name').allInnerTexts()).toEqual(PIPELINE.map(({ name }) => name));
  // The right result, or rounded in another order: a dot's sums.
  const fine = page.locator('.pass-row .sign.pass, .pass-row .sign.warn');
  expect(await fine.count()).toBe(PIPELINE.length);
  await rows.last().click();
  await expectCode(page, '.pass-main').toContain(`thread.func @${kernel}`);
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

/** The doubling program, run to its end in check mode with the passes that a script adds. */
async function runWithFault(script: string): ReturnType<typeof visit> {
  const visited = await visit(site, { text: doubling(1) });
  const { page } = visited;
  await prefixScripts(page.context(), '**/*Worker-*.js', script);
  await page.reload();
  await ready(page);
  await checkMode(page);
  await runToEnd(page);
  return visited;
}

it('names the pass that broke the program, and the first element that it broke', async () => {
  const { page, errors } = await runWithFault(BROKEN);
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
  await eventually(() => row.getAttribute('aria-selected')).toBe('true');
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

/** What \`emit\` prints doubles no more. */
const MISPRINTED = `
globalThis.hippocampPasses = [{
  name: 'misprint',
  into: ${PIPELINE.findIndex(({ name }) => name === 'emit')},
  runText: (kernel) => ({ ...kernel, wgsl: kernel.wgsl.replace(/\\b2\\.0f/g, '3.0f') }),
}];
`;

it('names emit where the IR is right and the WGSL is not', async () => {
  const { page, errors } = await runWithFault(MISPRINTED);
  await tab(page, 'Output').click();
  expect(await output(page).innerText()).toContain('close: False');
  await tab(page, 'Passes').click();
  const broken = page.getByRole('button', { name: /broke element/ });
  await broken.waitFor();
  expect((await broken.innerText()).replace(/\d+(?=, emit)/, '…')).toBe(
    '✗ Pass …, emit, broke element out_ptr[0]',
  );
  expect(await page.locator('.pass-row .sign.fail').count()).toBe(1);
  await broken.click();
  const verdict = page.locator('.pass-main .notice.fail');
  expect(await verdict.innerText()).toContain('the WGSL is wrong, or the GPU');
  expect(await page.getByText('GPU result differs from the IR:').count()).toBe(1);
  expect(errors).toEqual([]);
  await page.context().close();
});

it('compiles as if for another GPU, says so, and keeps to it in the next visit', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await tab(page, 'WGSL').click();
  const select = page.getByLabel('Compile as if for another GPU');
  await select.selectOption('geforce-d3d12');
  await page.getByText('This is what NVIDIA GeForce, D3D12 would get, not what ran.').waitFor();
  const lines = page.locator('.wgsl .view-line');
  await lines.filter({ hasText: '@builtin(workgroup_id) program: vec3<u32>' }).waitFor();
  await select.selectOption('swiftshader');
  // A CPU's launches are cut into slices.
  await lines.filter({ hasText: '@builtin(num_workgroups)' }).waitFor();

  await page.reload();
  await tab(page, 'Passes').click();
  const notice = page.getByRole('status').filter({ hasText: 'what SwiftShader would get' });
  await notice.waitFor();
  await notice.getByRole('button').click();
  await notice.waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
  await page.context().close();
});
