/** `npm run fuzz`: see `compiler/5-emit/testing/fuzzKernels.ts`. */
import { bundle, start } from './bundle.ts';

const file = await bundle('compiler/5-emit/testing/fuzzKernels.ts', 'fuzz');
start(['--enable-source-maps', file, ...process.argv.slice(2)]);
