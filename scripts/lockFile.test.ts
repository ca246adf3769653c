/**
 * The lock file: every package has a checksum by which npm refuses another one, and comes from the
 * registry. Licences are `notices.test.ts`'s.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

interface Entry {
  readonly integrity?: string;
  readonly resolved?: string;
}
const ROOT = join(import.meta.dirname, '..');
const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Entry>>;
};
const entries = Object.entries(packages).filter(([path]) => path !== '');
const without = (holds: (entry: Entry) => boolean): string[] =>
  entries.filter(([, entry]) => !holds(entry)).map(([path]) => path);

it('has a checksum for every package', () => {
  expect(entries.length).toBeGreaterThan(300);
  expect(without(({ integrity }) => /^sha512-[\w+/]{86}==$/.test(integrity ?? ''))).toEqual([]);
});

it('takes packages from the registry alone', () => {
  const registry = 'https://registry.npmjs.org/';
  expect(without(({ resolved }) => resolved?.startsWith(registry) ?? true)).toEqual([]);
});
