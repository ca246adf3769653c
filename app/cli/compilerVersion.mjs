/**
 * Digest of the compiler's own text, which names the compiler of a build. Bundlers put it where
 * `app/runtime/compilerVersion.ts` requests it. Plain JavaScript: the command bundles before
 * TypeScript can run.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Tests and their data make no kernel. */
const ASIDE = /(\.test\.ts|[\\/](testing|testdata)([\\/].*|\.ts))$/;

/** For a bundler's `define`. `root`: of the repository. */
export function compilerVersion(root) {
  const folder = join(root, 'compiler');
  const hash = createHash('sha256');
  const files = readdirSync(folder, { recursive: true }).map(String).sort();
  for (const file of files) {
    if (!/\.(ts|py)$/.test(file) || ASIDE.test(join('compiler', file))) continue;
    hash.update(`${file.replaceAll('\\', '/')}\0`).update(readFileSync(join(folder, file)));
  }
  return { HIPPOCAMP_COMPILER: JSON.stringify(hash.digest('hex').slice(0, 16)) };
}
