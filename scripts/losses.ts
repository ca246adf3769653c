/** `npm run losses`: see `e2e/losses/main.ts`. */
import { bundle, start } from './bundle.ts';

const file = await bundle('e2e/losses/main.ts', 'losses');
start(['--enable-source-maps', file, ...process.argv.slice(2)]);
