/**
 * The recipes of `docs/contributing` name files that exist, and the worked examples are complete.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'docs', 'contributing');
const read = (name: string): string => readFileSync(join(FOLDER, `${name}.md`), 'utf8');
const RECIPES = ['op', 'pass', 'torch', 'panel', 'target'];

/** The path that opens each item of a recipe's list. */
function list(name: string, heading: 'Files' | 'Tests'): string[] {
  const [, section = ''] = read(name).split(`**${heading}**`);
  const [own = ''] = section.split(/^\*\*/m);
  return [...own.matchAll(/^- `([^`]+)`/gm)].map(([, path = '']) => path);
}
/** The compiler's files, without tests, that contain a text. */
function filesWith(text: string): string[] {
  const found = execFileSync('git', ['grep', '-lF', text, '--', 'compiler/*.ts'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return found.split('\n').filter((file) => file && !/\.test\.ts$|\/testing\//.test(file));
}

it('has five recipes', () => {
  const pages = readdirSync(FOLDER).filter((name) => name !== 'README.md');
  expect(pages.sort()).toEqual(RECIPES.map((name) => `${name}.md`).sort());
});

describe.each(RECIPES)('%s', (name) => {
  it('lists files and tests', () => {
    expect(list(name, 'Files').length).toBeGreaterThan(1);
    expect(list(name, 'Tests').length).toBeGreaterThan(0);
  });
  it('names what exists', () => {
    const paths = [...read(name).matchAll(/`([\w./-]+\/[\w./-]*)`/g)].map(([, path = '']) => path);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

it('an operation is in its definition and two lowerings, and nowhere else', () => {
  expect(list('op', 'Files')).toHaveLength(3);
  // Proofs need not know an operation: what it computes is then taken as data.
  const files = filesWith("'math.ctpop'").filter((file) => !file.startsWith('compiler/proof/'));
  expect(files.sort()).toEqual(list('op', 'Files').sort());
});

it('a pass is in its file and the order of its phase, and has a page', () => {
  const files = list('pass', 'Files');
  expect(files.filter((file) => !file.startsWith('docs/'))).toHaveLength(2);
  expect(files.filter((file) => file.startsWith('docs/'))).toHaveLength(1);
  const code = files.filter((file) => file.startsWith('compiler/'));
  expect(filesWith('loop_aware_cse').sort()).toEqual(code.sort());
});
