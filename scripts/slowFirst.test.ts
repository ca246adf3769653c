/** The files that begin are there, under their names. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

it('names files that exist, each once', () => {
  const text = readFileSync(join(import.meta.dirname, 'slowFirst.ts'), 'utf8');
  const named = [...text.matchAll(/^ {2}'(.*\.test\.ts)',$/gm)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(10);
  expect(new Set(named).size).toBe(named.length);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
