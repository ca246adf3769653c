/** `npm run fuzz:text`: see `compiler/testing/fuzzText.ts`. */
import { spawnSync } from 'node:child_process';
import { bundle } from './bundle.ts';

const file = await bundle('compiler/testing/fuzzText.ts', 'fuzz-text');
const run = spawnSync(process.execPath, ['--enable-source-maps', file, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exit(run.status ?? 1);
