/**
 * Everything that Monaco lays over the program's text is opaque and readable, in all four themes:
 * each pop-up is opened as a visitor does it, and its computed colours are read.
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cursorBehind, pointAt } from './editing';
import { doubling, openSite, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

const THEMES = [
  ['light', 'light'],
  ['dark', 'dark'],
  ['contrast', 'light'],
  ['contrast', 'dark'],
] as const;

const MISSPELT = 'offsets + tl.arnge(0, 4)';

interface PopUp {
  readonly name: string;
  readonly root: string;
  readonly open: (page: Page) => Promise<void>;
}

const POP_UPS: readonly PopUp[] = [
  {
    name: 'context menu',
    root: '.monaco-menu-container > .monaco-scrollable-element',
    async open(page) {
      await page.locator('.editor .view-line').nth(3).click({ button: 'right' });
      // The page's list of commands, by the page's key: Monaco's own is not in the page.
      await page.getByRole('menuitem', { name: /^All Commands/ }).waitFor();
    },
  },
  {
    name: 'completions with documentation',
    root: '.suggest-widget.visible, .suggest-details-container',
    async open(page) {
      await cursorBehind(page, 'mask = offsets < n');
      await page.keyboard.press('Enter');
      await page.keyboard.type('y = tl.lo');
      await page.locator('.suggest-widget.visible .monaco-list-row').first().waitFor();
      await page.keyboard.press('Control+Space');
      await page.locator('.suggest-details').waitFor();
    },
  },
  {
    name: 'parameter hints',
    root: '.parameter-hints-widget.visible',
    async open(page) {
      await cursorBehind(page, 'x = tl.load(x_ptr + offsets, ');
      await page.keyboard.press('Control+Shift+Space');
    },
  },
  {
    name: 'hover',
    root: '.monaco-hover:not(.hidden)',
    async open(page) {
      await pointAt(page, '.load');
    },
  },
  {
    name: 'find and replace',
    root: '.find-widget.visible',
    async open(page) {
      await cursorBehind(page, 'x = tl.load');
      await page.keyboard.press('Control+h');
    },
  },
  {
    name: 'rename',
    root: '.rename-box',
    async open(page) {
      await cursorBehind(page, '    x');
      await page.keyboard.press('F2');
    },
  },
  {
    name: 'quick fix',
    root: '.action-widget',
    async open(page) {
      await cursorBehind(page, 'offsets + tl.ar');
      await page.keyboard.press('Control+.');
    },
  },
  {
    name: 'next problem',
    root: '.marker-widget',
    async open(page) {
      await cursorBehind(page, 'offsets + tl.ar');
      await page.keyboard.press('Alt+F8');
    },
  },
  {
    name: 'peek',
    root: '.peekview-widget',
    async open(page) {
      await cursorBehind(page, 'x_ptr + off');
      await page.keyboard.press('Control+Shift+F10');
    },
  },
  {
    name: 'go to line',
    root: '.quick-input-widget',
    async open(page) {
      await cursorBehind(page, 'x_ptr + off');
      await page.keyboard.press('Control+g');
    },
  },
  {
    name: 'go to a function',
    root: '.quick-input-widget',
    async open(page) {
      await cursorBehind(page, 'x_ptr + off');
      await page.keyboard.press('Control+Shift+o');
    },
  },
];

/** Text that is seen through or hard to read in the pop-ups that match, one line each. */
function faults(page: Page, selector: string): Promise<string[]> {
  return page.evaluate((wanted) => {
    type Color = readonly [number, number, number, number];
    const context = document.createElement('canvas').getContext('2d', {
      willReadFrequently: true,
    })!;
    const color = (css: string): Color => {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = css;
      context.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
      return [r!, g!, b!, a! / 255];
    };
    const parent = (one: Element): Element | null =>
      one.parentElement ?? (one.getRootNode() as ShadowRoot).host ?? null;
    /** Background of the element's text, as far as the pop-up itself paints it. */
    const behind = (from: Element, root: Element): Color => {
      const sum = [0, 0, 0, 0];
      for (let one: Element | null = from; one; one = parent(one)) {
        const [r, g, b, a] = color(getComputedStyle(one).backgroundColor);
        const weight = (1 - sum[3]!) * a;
        [r, g, b].forEach((part, at) => (sum[at]! += part * weight));
        sum[3]! += weight;
        if (one === root) break;
      }
      return sum as unknown as Color;
    };
    const opacity = (from: Element, root: Element): number => {
      let product = 1;
      for (let one: Element | null = from; one; one = parent(one)) {
        product *= Number(getComputedStyle(one).opacity);
        if (one === root) break;
      }
      return product;
    };
    const luminance = (one: readonly number[]): number => {
      const [r, g, b] = one.map((part) =>
        part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
    };
    const contrast = (text: Color, back: Color): number => {
      const mixed = text.slice(0, 3).map((part, at) => part * text[3] + back[at]! * (1 - text[3]));
      const [high, low] = [luminance(mixed), luminance(back)].toSorted((a, b) => b - a);
      return (high! + 0.05) / (low! + 0.05);
    };
    const roots = [
      ...document.querySelectorAll(wanted),
      ...[...document.querySelectorAll('*')].flatMap((one) =>
        one.shadowRoot ? [...one.shadowRoot.querySelectorAll(wanted)] : [],
      ),
    ].filter((one) => one.getBoundingClientRect().height > 0);
    if (roots.length === 0) return ['it is not there'];
    const found = new Set<string>();
    for (const root of roots) {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      let texts = 0;
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const text = node.textContent!.trim();
        const element = node.parentElement!;
        const style = getComputedStyle(element);
        const shown = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
        if (text === '' || element.tagName === 'STYLE' || !shown) continue;
        if (element.getBoundingClientRect().height < 2) continue;
        texts++;
        const back = behind(element, root);
        if (back[3] < 0.99) found.add(`seen through (${back[3].toFixed(2)}): ${text.slice(0, 40)}`);
        else if (element.closest('.disabled, [aria-disabled=true]') === null) {
          const [r, g, b, a] = color(style.color);
          const ratio = contrast([r, g, b, a * opacity(element, root)], back);
          if (ratio < 4.5) found.add(`contrast ${ratio.toFixed(1)}: ${text.slice(0, 40)}`);
        }
      }
      const own = behind(root, root)[3];
      if (texts === 0 && own < 0.99) found.add(`seen through (${own.toFixed(2)})`);
    }
    return [...found];
  }, selector);
}

it.each(THEMES)('are opaque and readable: %s, %s', async (theme, colorScheme) => {
  const text = doubling(1).replace('x * 2.0', `x * 2.0 * (${MISSPELT})`);
  const { page, errors } = await visit(site, { text, colorScheme });
  await page.evaluate(
    (name) => localStorage.setItem('hippocamp:settings', JSON.stringify({ theme: name })),
    theme,
  );
  const found: string[] = [];
  for (const { name, root, open } of POP_UPS) {
    await page.reload();
    await page.locator('.editor .squiggly-error').first().waitFor();
    await open(page);
    await page.locator(root).first().waitFor();
    await page.waitForTimeout(200);
    found.push(...(await faults(page, root)).map((fault) => `${name}: ${fault}`));
  }
  expect(found).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
});
