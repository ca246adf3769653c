/**
 * `npm run bench:library`: what a launch through `hippocamp/runtime` costs the CPU, in microseconds
 * (`libraryLaunch.ts`).
 */
import { join } from 'node:path';
import { bundle, start } from '../scripts/bundle.ts';

start([await bundle('bench/libraryLaunch.ts', 'library'), join(import.meta.dirname, '..')]);
