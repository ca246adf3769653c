/** A trace of TritonParse that is dropped: its launches as programs, its TTIR beside ours. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dropFiles } from './drop';
import { codeIn, openSite, output, ready, runToEnd, tab, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: false });
});
afterAll(() => site.close());

const SAMPLE = readFileSync(
  join(import.meta.dirname, '..', 'app', 'open', 'testdata', 'scaled.ndjson'),
);

it('lists the launches of a trace, each of which opens, runs and shows both TTIRs', async () => {
  const { page, errors } = await visit(site, { text: '# my own work\n' });
  await ready(page);
  await dropFiles(page, [{ name: 'scaled.ndjson.gz', bytes: gzipSync(SAMPLE) }]);
  const dialog = page.getByRole('dialog', { name: 'Trace scaled.ndjson.gz' });
  await dialog.getByText('4 launches, 2 different.').waitFor();
  await dialog.getByText('grid 8 × 1 × 1 · 3 times').waitFor();
  await dialog.getByText('x_ptr float16[1000] · index_ptr int32[1000]').first().waitFor();
  await dialog.getByRole('button', { name: 'Open scale_kernel, grid 4 × 1 × 1' }).click();
  await page.getByText('Opened “scale_kernel” from the trace as a new program.').waitFor();
  await page.getByRole('tab', { name: 'scale_kernel.ttir' }).waitFor();
  await runToEnd(page);
  await output(page)
    .getByText(/tensor\(\[/)
    .first()
    .waitFor();
  await tab(page, 'Passes').click();
  await page.getByRole('button', { name: 'Trace’s TTIR' }).click();
  const diff = page.locator('.passes .code-host');
  await expect
    .poll(() => codeIn(page, '.passes .original'))
    .toContain('tt.func public @scale_kernel');
  await expect.poll(() => codeIn(page, '.passes .modified')).toContain('tt.func');
  expect(await diff.getByText('loc(').count()).toBe(0);
  expect(errors).toEqual([]);
  await page.context().close();
});

it('says of a trace without source, and of what is none, what to do', async () => {
  const { page, errors } = await visit(site, { text: '# my own work\n' });
  await page.locator('.editor .view-line').filter({ hasText: 'my own work' }).waitFor();
  const launches = SAMPLE.toString()
    .split('\n')
    .filter((line) => line.includes('"event_type":"launch"'))
    .join('\n');
  await dropFiles(page, [{ name: 'bare.ndjson', bytes: Buffer.from(launches) }]);
  const dialog = page.getByRole('dialog', { name: 'Trace bare.ndjson' });
  await dialog.getByText('The trace has no compilation of scale_kernel').first().waitFor();
  expect(
    await dialog
      .getByRole('button', { name: /^Open / })
      .first()
      .isDisabled(),
  ).toBe(true);
  await page.keyboard.press('Escape');
  await dropFiles(page, [{ name: 'page.ndjson', bytes: Buffer.from('<!doctype html>\n') }]);
  await page.getByText('page.ndjson was not opened. This is no trace of TritonParse').waitFor();
  await expect.poll(() => codeIn(page, '.editor')).toContain('# my own work');
  expect(errors).toEqual([]);
  await page.context().close();
});
