/**
 * `npm run bench`: bundles the benchmark into `.cache/bench.mjs`, its page into `.cache/benchPage.mjs`, and
 * runs it. `--bundle` only bundles: the file can be taken to a bare machine with a GPU, where it
 * compares with hand-written WGSL in Dawn (`--in dawn`).
 */
import { join } from 'node:path';
import { bundle, start } from '../scripts/bundle.ts';

const root = join(import.meta.dirname, '..');
const file = await bundle('bench/main.ts', 'bench');
const args = process.argv.slice(2);
if (args.includes('--bundle')) console.log(file);
else {
  const page = await bundle('bench/page.ts', 'benchPage', 'browser');
  start([file, '--root', root, '--page', page, ...args]);
}
