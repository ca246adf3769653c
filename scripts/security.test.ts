/** Every promise of docs/security.md and attack of docs/attacks.md names a test that exists. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RUNAWAYS } from '../e2e/runaways';

const ROOT = join(import.meta.dirname, '..');
const page = readFileSync(join(ROOT, 'docs', 'security.md'), 'utf8');
const attacks = readFileSync(join(ROOT, 'docs', 'attacks.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| (H\d|CLI|stop|open)/.test(line));
const section = page.split('\n## Promises\n')[1]!.split('\n## ')[0]!;
const promises = section
  .split(/^- /m)
  .slice(1)
  .map((item) => item.split('\n\n')[0]!);

/** The names of a file's tests: the strings that `it`, or a table of cases, is called with. */
function testsOf(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const named = /(?:\bit(?:\.\w+)?|\))\(\s*(?:'((?:[^'\\]|\\.)*)'|`([^`]*)`)/g;
  return [...text.matchAll(named)].map(([, plain, template]) => plain ?? template ?? '');
}

it('has promises, and attacks', () => {
  expect(promises.length).toBeGreaterThan(20);
  expect(attacks.length).toBeGreaterThan(100);
});

it('has a figure for each program that runs away', () => {
  const rows = page
    .split('\n## Runaways\n')[1]!
    .split('\n## ')[0]!
    .matchAll(/^\| ([^|]+?) +\|/gm);
  const named = [...rows]
    .map(([, name]) => name!)
    .filter((name) => !/^(-+|what runs away)$/.test(name));
  expect(named.toSorted()).toEqual(Object.keys(RUNAWAYS).toSorted());
});

const items = [...promises, ...attacks];
describe.each(items.map((item) => ({ item, title: item.split('\n')[0]! })))(
  'the promise or attack “$title”',
  ({ item }) => {
    it('names a test that exists', () => {
      const [, path = '', name = ''] = /`([^`]+\.test\.tsx?)` › (.+?)(?: *\|)?$/m.exec(item) ?? [];
      expect(existsSync(join(ROOT, path)) && path !== '', `a test file, not “${path}”`).toBe(true);
      const found = testsOf(path).filter((each) => each.includes(name) && name !== '');
      expect(found, `“${name}” in ${path}`).toHaveLength(1);
    });
  },
);
