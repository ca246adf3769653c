/**
 * Pass pages keep to one template, and their examples are those of the passes' tests: each line of
 * an example stands in the pass's test, in the kernels that tests of passes share, or, for the
 * first and the last phase, on the architecture page, which a test of its own holds against the
 * compiler.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'docs', 'passes');
/** After the title and the purpose, in this order. */
const SECTIONS = ['Triton', 'Input', 'Guarantees', 'How', 'Example'];
const PAGES = readdirSync(FOLDER)
  .filter((name) => name !== 'README.md')
  .map((name) => name.replace(/\.md$/, ''));
const SOURCES = execFileSync('git', ['ls-files', 'compiler'], {
  cwd: ROOT,
  encoding: 'utf8',
}).split('\n');

/** The faults of a page's form. */
function faults(name: string, text: string): string[] {
  const found: string[] = [];
  const [head = '', ...rest] = text.split(
    /^\*\*(?=(?:Triton|Input|Guarantees|How|Example)\.\*\*)/m,
  );
  if (!head.startsWith(`# ${name}\n\n`) || head.trim().split('\n').length < 3)
    found.push('no title and purpose');
  const sections = rest.map((section) => section.slice(0, section.indexOf('.')));
  if (sections.join() !== SECTIONS.join()) found.push(`sections: ${sections.join()}`);
  for (const section of rest)
    if (section.replace(/^\w+\.\*\*/, '').trim().length < 4)
      found.push(`empty: ${section.slice(0, 20)}`);
  if (!/```[^]+```/.test(rest.at(-1) ?? '')) found.push('no example');
  return found;
}

/** The lines of a page's examples, without what is left out (`…`) and without remarks. */
function exampleLines(text: string): string[] {
  return [...text.matchAll(/```\w*\n([^]*?)```/g)]
    .flatMap(([, block = '']) => block.split('\n'))
    .flatMap((line) => line.replace(/\s+\/\/ .*$/, '').split('…'))
    .map(plain)
    .filter((line) => line.length > 2);
}
const plain = (text: string): string => text.replaceAll('\\"', '"').replaceAll(/\s+/g, '');

/** The text from which the lines of a pass's example come. */
function sourceOf(name: string): string {
  if (name === 'lower' || name === 'emit')
    return readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8');
  const own = SOURCES.filter((file) => file.endsWith(`/${name}.test.ts`));
  const shared = SOURCES.filter((file) => /\/testing\/(passes|kernels)\.ts$/.test(file));
  return [...own, ...shared].map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
}

describe.each(PAGES)('%s', (name) => {
  const text = readFileSync(join(FOLDER, `${name}.md`), 'utf8');
  it('has purpose, Triton, input, guarantees, algorithm and example, in this order', () => {
    expect(faults(name, text)).toEqual([]);
  });
  it('takes its example from the test', () => {
    const source = plain(sourceOf(name));
    expect(exampleLines(text).filter((line) => !source.includes(line))).toEqual([]);
  });
});

it('refuses a page without its sections, and one that is out of order', () => {
  const page = readFileSync(join(FOLDER, 'canonicalize.md'), 'utf8');
  expect(faults('canonicalize', page.replace('**Input.**', ''))).not.toEqual([]);
  expect(faults('canonicalize', page.replace('**How.**', '**Triton.**'))).not.toEqual([]);
  expect(faults('canonicalize', page.replace('# canonicalize', '# other'))).not.toEqual([]);
});
