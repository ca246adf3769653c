/** `npm run mutants`: see `app/prove/testing/runMutants.ts`. */
import { bundle, start } from './bundle.ts';

const file = await bundle('app/prove/testing/runMutants.ts', 'mutants');
start(['--enable-source-maps', file, ...process.argv.slice(2)]);
