import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { precompress } from './precompress';
import { filesIn } from './serviceWorker';

it('writes forms that unpack to the file, of files that compress', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hippocamp-forms-'));
  const text = 'let x = 1;\n'.repeat(1000);
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'assets', 'a.js'), text);
  writeFileSync(join(folder, 'assets', 'small.js'), 'let x;');
  writeFileSync(join(folder, 'assets', 'font.woff2'), text);
  const random = crypto.getRandomValues(new Uint8Array(5000));
  writeFileSync(join(folder, 'noise.wasm'), random);
  const sizes = await precompress(folder, 9);
  expect(filesIn(folder)).toEqual([
    'assets/a.js',
    'assets/a.js.br',
    'assets/a.js.gz',
    'assets/font.woff2',
    'assets/small.js',
    'noise.wasm',
  ]);
  const form = (ending: string): Buffer => readFileSync(join(folder, 'assets', `a.js.${ending}`));
  expect(brotliDecompressSync(form('br')).toString()).toBe(text);
  expect(gunzipSync(form('gz')).toString()).toBe(text);
  expect(sizes).toMatchObject({ files: 1, bytes: text.length, brotli: form('br').length });
  rmSync(folder, { recursive: true });
});
