/**
 * `npm run reproducible`: builds the page in two copies of this checkout, at paths of different
 * lengths and with caches of their own, and compares every byte. Somebody who has the sources can
 * so verify what a host serves: same sources, lock file and Node, same build.
 *
 *   npm run reproducible              two copies
 *   npm run reproducible -- FOLDER    one copy, against a build that is there
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { filesIn } from './serviceWorker.ts';

const ROOT = join(import.meta.dirname, '..');

/** Hard links to a folder's files: packages have their place below the copy, as in a checkout. */
function link(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) link(source, target);
    else if (entry.isFile()) linkSync(source, target);
    else cpSync(source, target, { verbatimSymlinks: true });
  }
}

/** Copies what git has or would have, and the packages, but not what is cached beside them. */
function copy(to: string): void {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e8 });
  for (const path of listed
    .split('\0')
    .filter((each) => existsSync(join(ROOT, each)) && each !== '')) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(join(ROOT, path), join(to, path));
  }
  const packages = join(ROOT, 'node_modules');
  for (const name of readdirSync(packages).filter((each) => !/^\.(?:cache|vite)/.test(each))) {
    const [source, target] = [join(packages, name), join(to, 'node_modules', name)];
    if (statSync(source).isDirectory()) link(source, target);
  }
}

/** Digests of the files of a build in a fresh copy. */
function built(at: string): Map<string, string> {
  copy(at);
  const vite = join(at, 'node_modules', 'vite', 'bin', 'vite.js');
  execFileSync(process.execPath, [vite, 'build', '--logLevel', 'error'], {
    cwd: at,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return digests(join(at, 'dist'));
}

function digests(folder: string): Map<string, string> {
  const of = (path: string): string =>
    createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest('hex');
  const paths = filesIn(folder).filter((path) => !/\.(?:br|gz)$/.test(path));
  return new Map(paths.map((path) => [path, of(path)]));
}

// On the file system of the packages, for the links.
mkdirSync(join(ROOT, '.cache'), { recursive: true });
const folder = mkdtempSync(join(ROOT, '.cache', 'reproducible-'));
try {
  const given = process.argv[2];
  const first = given ? digests(resolve(given)) : built(join(folder, 'a'));
  const second = built(join(folder, 'another', 'place'));
  const paths = [...new Set([...first.keys(), ...second.keys()])].sort();
  const differ = paths.filter((path) => first.get(path) !== second.get(path));
  for (const path of differ)
    console.error(
      !first.has(path)
        ? `only second: ${path}`
        : !second.has(path)
          ? `only first: ${path}`
          : `differs: ${path}`,
    );
  console.log(`${paths.length - differ.length} of ${paths.length} files are the same`);
  process.exitCode = differ.length === 0 && paths.length > 100 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
