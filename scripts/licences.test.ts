/**
 * Licences of everything that is installed: each package has one, and it is one of those that a
 * project under MIT may ship, or use while it is built. Another one is a decision for people, who
 * add it here.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shippedPackages } from './notices';

const ROOT = join(import.meta.dirname, '..');

/** Permissive ones, and two of which the files keep their own terms (MPL) or name (OFL). */
const ALLOWED = new Set(
  'MIT ISC 0BSD BSD-2-Clause BSD-3-Clause Apache-2.0 MPL-2.0 OFL-1.1'.split(' '),
);

/** Whether an SPDX expression can be met: a choice by one of its sides, a sum by all. */
function mayUse(expression: string): boolean {
  const text = expression.trim().replace(/^\((.*)\)$/, '$1');
  // No licence here nests further.
  if (/[()]/.test(text)) return false;
  return text
    .split(/\s+OR\s+/)
    .some((side) => side.split(/\s+AND\s+/).every((name) => ALLOWED.has(name.trim())));
}

describe('a licence', () => {
  it.each(['MIT', '(MPL-2.0 OR Apache-2.0)', 'GPL-3.0 OR MIT', 'MIT AND ISC'])('may be %s', (one) =>
    expect(mayUse(one)).toBe(true),
  );
  it.each([
    '',
    'GPL-3.0-only',
    'AGPL-3.0',
    'MIT AND GPL-3.0',
    'SSPL-1.0',
    'UNLICENSED',
    'BUSL-1.1',
  ])('may not be “%s”', (one) => expect(mayUse(one)).toBe(false));
});

it('of each package that is shipped is known and allowed', () => {
  const wrong = shippedPackages(ROOT).filter(({ license }) => !mayUse(license));
  expect(wrong.map(({ name, license }) => `${name}: ${license || 'none'}`)).toEqual([]);
});

it('of each package that the build or the tests need is known and allowed', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<
      Record<string, { readonly license?: string; readonly dev?: boolean }>
    >;
  };
  const dev = Object.entries(packages).filter(([, { dev: needed }]) => needed === true);
  expect(dev.length).toBeGreaterThan(100);
  const wrong = dev.filter(([, { license = '' }]) => !mayUse(license));
  expect(wrong.map(([path, { license = 'none' }]) => `${path}: ${license}`)).toEqual([]);
});
