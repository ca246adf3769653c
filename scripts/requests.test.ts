/**
 * Requests of the page: `app/open/fetching.ts` alone may ask other hosts, after a click that names
 * them. Whoever else requests something is listed here, with why it reaches the page's own host.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const OTHER_HOSTS = 'app/open/fetching.ts';
/** Files that request, by how often. */
const REQUESTS: Readonly<Record<string, readonly [number, string]>> = {
  'app/offline/keeper.ts': [3, 'files of this build, by the service worker'],
  'app/offline/serviceWorker.ts': [1, 'what the keeper requests'],
  'app/packages/lock.ts': [1, 'the lock file of this build'],
  'app/programs/extras.ts': [1, 'the data of an example of this build'],
  'app/share/element.ts': [1, 'the program that the author of an embedding page names'],
  'app/state/document.ts': [1, 'an example of this build'],
  'app/state/recorded.ts': [1, 'what real Triton made of an example of this build'],
  'app/workers/compilerWorker.ts': [1, 'a file of this build'],
  'app/workers/startPython.ts': [1, 'files of this build'],
};
/** Beginnings of requests. Comments and texts that only name one count, too. */
const REQUEST =
  /\bfetch\s*\(|\bnew (?:XMLHttpRequest|WebSocket|WebTransport|EventSource)\b|\bsendBeacon\b/g;

const sources = execFileSync('git', ['ls-files', 'app', 'compiler', 'public'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.(?:ts|tsx|js|mjs)$/.test(path) && !/\.test\.tsx?$|\/testing/.test(path))
  // Node's side has no visitor; its programs have walls of their own (`app/cli/confine.ts`).
  .filter((path) => !path.startsWith('app/cli/'));

const found = Object.fromEntries(
  sources.flatMap((path) => {
    const count = [...readFileSync(join(ROOT, path), 'utf8').matchAll(REQUEST)].length;
    return count > 0 ? [[path, count] as const] : [];
  }),
);

it('makes requests only where they are known to stay with the page’s own host', () => {
  const { [OTHER_HOSTS]: ours, ...others } = found;
  expect(ours).toBe(1);
  expect(others).toEqual(
    Object.fromEntries(Object.entries(REQUESTS).map(([path, [count]]) => [path, count])),
  );
});

it('finds one however it is written', () => {
  for (const text of ['fetch(x)', 'self.fetch (x)', 'new WebSocket(x)', 'navigator.sendBeacon(x)'])
    expect(text.match(REQUEST)).toHaveLength(1);
});
