/**
 * The catalogue of diagnostics: the table is the pages', every code has a page, and the example of
 * a page gives its code at the line that says so. Examples that are whole programs run in
 * `app/cli/diagnosticPages.test.ts`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { describe, expect, it } from 'vitest';
import { testParser } from '../compiler/1-parse/testing/testParser';
import { lowerText, type ArgumentText } from '../compiler/2-lower/testing/lowerText';
import { readPages, table, TABLE } from './diagnostics';

const ROOT = join(import.meta.dirname, '..');
const pages = readPages();
const parser = await testParser();

/** The files of ours that may report a diagnostic. */
function sources(): string[] {
  return ['app', 'compiler'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(tsx?|py)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !/\.test\.tsx?$|testing|testdata|compiler\/codes\.ts$/.test(path)),
  );
}

describe('the catalogue of diagnostics', () => {
  it('is what the compiler’s table was made from (else: npm run diagnostics)', async () => {
    const options = (await resolveConfig(TABLE)) ?? {};
    const made = await format(table(pages), { ...options, parser: 'typescript' });
    expect(readFileSync(TABLE, 'utf8')).toBe(made);
  });

  it('has a page for every code that is reported, and no page of an unused code', () => {
    const used = new Set<string>();
    for (const path of sources())
      for (const [code] of readFileSync(path, 'utf8').matchAll(/\bHC\d{4}\b/g)) used.add(code);
    const known = pages.map(({ code }) => code);
    expect([...used].filter((code) => !known.includes(code))).toEqual([]);
    expect(known.filter((code) => !used.has(code))).toEqual([]);
  });

  it('has templates only that are used', () => {
    const text = sources()
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n');
    const unused = pages.flatMap(({ code, messages }) =>
      messages
        .map(({ name }) => `MESSAGES.${code}.${name}(`)
        .filter((call) => !text.includes(call)),
    );
    expect(unused).toEqual([]);
  });

  it.each(pages)('$code says what it means and what to do', ({ text }) => {
    expect(text).toContain('\n## What to do\n');
    expect(text.split('\n').filter((line) => line.includes('\t'))).toEqual([]);
  });

  const compiled = pages.filter(({ code }) => /^HC0[1-3]/.test(code));
  const without = ['HC0106', 'HC0399'];
  it.each(compiled.filter(({ code }) => !without.includes(code)))(
    'the example of $code gives it, where it says so',
    ({ code, text }) => {
      const example = /```python\n(.*?)```/s.exec(text)?.[1] ?? '';
      const marked = example.split('\n').findIndex((line) => line.endsWith(`# ${code}`)) + 1;
      expect(marked).toBeGreaterThan(0);
      const head = 'import triton\nimport triton.language as tl\n';
      const args = /^With `(.*)`:$/m.exec(text)?.[1]?.split(' ') ?? [];
      const { diagnostics } = lowerText(
        parser,
        head + example,
        'kernel',
        Object.fromEntries(args.map(argument)),
      );
      // Block pointers are deprecated, in whatever example they stand.
      const reported = diagnostics.filter((d) => code === 'HC0301' || d.code !== 'HC0301');
      const found = reported.map((d) => `${d.code} at line ${d.location.line - 2}`);
      expect([...new Set(found)]).toEqual([`${code} at line ${marked}`]);
    },
  );
});

/** `X=*fp32`, `N==4`. */
function argument(text: string): [string, ArgumentText] {
  const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(text) ?? [];
  if (!value.startsWith('=')) return [name, value];
  return [name, { constexpr: { kind: 'int', value: value.slice(1) } }];
}
