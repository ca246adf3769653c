/**
 * `npm run bench:page`: bundles `bench/latency/main.ts` into `.cache/` and runs it on the build in
 * `dist/`.
 */
import { bundle, start } from '../scripts/bundle.ts';

start([await bundle('bench/latency/main.ts', 'latency'), ...process.argv.slice(2)]);
