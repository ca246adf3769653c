/**
 * Imports run one way: app → compiler, and inside the compiler a phase sees `ir/`, the contracts
 * and the phases before it. The lint rule catches the first while typing; this test enforces the
 * whole table.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
/** Files that the phases and everybody else share. */
const CONTRACTS = [
  'program',
  'compiled',
  'target',
  'machine',
  'diagnostics',
  'codes',
  'boundsReport',
  'schedule',
];
const PHASES = ['1-parse', '2-lower', '3-optimize', '4-distribute', '5-threads', '6-emit'];
/** The packages that the compiler may name. The parser's WebAssembly is handed in. */
const COMPILER_PACKAGES = ['web-tree-sitter'];
/** Modules that the runtime, which also runs without a page, may not see. */
const PAGE_ONLY = ['app/panels', 'app/state', 'app/editor', 'app/theme', 'app/main'];
const PAGE_PACKAGES = /^(react|react-dom|zustand|monaco-editor|radix-ui|uplot)(\/|$)/;

interface Import {
  /** The importing file, from the root, with `/`. */
  readonly from: string;
  /** The imported file without extension, from the root; or the package, as written. */
  readonly to: string;
  readonly relative: boolean;
}

/** The part of the compiler that a file without extension belongs to. */
function part(file: string): string {
  const [, folder = '', inner] = file.split('/');
  return inner === undefined ? folder.replace(/\.ts$/, '') : folder;
}

/** Why this import may not be; null where it may. Pure, so that it can be tested by itself. */
function violation({ from, to, relative }: Import): string | null {
  const test = /\.test\.tsx?$|\/testing(\/|\.ts$)/.test(from);
  if (from.startsWith('compiler/')) {
    if (!relative) {
      if (test || COMPILER_PACKAGES.includes(to.split('/')[0] ?? '')) return null;
      return `the compiler may not import the package ${to}`;
    }
    if (!to.startsWith('compiler/')) {
      return test && to.startsWith('app/cli/') ? null : `the compiler may not import ${to}`;
    }
    if (test) return null;
    return phaseViolation(part(from), part(to));
  }
  if (from.startsWith('app/runtime/') && !test) {
    const page = relative ? PAGE_ONLY.some((path) => to.startsWith(path)) : PAGE_PACKAGES.test(to);
    return page ? `the runtime also runs without a page: it may not import ${to}` : null;
  }
  return null;
}

function phaseViolation(from: string, to: string): string | null {
  if (from === to) return null;
  const own = PHASES.indexOf(from);
  const other = PHASES.indexOf(to);
  const contract = CONTRACTS.includes(to);
  if (CONTRACTS.includes(from)) {
    return contract || to === 'ir' ? null : `the contract ${from} may not import ${to}`;
  }
  if (from === 'ir') return contract ? null : `ir/ may not import ${to}`;
  if (from === 'interpret') {
    return contract || to === 'ir' ? null : `the interpreter may not import ${to}`;
  }
  if (own < 0) return null; // pipeline.ts and its like put everything together
  if (contract || to === 'ir') return null;
  if (other < 0) return `the phase ${from} may not import ${to}`;
  return other < own ? null : `the phase ${from} may not import the later ${to}`;
}

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

/** Statements start a line, prettier sees to it; `import('…')` may stand anywhere. */
const SPECIFIER =
  /^(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|(?:^import\s*|\bimport\(\s*)['"]([^'"]+)['"]/gm;

function importsOf(from: string, text: string): Import[] {
  return [...text.matchAll(SPECIFIER)].map(([, first, second]) => {
    const specifier = first ?? second ?? '';
    if (!specifier.startsWith('.')) return { from, to: specifier, relative: false };
    const to = normalize(join(dirname(from), specifier))
      .split(sep)
      .join('/');
    return { from, to: to.replace(/\.tsx?(\?\w+)?$/, ''), relative: true };
  });
}

describe('imports', () => {
  const files = [...sources('compiler'), ...sources('app')];
  const all = files.flatMap((file) => importsOf(file, readFileSync(join(ROOT, file), 'utf8')));

  it('are found at all', () => {
    expect(all.length).toBeGreaterThan(files.length / 2);
  });

  it('run one way', () => {
    const wrong = all.flatMap((one) => {
      const reason = violation(one);
      return reason ? [`${one.from}: ${reason}`] : [];
    });
    expect(wrong).toEqual([]);
  });

  it.each([
    ['compiler/2-lower/a.ts', '../5-threads/b'],
    ['compiler/3-optimize/a.ts', '../interpret/run'],
    ['compiler/ir/a.ts', '../1-parse/b'],
    ['compiler/program.ts', './pipeline'],
    ['compiler/5-threads/a.ts', '../../app/events'],
    ['compiler/5-threads/a.ts', 'react'],
    ['compiler/5-threads/a.ts', 'node:fs'],
    ['app/runtime/a.ts', '../state/session'],
    ['app/runtime/a.ts', 'zustand'],
  ])('%s may not import %s', (from, specifier) => {
    const [one] = importsOf(from, `import { x } from '${specifier}';`);
    expect(one && violation(one)).toBeTruthy();
  });

  it.each([
    ['compiler/6-emit/a.ts', '../5-threads/b'],
    ['compiler/2-lower/a.ts', '../ir/ir'],
    ['compiler/2-lower/a.ts', '../diagnostics'],
    ['compiler/pipeline.ts', './6-emit/emit'],
    ['compiler/5-threads/a.test.ts', 'node:fs'],
    ['app/state/a.ts', '../../compiler/program'],
  ])('%s may import %s', (from, specifier) => {
    const [one] = importsOf(from, `import type { x } from '${specifier}';`);
    expect(one && violation(one)).toBeNull();
  });
});
