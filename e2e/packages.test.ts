/**
 * Packages of Pyodide's index, and wheels that are dropped. The index answers as the public one
 * does; the lock file names one package more, a wheel of the test's own.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { wheelOf } from '../app/packages/testing';
import { dropFiles } from './drop';
import { openSite, output, ready, runToEnd, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: false });
});
afterAll(() => site.close());

const lockFile = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('pyodide/pyodide-lock.json'), 'utf8'),
) as { packages: Record<string, { file_name: string }> };

const FILE = 'shapely_kernels-1.2-py3-none-any.whl';
const WHEEL = wheelOf('shapely_kernels', '1.2', {
  'shapely_kernels/__init__.py': 'from .inner import SCALE\n',
  'shapely_kernels/inner.py': 'SCALE = 7\n',
});
const PROGRAM = `# /// script
# dependencies = ["shapely-kernels"]
# ///
import shapely_kernels
print("scale", shapely_kernels.SCALE)
`;

type Answer = () => { readonly status?: number; readonly body?: Buffer } | null;
/** The index, and the lock file with the package. @returns the index's addresses asked for. */
async function index(context: BrowserContext, answer: Answer, digest = WHEEL): Promise<string[]> {
  const asked: string[] = [];
  await context.route('**/pyodide-lock.json', async (route) => {
    const response = await route.fetch();
    const lock = (await response.json()) as { packages: Record<string, unknown> };
    lock.packages['shapely-kernels'] = {
      name: 'shapely-kernels',
      version: '1.2',
      file_name: FILE,
      install_dir: 'site',
      sha256: createHash('sha256').update(digest).digest('hex'),
      package_type: 'package',
      imports: ['shapely_kernels'],
      depends: [],
    };
    await route.fulfill({ response, json: lock });
  });
  await context.route('https://cdn.jsdelivr.net/**', async (route) => {
    asked.push(route.request().url());
    const given = answer();
    if (!given) await route.abort('internetdisconnected');
    else await route.fulfill({ ...given, headers: { 'access-control-allow-origin': '*' } });
  });
  return asked;
}

it('fetches what a program imports after a click that names the host, keeps and lists it', async () => {
  const { page, errors } = await visit(site, { text: PROGRAM });
  const asked = await index(page.context(), () => ({ body: Buffer.from(WHEEL) }));
  await page.reload();
  await ready(page);
  await runToEnd(page);
  await page
    .getByText('No module named ‘shapely_kernels’')
    .or(page.getByText("No module named 'shapely_kernels'"))
    .first()
    .waitFor();
  expect(asked).toEqual([]);
  await page.getByRole('button', { name: 'Packages…' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Packages' });
  await dialog.getByText('shapely-kernels 1.2').waitFor();
  await dialog.getByRole('button', { name: 'Fetch shapely-kernels from cdn.jsdelivr.net' }).click();
  await dialog
    .getByRole('list', { name: 'Packages that are kept' })
    .getByText('shapely-kernels 1.2')
    .waitFor();
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatch(
    /^https:\/\/cdn\.jsdelivr\.net\/pyodide\/v[\d.]+\/full\/shapely_kernels-1\.2-py3-none-any\.whl$/,
  );
  await page.keyboard.press('Escape');
  await runToEnd(page);
  await output(page).getByText('scale 7').waitFor();
  // Kept: after a reload nothing is fetched.
  await page.reload();
  await ready(page);
  await runToEnd(page);
  await output(page).getByText('scale 7').waitFor();
  expect(asked).toHaveLength(1);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('button', { name: /^Packages: / }).click();
  const list = dialog.getByRole('list', { name: 'Packages that are kept' });
  await list
    .getByText(
      / bytes · from the index| B · from the index|kB · from the index|KiB · from the index/,
    )
    .waitFor();
  await list.getByRole('button', { name: 'Remove shapely-kernels' }).click();
  await list.waitFor({ state: 'detached' });
  expect(await page.evaluate(() => caches.keys())).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
});

it('says of a package that cannot be had which it is, and what to do', async () => {
  const { page, errors } = await visit(site, { text: PROGRAM });
  let answer: ReturnType<Answer> = null;
  await index(page.context(), () => answer);
  await page.reload();
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('What do you want to do?').fill('packages');
  await page.getByRole('option', { name: /^Packages: / }).click();
  const dialog = page.getByRole('dialog', { name: 'Packages' });
  const fetchIt = dialog.getByRole('button', { name: /^Fetch shapely-kernels from/ });
  const cases = [
    [
      null,
      /shapely-kernels 1\.2 was not fetched\. cdn\.jsdelivr\.net could not be reached.*drop it on this page/,
    ],
    [{ status: 404 }, /was not fetched: cdn\.jsdelivr\.net has no shapely_kernels-1\.2/],
    [{ body: Buffer.from('another') }, /\(0\.0 MB\) was refused: its contents are not those/],
  ] as const;
  for (const [given, why] of cases) {
    answer = given;
    await fetchIt.click();
    await dialog.getByRole('alert').filter({ hasText: why }).waitFor();
  }
  expect(await dialog.getByRole('list', { name: 'Packages that are kept' }).count()).toBe(0);
  expect(errors).toEqual([]);
  await page.context().close();
});

it('takes a wheel that is dropped, and refuses one of another platform or with odd names', async () => {
  const { page, errors } = await visit(site, { text: 'import mine\nprint("mine is", mine.X)\n' });
  await ready(page);
  const drop = (name: string, bytes: Uint8Array) => dropFiles(page, [{ name, bytes }]);
  await drop('mine-1.0-cp314-cp314-manylinux_2_28_x86_64.whl', wheelOf('mine', '1.0', {}));
  await page.getByText('is built for Linux (manylinux_2_28_x86_64)').waitFor();
  await drop('mine-1.0-py3-none-any.whl', wheelOf('mine', '1.0', { '../../x.py': '' }));
  await page.getByText('../../x.py, leads out of its folder').waitFor();
  await drop('torch-9-py3-none-any.whl', wheelOf('torch', '9', { 'torch/__init__.py': '' }));
  await page.getByText('it brings torch, which is Hippocamp’s own here').waitFor();
  await drop('mine-1.0-py3-none-any.whl', wheelOf('mine', '1.0', { 'mine.py': 'X = 9\n' }));
  await page.getByText('Added the package mine 1.0').waitFor();
  await runToEnd(page);
  await output(page).getByText('mine is 9').waitFor();
  // Another version takes its place, whatever the order of their names.
  await drop('mine-0.9-py3-none-any.whl', wheelOf('mine', '0.9', { 'mine.py': 'X = 10\n' }));
  await page.getByText('Added the package mine 0.9').waitFor();
  await runToEnd(page);
  await output(page).getByText('mine is 10').waitFor();
  const listed = lockFile.packages['six']!.file_name;
  await drop(listed, wheelOf('six', '1.17.0', { 'six.py': 'X = 1\n' }));
  await page.getByText('its contents are not those that the lock file names').waitFor();
  // Another program that does not import it finds a Python without it.
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(
    'import importlib.util as u\nprint("found", u.find_spec("mi" + "ne"))\n',
  );
  await runToEnd(page);
  await output(page).getByText('found None').waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});
