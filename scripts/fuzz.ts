/** `npm run fuzz`: see `compiler/5-emit/testing/fuzzKernels.ts`. */
import { spawnSync } from 'node:child_process';
import { bundle } from './bundle.ts';

const file = await bundle('compiler/5-emit/testing/fuzzKernels.ts', 'fuzz');
const args = ['--enable-source-maps', file, ...process.argv.slice(2)];
const run = spawnSync(process.execPath, args, { stdio: 'inherit' });
process.exit(run.status ?? 1);
