/** `npm run soak`: see `e2e/soak/main.ts`. */
import { bundle, start } from './bundle.ts';

const file = await bundle('e2e/soak/main.ts', 'soak');
start(['--enable-source-maps', file, ...process.argv.slice(2)]);
