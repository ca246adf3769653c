/**
 * Programs from addresses and from files that are dropped. The hosts answer as GitHub, its API,
 * gists and Hugging Face do; nothing else is reachable.
 */
import { strToU8, zipSync } from 'fflate';
import type { BrowserContext, Page, Route } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bookmarklet } from '../app/open/bookmarklet';
import { dropFiles } from './drop';
import { codeIn, doubling, openSite, output, ready, runToEnd, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: false });
});
afterAll(() => site.close());

const CORS = { 'access-control-allow-origin': '*' };
const PLAIN = { ...CORS, 'content-type': 'text/plain; charset=utf-8' };
const JSON_TYPE = { ...CORS, 'content-type': 'application/json; charset=utf-8' };

type Answer = Parameters<Route['fulfill']>[0];
/** Answers by address; others are not found. @returns the addresses that were requested. */
async function hosts(
  context: BrowserContext,
  answers: Readonly<Record<string, Answer>>,
): Promise<string[]> {
  const asked: string[] = [];
  await context.route(/^https:\/\//, async (route) => {
    const url = route.request().url();
    asked.push(url);
    expect(route.request().headers()['referer']).toBeUndefined();
    expect(route.request().headers()['cookie']).toBeUndefined();
    const missing = { status: 404, headers: PLAIN, body: '404: Not Found' };
    await route.fulfill(answers[url] ?? missing);
  });
  return asked;
}

async function openDialog(page: Page) {
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('What do you want to do?').fill('open from a url');
  await page.getByRole('option', { name: /^Open from a URL/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Open from a URL' });
  await dialog.waitFor();
  return dialog;
}

const KERNEL = doubling(1).replace('import torch\n', 'import torch\nfrom .scale import FACTOR\n');
const REPOSITORY = 'https://raw.githubusercontent.com/someone/kernels/main';

it('fetches a file with the modules that it imports, after the click that names the host', async () => {
  const { page, errors } = await visit(site, { text: '# my own work\n' });
  const asked = await hosts(page.context(), {
    [`${REPOSITORY}/ops/double.py`]: { headers: PLAIN, body: `${KERNEL}print("x", FACTOR)\n` },
    [`${REPOSITORY}/ops/scale.py`]: { headers: PLAIN, body: 'FACTOR = 1\n' },
  });
  await ready(page);
  const address = 'https://github.com/someone/kernels/blob/main/ops/double.py';
  await page.evaluate((to) => void (location.hash = `/open/${to}`), address);
  const dialog = page.getByRole('dialog', { name: 'Open from a URL' });
  await dialog.getByText('someone/kernels/ops/double.py').waitFor();
  const button = dialog.getByRole('button', { name: 'Fetch from raw.githubusercontent.com' });
  await button.waitFor();
  expect(asked).toEqual([]);
  await button.click();
  await page.getByText(/Opened “double” as a new program. Nothing ran yet. 2 files/).waitFor();
  expect(asked).toEqual([`${REPOSITORY}/ops/double.py`, `${REPOSITORY}/ops/scale.py`]);
  expect(await output(page).getByText('first:').count()).toBe(0);
  expect(new URL(page.url()).hash).toBe('');
  await page.getByRole('tab', { name: 'ops/double.py', selected: true }).waitFor();
  await runToEnd(page);
  await output(page).getByText('x 1').waitFor();
  await output(page).getByText('close: True').waitFor();
  // The text of the editor before is a program of its own.
  await page.getByRole('button', { name: /^Program: / }).click();
  await page.getByRole('menuitemradio', { name: /Vector add/ }).click();
  await expect.poll(() => codeIn(page, '.editor')).toContain('# my own work');
  expect(errors).toEqual([]);
  await page.context().close();
});

it('opens a folder, a gist and a kernel of Hugging Face by their lists', async () => {
  const { page, errors } = await visit(site);
  const commit = 'fc6274d15fa3ae2ab983129fb037999f264ba9a7';
  const blob = (path: string, size: number) => ({
    path,
    mode: '100644',
    type: 'blob',
    sha: commit,
    size,
    url: `https://api.github.com/repos/someone/kernels/git/blobs/${commit}`,
  });
  const gistId = 'aa5a315d61ae9438b18daa5a315d61ae';
  const asked = await hosts(page.context(), {
    'https://api.github.com/repos/someone/kernels/git/trees/main?recursive=1': {
      headers: JSON_TYPE,
      body: JSON.stringify({
        sha: commit,
        url: `https://api.github.com/repos/someone/kernels/git/trees/${commit}`,
        tree: [
          blob('README.md', 30),
          { path: 'ops', mode: '040000', type: 'tree', sha: commit, url: '' },
          blob('ops/scale.py', 11),
          blob('ops/run.py', 60),
          blob('tests/test_ops.py', 9),
        ],
        truncated: false,
      }),
    },
    [`${REPOSITORY}/ops/scale.py`]: { headers: PLAIN, body: 'FACTOR = 3\n' },
    [`${REPOSITORY}/ops/run.py`]: {
      headers: PLAIN,
      body: 'from scale import FACTOR\nif __name__ == "__main__":\n    print("factor", FACTOR)\n',
    },
    [`https://api.github.com/gists/${gistId}`]: {
      headers: JSON_TYPE,
      body: JSON.stringify({
        id: gistId,
        description: 'A <b>kernel</b> of mine',
        public: true,
        truncated: false,
        files: {
          'kernel.py': {
            filename: 'kernel.py',
            type: 'application/x-python',
            language: 'Python',
            raw_url: `https://gist.githubusercontent.com/someone/${gistId}/raw/${commit}/kernel.py`,
            size: 20,
            truncated: true,
            content: 'print("gi',
          },
          'notes.md': { filename: 'notes.md', type: 'text/markdown', size: 2, content: 'hi' },
        },
      }),
    },
    [`https://gist.githubusercontent.com/someone/${gistId}/raw/${commit}/kernel.py`]: {
      headers: PLAIN,
      body: 'print("gist")\n',
    },
    'https://huggingface.co/api/models/kernels-community/scale/tree/main?recursive=true': {
      headers: JSON_TYPE,
      body: JSON.stringify([
        { type: 'directory', oid: commit, size: 0, path: 'torch-ext' },
        { type: 'file', oid: commit, size: 9, path: 'build.toml' },
        { type: 'file', oid: commit, size: 30, path: 'torch-ext/scale/__init__.py' },
        { type: 'file', oid: commit, size: 30, path: 'torch-ext/scale/layers.py' },
      ]),
    },
    'https://huggingface.co/kernels-community/scale/raw/main/torch-ext/scale/__init__.py': {
      headers: PLAIN,
      body: 'from .layers import F\nprint("F is", F)\n',
    },
    'https://huggingface.co/kernels-community/scale/raw/main/torch-ext/scale/layers.py': {
      headers: PLAIN,
      body: 'F = 5\n',
    },
  });
  await ready(page);
  const open = async (address: string, button: string) => {
    const dialog = await openDialog(page);
    await dialog.getByRole('textbox', { name: 'Address' }).fill(address);
    await dialog.getByRole('button', { name: button, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  const both = 'Fetch from api.github.com and raw.githubusercontent.com';
  await open('https://github.com/someone/kernels/tree/main/ops', both);
  await page.getByRole('tab', { name: 'scale.py' }).waitFor();
  expect(await page.getByRole('tab', { name: 'test_ops.py' }).count()).toBe(0);
  await runToEnd(page);
  await output(page).getByText('factor 3').waitFor();
  await open(
    `https://gist.github.com/someone/${gistId}`,
    'Fetch from api.github.com and gist.githubusercontent.com',
  );
  await page.getByText('Opened “A <b>kernel</b> of mine” as a new program.').waitFor();
  await page.getByText('Left out, not Python: notes.md.').waitFor();
  await expect.poll(() => codeIn(page, '.editor')).toContain('print("gist")');
  await open('https://huggingface.co/kernels-community/scale', 'Fetch from huggingface.co');
  await page.getByRole('tab', { name: 'scale/layers.py' }).waitFor();
  await runToEnd(page);
  await output(page).getByText('F is 5').waitFor();
  expect([...new Set(asked.map((url) => new URL(url).host))].toSorted()).toEqual([
    'api.github.com',
    'gist.githubusercontent.com',
    'huggingface.co',
    'raw.githubusercontent.com',
  ]);
  expect(errors).toEqual([]);
  await page.context().close();
});

it('says of what cannot be opened why, and what to do, and keeps the text', async () => {
  const { page, errors } = await visit(site, { text: '# my own work\n' });
  const notebook = {
    cells: [{ cell_type: 'code', source: ['x = 1'], outputs: ['x'.repeat(40e6)] }],
  };
  const raw = (path: string) => `https://raw.githubusercontent.com/o/r/main/${path}`;
  const asked = await hosts(page.context(), {
    [raw('html.py')]: { headers: PLAIN, body: '\n<!DOCTYPE html>\n<title>Sign in</title>' },
    [raw('big.ipynb')]: { headers: PLAIN, body: JSON.stringify(notebook) },
    // Playwright lets everybody read an answer that does not say who may.
    [raw('cors.py')]: {
      headers: { ...PLAIN, 'access-control-allow-origin': 'https://github.com' },
      body: 'x = 1',
    },
    [raw('moved.py')]: {
      status: 301,
      headers: { ...CORS, location: 'https://elsewhere.example/a.py' },
    },
    [raw('binary.py')]: { headers: PLAIN, body: Buffer.from([1, 0, 2]) },
    [raw('large.py')]: { headers: PLAIN, body: `x = "${'y'.repeat(3e6)}"` },
    [raw('lfs.py')]: {
      headers: PLAIN,
      body: 'version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 9\n',
    },
    [raw('julia.ipynb')]: {
      headers: PLAIN,
      body: '{"metadata":{"kernelspec":{"language":"julia"}},"cells":[{"cell_type":"code","source":"x"}]}',
    },
    'https://huggingface.co/o/private/raw/main/a.py': {
      status: 401,
      headers: { ...CORS, 'x-error-code': 'RepoNotFound' },
      body: 'Invalid username or password.',
    },
    'https://api.github.com/repos/o/r/git/trees/main?recursive=1': {
      status: 403,
      headers: {
        ...JSON_TYPE,
        'access-control-expose-headers': 'X-RateLimit-Remaining',
        'x-ratelimit-remaining': '0',
      },
      body: '{"message":"API rate limit exceeded for 203.0.113.7."}',
    },
  });
  const dialog = await openDialog(page);
  const field = dialog.getByRole('textbox', { name: 'Address' });
  const alert = dialog.getByRole('alert');
  const cases = [
    ['github.com/o/r/blob/main/gone.py', /no such file, or it is private.*paste.*drop/],
    ['github.com/o/r/blob/main/html.py', /html\.py is a web page \(HTML\), not Python/],
    ['github.com/o/r/blob/main/big.ipynb', /big\.ipynb has 40 MB; at most 20 MB are read.*Clear/],
    ['github.com/o/r/blob/main/cors.py', /could not be reached.*CORS.*drop/],
    ['github.com/o/r/blob/main/moved.py', /points to another address, which is not followed/],
    ['github.com/o/r/blob/main/binary.py', /binary\.py is a binary file, not Python/],
    ['github.com/o/r/blob/main/large.py', /large\.py has 3\.0 MB; at most 2\.0 MB are read/],
    ['github.com/o/r/blob/main/lfs.py', /pointer to a large file/],
    ['github.com/o/r/blob/main/julia.ipynb', /notebook in julia, not in Python/],
    ['huggingface.co/o/private/blob/main/a.py', /refused it \(HTTP 401\): it is private.*drop/],
    ['github.com/o/r/tree/main/x', /api\.github\.com answers no more for now.*HTTP 403/],
  ] as const;
  for (const [address, why] of cases) {
    await field.fill(`https://${address}`);
    await dialog.getByRole('button', { name: /^Fetch from / }).click();
    await alert.filter({ hasText: why }).waitFor();
  }
  // Nothing to fetch: the sentence comes at once, and the button has no host.
  await field.fill('javascript:alert(1)');
  await alert.filter({ hasText: 'Only https: addresses are opened' }).waitFor();
  expect(await dialog.getByRole('button', { name: /^Fetch/ }).isDisabled()).toBe(true);
  expect(asked.some((url) => url.includes('elsewhere'))).toBe(false);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => codeIn(page, '.editor')).toContain('# my own work');
  expect(errors).toEqual([]);
  await page.context().close();
});

it('shows markup in names and answers as text', async () => {
  const { page, errors } = await visit(site);
  await hosts(page.context(), {});
  const name = '<img src=x onerror="document.title=1">\u202Egnp.py';
  const link = `${site.address}#/open/https://github.com/o/r/blob/main/${encodeURIComponent(name)}`;
  await page.goto(link);
  const dialog = page.getByRole('dialog', { name: 'Open from a URL' });
  await dialog.getByText('o/r/<img src=x onerror=').waitFor();
  expect(await dialog.locator('img').count()).toBe(0);
  await dialog.getByRole('button', { name: /^Fetch from raw/ }).click();
  await dialog.getByRole('alert').filter({ hasText: 'no such file' }).waitFor();
  expect(await page.title()).not.toBe('1');
  expect(errors).toEqual([]);
  await page.context().close();
});

it('has a bookmarklet that brings the page in view here', async () => {
  const { page } = await visit(site);
  const dialog = await openDialog(page);
  const link = dialog.getByRole('link', { name: 'Open in Hippocamp' });
  expect(await link.getAttribute('href')).toBe(bookmarklet(site.address));
  const code = bookmarklet(site.address).replace('javascript:', '');
  const github = await page.context().newPage();
  await github.route('https://github.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>double.py at main</title>' }),
  );
  await github.goto('https://github.com/o/r/blob/main/a%20b.py?plain=1#L3');
  const opening = page.context().waitForEvent('page');
  await github.evaluate(code);
  const there = await opening;
  await there.getByRole('dialog', { name: 'Open from a URL' }).getByText('o/r/a b.py').waitFor();
  await page.context().close();
});

it('takes notebooks, files and archives that are dropped on the editor', async () => {
  const { page, errors } = await visit(site, { text: '# my own work\n' });
  await page.locator('.editor .view-line').filter({ hasText: 'my own work' }).waitFor();
  const notebook = {
    nbformat: 4,
    nbformat_minor: 0,
    metadata: { colab: { provenance: [] } },
    cells: [
      { cell_type: 'code', metadata: {}, source: ['!pip install triton\n', 'y = 5'], outputs: [] },
      { cell_type: 'code', metadata: {}, source: ['print("y is", y)'], outputs: [] },
    ],
  };
  await dropFiles(page, [{ name: 'mine.ipynb', bytes: strToU8(JSON.stringify(notebook)) }]);
  await page.getByText('Imported “mine.ipynb”: its cells as one program.').waitFor();
  await page.getByText('Not installed: !pip install triton.').waitFor();
  await expect.poll(() => codeIn(page, '.editor')).toContain('print("y is", y)');
  await dropFiles(page, [{ name: 'kernel.py', bytes: strToU8('dropped = 1\n') }]);
  await expect.poll(() => codeIn(page, '.editor')).toContain('dropped = 1');
  const slip = zipSync({ 'main.py': strToU8('slip = 1\n'), '../../../etc/x.py': strToU8('x\n') });
  await dropFiles(page, [{ name: 'slip.zip', bytes: slip }]);
  await page
    .getByText('Names that lead out of the archive stay inside: ../../../etc/x.py.')
    .waitFor();
  await page.getByRole('tab', { name: 'etc/x.py' }).waitFor();
  await dropFiles(page, [{ name: 'none.zip', bytes: strToU8('no archive') }]);
  await page.getByText('none.zip is not a .zip that can be read.').waitFor();
  await dropFiles(page, [{ name: 'half.ipynb', bytes: strToU8('{"cells": [') }]);
  await page.getByText('half.ipynb is no notebook').waitFor();
  const html = strToU8('<!DOCTYPE html>\n<title>Sign in</title>');
  await dropFiles(page, [{ name: 'page.py', bytes: html }]);
  await page.getByText('page.py is a web page (HTML), not Python. Save the file itself').waitFor();
  // The other files are opened.
  const good = { name: 'good.py', bytes: strToU8('kept = 1\n') };
  await dropFiles(page, [{ name: 'login.py', bytes: html }, good]);
  await page.getByText('Left out, web pages (HTML), not Python: login.py.').waitFor();
  await expect.poll(() => codeIn(page, '.editor')).toContain('kept = 1');
  await dropFiles(page, [{ name: 'big.ipynb', bytes: Buffer.alloc(40e6, ' ') }]);
  await page.getByText(/^big\.ipynb has 40 MB; at most 20 MB are read\./).waitFor();
  // All of them are programs beside the first, which is as it was.
  await page.getByRole('button', { name: /^Program: / }).click();
  await page.getByRole('menuitemradio', { name: /Vector add/ }).click();
  await expect.poll(() => codeIn(page, '.editor')).toContain('# my own work');
  expect(errors).toEqual([]);
  await page.context().close();
});
