/**
 * axe over every panel and dialog, in three themes, on a large and a small screen: no serious
 * finding. WCAG 2.2 A and AA. Monaco's own inside is its makers' and is left out, but not the space
 * it stands in.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { doubling, openSite, ready, runToEnd, tab, visit, type Site } from './page';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

/** Serious and critical findings, one line each. */
async function findings(page: Page, where: string): Promise<string[]> {
  return page.evaluate(
    async ([name, tags]) => {
      const { axe: checker } = window as unknown as { axe: typeof axe };
      const { violations } = await checker.run(
        { exclude: [['.monaco-editor']] },
        { runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'] },
      );
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .flatMap(({ id, nodes }) =>
          nodes.slice(0, 3).map((node) => `${name}: ${id}: ${node.html.slice(0, 140)}`),
        );
    },
    [where, TAGS] as const,
  );
}

it.concurrent.each(['light', 'dark', 'contrast'] as const)(
  'has no serious finding in any panel: %s',
  async (theme) => {
    const { page, errors } = await visit(site, { text: doubling(2) });
    await page.evaluate(
      (name) => localStorage.setItem('hippocamp:settings', JSON.stringify({ theme: name })),
      theme,
    );
    await page.reload();
    await ready(page);
    const found: string[] = [];
    await page.evaluate(AXE);
    found.push(...(await findings(page, 'before a run')));
    await runToEnd(page);
    const tabs = await page.getByRole('tablist', { name: 'Panels' }).getByRole('tab').all();
    for (const one of tabs) {
      await one.click();
      await page.waitForTimeout(400);
      found.push(...(await findings(page, (await one.innerText()).replace(/\s+/g, ' '))));
    }
    await page.keyboard.press('Alt+s');
    found.push(...(await findings(page, 'split')));
    for (const keys of ['Control+k', 'F1', 'Control+s', 'Alt+o', 'Alt+h']) {
      await page.keyboard.press(keys);
      await page.getByRole('dialog').waitFor();
      await page.waitForTimeout(300);
      found.push(...(await findings(page, keys)));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.getByRole('button', { name: 'Settings' }).click();
    found.push(...(await findings(page, 'settings')));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Program: / }).click();
    found.push(...(await findings(page, 'programs')));
    expect(found).toEqual([]);
    expect(errors).toEqual([]);
    await page.context().close();
  },
);

it('has none on a phone, nor in the lessons', async () => {
  const { page } = await visit(site, { viewport: { width: 390, height: 844 }, text: doubling(1) });
  await page.getByRole('textbox', { name: 'Program' }).waitFor();
  await page.evaluate(AXE);
  const found = await findings(page, 'phone');
  await page.getByRole('button', { name: 'Results' }).click();
  found.push(...(await findings(page, 'phone, results')));
  await tab(page, 'Prove').click();
  await page.getByRole('button', { name: 'Prove the program' }).waitFor();
  found.push(...(await findings(page, 'phone, prove')));
  await page.goto(`${site.address}#/learn`);
  await page.waitForTimeout(1500);
  found.push(...(await findings(page, 'courses')));
  expect(found).toEqual([]);
  await page.context().close();
});

it('can be reached by the keyboard alone, and shows where the focus is', async () => {
  const { page } = await visit(site, { text: doubling(1) });
  await page.locator('.editor .view-line').first().waitFor();
  const seen = new Set<string>();
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press('Tab');
    const focus = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement | null;
      if (!element || element === document.body) return null;
      const style = getComputedStyle(element);
      return {
        name: element.getAttribute('aria-label') ?? element.innerText?.slice(0, 20) ?? '',
        monaco: element.closest('.monaco-editor') !== null,
        outlined: style.outlineStyle !== 'none' && style.outlineWidth !== '0px',
      };
    });
    if (!focus) break;
    if (!focus.monaco) expect(focus.outlined, `no focus ring on ${focus.name}`).toBe(true);
    seen.add(focus.name);
    // Out of the editor, where Tab indents.
    if (focus.monaco) await page.keyboard.press('Alt+1');
  }
  expect([...seen].join('|')).toMatch(/Program: .*Run.*Settings/s);
  await page.context().close();
});
