/**
 * `npm run sizes`: what the production build weighs, as it travels (Brotli), and what a first visit
 * needs before the page stands: the entry and everything it imports statically. Monaco, Pyodide and
 * the compiler come after that, so they are listed apart.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startFiles, travelling } from './buildSizes.ts';

const DIST = join(import.meta.dirname, '..', 'dist');

if (!existsSync(join(DIST, '.vite', 'manifest.json'))) {
  console.error('There is no build: run `npm run build` first.');
  process.exit(1);
}

const kib = (bytes: number): string => `${(bytes / 1024).toFixed(0)} KiB`.padStart(10);
const first = new Set(startFiles(DIST));

console.log('Before the page stands:');
let total = 0;
for (const file of first) {
  const bytes = travelling(DIST, file);
  total += bytes;
  console.log(`${kib(bytes)}  ${file}`);
}
console.log(`${kib(total)}  together\n\nAfter that, the largest first:`);

const later = readdirSync(DIST, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.(m?js|css|wasm|zip|woff2)$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name).slice(DIST.length + 1))
  .filter((file) => !first.has(file.replaceAll('\\', '/')))
  .map((file) => ({ file, bytes: travelling(DIST, file) }))
  .sort((a, b) => b.bytes - a.bytes);
for (const { file, bytes } of later.slice(0, 15)) console.log(`${kib(bytes)}  ${file}`);
console.log(`${kib(later.reduce((sum, { bytes }) => sum + bytes, 0))}  together`);
