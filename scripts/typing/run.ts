/** Bundles `main.ts` (the compiler imports Python text and WebAssembly) and runs it. */
import { bundle, start } from '../bundle.ts';

start([await bundle('scripts/typing/main.ts', 'typing'), ...process.argv.slice(2)]);
