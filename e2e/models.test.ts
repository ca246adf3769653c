/** A language model in the page: the gallery's, and files of another one that are dropped. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import golden from '../scripts/models/testdata/golden.json';
import { dropFiles } from './drop';
import { openSite, output, ready, runToEnd, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

const EXAMPLES = join(import.meta.dirname, '..', 'public', 'examples');
const PROGRAM = readFileSync(join(EXAMPLES, 'small_llama.py'), 'utf8');

it('writes PyTorch’s text with weights that are fetched when it runs', async () => {
  const { page, errors } = await visit(site, { text: PROGRAM });
  await ready(page);
  await runToEnd(page);
  // Launches stand between the pieces of the text.
  await page.getByRole('button', { name: 'Prints', exact: true }).click();
  const text = async (): Promise<string> => (await output(page).textContent()) ?? '';
  await expect.poll(text).toContain(golden.small_llama.text);
  expect(await text()).toMatch(/[\d.]+ tokens\/s with Kernels/);
  expect(await text()).toContain('one more token, Eager: True');
  expect(errors).toEqual([]);
  await page.context().close();
});

it('opens dropped weights in place of the gallery’s, and says what is wrong with them', async () => {
  const program = `from safetensors.torch import load_file

print({name: each.tolist() for name, each in load_file("small_llama.safetensors").items()})
print(open("merges.txt").read())
`;
  const { page } = await visit(site, { text: program });
  await ready(page);
  const header = '{"a":{"dtype":"I8","shape":[3],"data_offsets":[0,3]}}   ';
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(header.length));
  const bytes = Buffer.concat([size, Buffer.from(header), Buffer.from([1, 2, 255])]);
  const merges = { name: 'merges.txt', bytes: Buffer.from('merged words') };
  await dropFiles(page, [{ name: 'small_llama.safetensors', bytes }, merges]);
  await page.getByText(/get them, until this page is closed/).waitFor();
  await runToEnd(page);
  expect(await output(page).textContent()).toContain("{'a': [1, 2, -1]}");
  expect(await output(page).textContent()).toContain('merged words');

  await dropFiles(page, [{ name: 'small_llama.safetensors', bytes: bytes.subarray(0, -1) }]);
  await runToEnd(page);
  await expect
    .poll(() => output(page).textContent())
    .toContain('the tensors have 3 bytes, and the file 2');
  await page.context().close();
});
