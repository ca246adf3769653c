/** `npm run fuzz`: see `compiler/5-threads/testing/fuzzKernels.ts`. */
import { timeFor } from './budget.ts';
import { bundle, start } from './bundle.ts';

const file = await bundle('compiler/5-threads/testing/fuzzKernels.ts', 'fuzz');
const time = timeFor(1);
const seconds = time === undefined ? [] : ['--seconds', String(time / 1000)];
start(['--enable-source-maps', file, ...seconds, ...process.argv.slice(2)]);
