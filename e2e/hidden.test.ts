/**
 * Characters of strangers that reorder or draw nothing, in every place that shows a text or a name
 * of theirs: what a program says in each panel, and names of files by each way a file comes in. No
 * element outside of an editor, which marks them by itself, holds one.
 */
import { zipSync } from 'fflate';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { linkTo, printed, saying } from './attack';
import { openSite, ready, runToEnd, tab, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

const PANELS = ['Output', 'Problems', 'Compare', 'Timing', 'Passes', 'WGSL', 'Memory', 'Layout'];

/** Reorders, hides, and is no letter: what a page shows of it has to say so. */
const ODD = 'n\u202Egnp\u2066\u200B\u00AD\uFEFF';
const RAW =
  '[\\u061C\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069\\u200B\\u00AD\\u2060\\uFEFF\\u3164]';

/** Places outside of editors that hold such a character: their text, or an attribute of theirs. */
function unmarked(page: Page): Promise<string[]> {
  return page.evaluate((pattern) => {
    const found: string[] = [];
    const odd = new RegExp(pattern, 'u');
    const seen = ['title', 'aria-label', 'aria-description', 'alt', 'download', 'placeholder'];
    for (const element of document.body.querySelectorAll('*')) {
      if (element.closest('.monaco-editor, .cm-editor, textarea, script, style')) continue;
      const own = [...element.childNodes].filter(({ nodeType }) => nodeType === 3);
      const texts = [
        ...own.map((node) => node.textContent ?? ''),
        ...seen.map((name) => element.getAttribute(name) ?? ''),
      ];
      for (const text of texts)
        if (odd.test(text)) found.push(`${element.tagName}.${element.className}: ${text}`);
    }
    return odd.test(document.title) ? [...found, `title: ${document.title}`] : found;
  }, RAW);
}

it('marks characters that reorder or hide, in every panel', async () => {
  const { page, errors } = await visit(site);
  await ready(page);
  const { hash } = new URL(linkTo('http://localhost/', ODD, saying(ODD)));
  await page.evaluate((to) => void (location.hash = to), hash);
  await page.locator('.editor .view-line').filter({ hasText: 'SAID' }).first().waitFor();
  await runToEnd(page);
  expect(await printed(page)).toContain('[U+202E]');
  const marked: string[] = [];
  for (const panel of PANELS) {
    if ((await tab(page, panel).count()) === 0) continue;
    await tab(page, panel).click();
    await page.waitForTimeout(500);
    expect(await unmarked(page), panel).toEqual([]);
    const text = await page.locator('.tabpanel[data-state=active]').innerText();
    if (text.includes('[U+202E]')) marked.push(panel);
  }
  expect(marked).toEqual(expect.arrayContaining(['Output', 'Timing', 'WGSL']));
  expect(errors).toEqual([]);
  // One that gets through is found.
  await page.evaluate(
    (text) =>
      void document.body.append(Object.assign(document.createElement('p'), { title: text })),
    ODD,
  );
  expect(await unmarked(page)).toHaveLength(1);
  await page.context().close();
});

/** Names of files that strangers chose, and a name that is longer than any. */
const NAMES = [
  'a\u202Eyp.py',
  'ma\u200Bin.py',
  'm\u0430in.py',
  'a\nb.py',
  'c\0d.py',
  `${'n'.repeat(10_000)}.py`,
];
const TEXT = 'print(1)\n';
const notebook = (name: string): Buffer =>
  Buffer.from(
    JSON.stringify({
      nbformat: 4,
      nbformat_minor: 5,
      metadata: { title: name },
      cells: [
        { cell_type: 'code', source: `%%writefile ${name}\n${TEXT}` },
        { cell_type: 'code', source: TEXT },
      ],
    }),
  );
const zipped = (files: Readonly<Record<string, string | Buffer>>): Buffer =>
  Buffer.from(
    zipSync(
      Object.fromEntries(
        Object.entries(files).map(([name, text]) => [
          name,
          new Uint8Array(typeof text === 'string' ? Buffer.from(text) : text),
        ]),
      ),
    ),
  );

/** Every way a file comes in, with a name that is not what it seems. */
const OPENED: Readonly<
  Record<string, (name: string) => { readonly name: string; readonly buffer: Buffer }>
> = {
  'a file': (name) => ({ name: name.slice(-200), buffer: Buffer.from(TEXT) }),
  'an archive with a file': (name) => ({
    name: 'a.zip',
    buffer: zipped({ [name]: TEXT, 'b.py': TEXT }),
  }),
  'an archive with another file': (name) => ({
    name: 'a.zip',
    buffer: zipped({ [`${name}.bin`]: TEXT, 'b.py': TEXT }),
  }),
  'an archive with a notebook': (name) => ({
    name: 'a.zip',
    buffer: zipped({ [`${name}.ipynb`]: notebook('c.py') }),
  }),
  'an archive of this name': (name) => ({
    name: `${name.slice(-200)}.zip`,
    buffer: zipped({ 'b.py': TEXT }),
  }),
  'no archive': (name) => ({ name: `${name.slice(-200)}.zip`, buffer: Buffer.from('no archive') }),
  'a notebook': (name) => ({ name: `${name.slice(-200)}.ipynb`, buffer: notebook(name) }),
  'no notebook': (name) => ({ name: `${name.slice(-200)}.ipynb`, buffer: Buffer.from('{') }),
  'no wheel': (name) => ({
    name: `${name.slice(-200)}-1-py3-none-any.whl`,
    buffer: zipped({ [name]: TEXT }),
  }),
  'no trace': (name) => ({ name: `${name.slice(-200)}.ndjson`, buffer: Buffer.from('{}\n') }),
  'a link': (name) => ({
    name: 'a.hippocamp',
    buffer: Buffer.from(new URL(linkTo('http://localhost/', name, TEXT)).hash.slice('#/s/'.length)),
  }),
  weights: (name) => ({ name: `${name.slice(-200)}.safetensors`, buffer: Buffer.from('12345678') }),
};

it('marks them in names of whatever is opened, and bounds those', async () => {
  const { page, errors } = await visit(site);
  await page.locator('.editor .view-line').first().waitFor();
  await page.keyboard.press('Alt+o');
  const found: string[] = [];
  const silent: string[] = [];
  for (const [what, make] of Object.entries(OPENED))
    for (const name of NAMES) {
      if ((await page.getByRole('dialog').count()) === 0) await page.keyboard.press('Alt+o');
      const dialog = page.getByRole('dialog', { name: 'My programs' });
      const before = await page.locator('body').innerText();
      const file = make(name);
      // A system takes no NUL in a name, and a browser hands none on.
      await dialog
        .locator('input[type=file]')
        .setInputFiles({ ...file, name: file.name.replaceAll('\0', ''), mimeType: '' });
      await page.waitForTimeout(400);
      const now = await page.locator('body').innerText();
      if (now === before) silent.push(`${what} ${JSON.stringify(name.slice(0, 20))}`);
      found.push(...(await unmarked(page)).map((each) => `${what}: ${each.slice(0, 300)}`));
      if (now.includes('n'.repeat(400))) found.push(`${what}: a name of 10,000 characters`);
      for (const title of ['Trace', 'Packages'])
        if ((await page.getByRole('dialog', { name: new RegExp(`^${title}`) }).count()) > 0)
          await page.keyboard.press('Escape');
    }
  expect(found).toEqual([]);
  expect(silent).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
});
