/** Sizes of the production build's files as they travel, and which of them the page starts with. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

/** Bytes of a file of the build, compressed with Brotli at quality 9. */
export function travelling(dist: string, file: string): number {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  return brotliCompressSync(readFileSync(join(dist, file)), { params }).length;
}

/**
 * Files that the page needs before it stands: the entry, everything it imports statically, and
 * their styles.
 */
export function startFiles(dist: string): string[] {
  const text = readFileSync(join(dist, '.vite', 'manifest.json'), 'utf8');
  const manifest = JSON.parse(text) as Record<string, Chunk>;
  const found = new Set<string>();
  const collect = (key: string): void => {
    const chunk = manifest[key];
    if (!chunk || found.has(chunk.file)) return;
    found.add(chunk.file);
    for (const file of chunk.css ?? []) found.add(file);
    for (const name of chunk.imports ?? []) collect(name);
  };
  // `embed.js` is an entry too, but of other people's pages.
  collect('index.html');
  return [...found];
}
