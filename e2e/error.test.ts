/** Errors at their line: Python's, the compiler's, and comparisons that fail. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { doubling, openSite, output, ready, runToEnd, tab, visit, type Site } from './page';

const ROOT = join(import.meta.dirname, '..');
let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

it('shows a Python exception at its line, with the traceback', async () => {
  const { page } = await visit(site, {
    text: 'def inner(values):\n    return values[3]\n\n\nprint(inner([1]))\n',
  });
  await ready(page);
  await runToEnd(page);
  const card = output(page).getByRole('alert');
  expect(await card.innerText()).toContain('IndexError: list index out of range');
  expect(await card.innerText()).toContain('vector_add.py:2');
  // What Python wrote to stderr is the card's, and stands nowhere else.
  expect(await card.innerText()).toContain('line 5');
  expect((await output(page).innerText()).match(/Traceback \(/g)).toHaveLength(1);
  await page.locator('.editor .glyph-fail').waitFor();
  await page.getByRole('button', { name: '1 problem', exact: true }).waitFor();
  await page.context().close();
});

it('shows a compile error at its line', async () => {
  const { page } = await visit(site, {
    text: doubling(1).replace('tl.arange(0, BLOCK)', 'tl.arange(0, 100)'),
  });
  await ready(page);
  await runToEnd(page);
  const card = output(page).getByRole('alert').first();
  expect(await card.innerText()).toMatch(/power of (2|two)/i);
  expect(await card.innerText()).toContain('vector_add.py:9');
  await page.context().close();
});

it('shows a failed comparison first, with the first mismatch and a heatmap', async () => {
  const { page } = await visit(site, { text: doubling(1.5) });
  await ready(page);
  await runToEnd(page);
  expect(await tab(page, 'Compare').getAttribute('data-state')).toBe('active');
  expect(await page.locator('[data-passed=false]').count()).toBe(1);
  const failed = await page.locator('[data-passed=false]').innerText();
  expect(failed).toMatch(/of 5,000 elements differ/);
  expect(failed).toMatch(/First mismatch at \[0\]: got .*, expected /);
  await page.getByRole('img', { name: 'Errors of out by element' }).waitFor();
  await page.locator('.editor .glyph-mismatch').waitFor();
  await page.context().close();
});

it('survives a syntax error', async () => {
  const { page, errors } = await visit(site, { text: 'print("kept"\n' });
  await ready(page);
  await runToEnd(page);
  expect(await output(page).getByRole('alert').first().innerText()).toContain(
    "'(' was never closed",
  );
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('End');
  await page.keyboard.type(')');
  await runToEnd(page);
  expect(await output(page).innerText()).toContain('kept');
  expect(errors).toEqual([]);
  await page.context().close();
});

/**
 * Everything that says a problem: the status bar, the list, the squiggle, the margin and the hover.
 */
async function marked(page: Page, line: number, word: string): Promise<void> {
  const bar = page.getByRole('button', { name: '1 problem', exact: true });
  await bar.waitFor();
  await bar.click();
  const entry = page.locator('.problems .problem');
  await entry.getByText(new RegExp(`:${line}$`)).waitFor();
  expect(await entry.count()).toBe(1);
  // The editor draws the lines in view.
  await entry.click();
  await bar.click();
  await page.locator('.editor .squiggly-error').first().waitFor();
  await page.locator('.editor .glyph-fail').waitFor();
  await page.locator('.editor .view-line').getByText(word).first().hover();
  await page.locator('.monaco-hover').getByText('HC0202').waitFor();
}

it('marks what the specialization that ran cannot do, also after a reload', async () => {
  const { page } = await visit(site, {
    text: readFileSync(join(ROOT, 'public', 'examples', 'fused_attention.py'), 'utf8')
      // Charts take long, and are nothing to this test.
      .replace('benchmark.run(print_data=True)', ''),
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await ready(page);
  await runToEnd(page);
  const right = 'tl.dot(p.to(v.dtype), v, acc';
  const editor = page.locator('.editor .monaco-editor textarea, .editor .native-edit-context');
  await editor.first().focus();
  await page.keyboard.press('Control+h');
  await page.keyboard.insertText(right);
  await page.keyboard.press('Tab');
  await page.keyboard.insertText('tl.dot(p, tl.trans(v), acc');
  await page.keyboard.press('Control+Alt+Enter');
  await page.keyboard.press('Escape');
  await marked(page, 53, 'trans');
  await page.reload();
  await marked(page, 53, 'trans');
  await page.context().close();
});
