/** `npm run fuzz:text`: see `compiler/testing/fuzzText.ts`. */
import { timeFor } from './budget.ts';
import { bundle, start } from './bundle.ts';

const file = await bundle('compiler/testing/fuzzText.ts', 'fuzz-text');
const time = timeFor(1);
const seconds = time === undefined ? [] : ['--seconds', String(time / 1000)];
start(['--enable-source-maps', file, ...seconds, ...process.argv.slice(2)]);
