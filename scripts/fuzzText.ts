/** `npm run fuzz:text`: see `compiler/testing/fuzzText.ts`. */
import { bundle, start } from './bundle.ts';

const file = await bundle('compiler/testing/fuzzText.ts', 'fuzz-text');
start(['--enable-source-maps', file, ...process.argv.slice(2)]);
