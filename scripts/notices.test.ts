import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { noticesText, shippedPackages } from './notices';

const ROOT = join(import.meta.dirname, '..');

it('credits every package that the page may bundle, with the terms of its licence', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const all = shippedPackages(ROOT);
  const names = all.map(({ name }) => name);
  for (const name of Object.keys(dependencies)) expect(names).toContain(name);
  const text = noticesText(ROOT);
  for (const { name, version, license, text: own } of all) {
    expect(license, `${name} says its licence`).not.toBe('');
    expect(text).toContain(`${name} ${version} (${license})`);
    expect(text).toContain(own);
    const held = all.some((one) => one.text !== '' && one.license.includes(license));
    expect(held, `the terms of ${license}, for ${name}`).toBe(true);
  }
  for (const word of ['Mozilla Public License', 'SIL OPEN FONT LICENSE', 'Apache License'])
    expect(text).toContain(word);
  expect(text).toContain('Python Software Foundation');
});
