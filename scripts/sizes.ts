/**
 * `npm run sizes`: what the production build weighs, as it travels (Brotli), and what a first visit
 * needs before the page stands: the entry and everything it imports statically. Monaco, Pyodide and
 * the compiler come after that, so they are listed apart.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

const DIST = join(import.meta.dirname, '..', 'dist');
const MANIFEST = join(DIST, '.vite', 'manifest.json');

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

if (!existsSync(MANIFEST)) {
  console.error('There is no build: run `npm run build` first.');
  process.exit(1);
}

function travelling(file: string): number {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  return brotliCompressSync(readFileSync(join(DIST, file)), { params }).length;
}

const kib = (bytes: number): string => `${(bytes / 1024).toFixed(0)} KiB`.padStart(10);
const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Record<string, Chunk>;

const first = new Set<string>();
function collect(key: string): void {
  const chunk = manifest[key];
  if (!chunk || first.has(chunk.file)) return;
  first.add(chunk.file);
  for (const file of chunk.css ?? []) first.add(file);
  for (const name of chunk.imports ?? []) collect(name);
}
// `embed.js` is an entry too, but of other people's pages.
collect('index.html');

console.log('Before the page stands:');
let total = 0;
for (const file of first) {
  const bytes = travelling(file);
  total += bytes;
  console.log(`${kib(bytes)}  ${file}`);
}
console.log(`${kib(total)}  together\n\nAfter that, the largest first:`);

const later = readdirSync(DIST, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.(m?js|css|wasm|zip|woff2)$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name).slice(DIST.length + 1))
  .filter((file) => !first.has(file.replaceAll('\\', '/')))
  .map((file) => ({ file, bytes: travelling(file) }))
  .sort((a, b) => b.bytes - a.bytes);
for (const { file, bytes } of later.slice(0, 15)) console.log(`${kib(bytes)}  ${file}`);
console.log(`${kib(later.reduce((sum, { bytes }) => sum + bytes, 0))}  together`);
