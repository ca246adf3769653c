/**
 * `npm run bench`: bundles the benchmark into `.cache/bench.mjs`, its page into
 * `.cache/benchPage.mjs`, and runs it. `--bundle` only bundles, and packs ONNX Runtime's
 * WebAssembly beside: the two files can be taken to a bare machine with a GPU, where they compare
 * in Dawn (`--in dawn`).
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { bundle, start } from '../scripts/bundle.ts';
import { ORT_FOLDER, ORT_WASM, PACKED_ORT } from './peers/ortWasm.ts';

const root = join(import.meta.dirname, '..');
const file = await bundle('bench/main.ts', 'bench');
const args = process.argv.slice(2);
if (args.includes('--bundle')) {
  console.log(file);
  console.log(pack(join(root, ORT_FOLDER, ORT_WASM), join(dirname(file), PACKED_ORT)));
} else {
  const page = await bundle('bench/page.ts', 'benchPage', 'browser');
  start([file, '--root', root, '--page', page, ...args]);
}

/** Packs `from` unless that was done before, and returns where it lies. */
function pack(from: string, to: string): string {
  if (!existsSync(to) || statSync(to).mtimeMs < statSync(from).mtimeMs) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 };
    writeFileSync(to, brotliCompressSync(readFileSync(from), { params }));
  }
  return to;
}
