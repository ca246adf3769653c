/**
 * `npm run bench`: bundles the benchmark into one file, `.cache/bench.mjs`, and runs it. `--bundle` only
 * bundles: the file can be taken to a bare machine with a GPU.
 */
import { bundle, start } from '../scripts/bundle.ts';

const file = await bundle('bench/main.ts', 'bench');
const args = process.argv.slice(2);
if (args.includes('--bundle')) console.log(file);
else start([file, ...args]);
