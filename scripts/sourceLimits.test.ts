/**
 * Limits of the compiler's source: no file above 400 lines, no function above 80, no class of more
 * than 8 mutable fields (`mutableFields.ts`). Exempt are `codes.ts`, which `scripts/diagnostics.ts`
 * writes, and functions of tests, whose `describe` holds every case.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parseAst } from 'vite';
import { describe, expect, it } from 'vitest';
import { mutableFields } from './mutableFields';

const ROOT = join(import.meta.dirname, '..');
const MOST_LINES_OF_A_FILE = 400;
const MOST_LINES_OF_A_FUNCTION = 80;
const MOST_FIELDS_OF_A_CLASS = 8;
const GENERATED = ['compiler/codes.ts'];

const lineCount = (text: string): number => text.trimEnd().split('\n').length;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly body?: unknown;
  readonly id?: { readonly name?: string } | null;
  readonly key?: { readonly name?: string };
}
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value;
const isFunction = ({ type, body }: Node): boolean =>
  /^(Function(Declaration|Expression)|ArrowFunctionExpression)$/.test(type) && isNode(body);

/** The lines of each function, by the name of the declaration that it stands in. */
function functionsOf(text: string): { readonly name: string; readonly lines: number }[] {
  const found: { name: string; lines: number }[] = [];
  const visit = (value: unknown, around: string): void => {
    if (Array.isArray(value)) for (const each of value) visit(each, around);
    if (!isNode(value)) return;
    const name = value.id?.name ?? value.key?.name ?? around;
    if (isFunction(value))
      found.push({ name, lines: lineCount(text.slice(value.start, value.end)) });
    for (const [key, child] of Object.entries(value)) if (key !== 'id') visit(child, name);
  };
  visit(parseAst(text, { lang: 'ts' }), 'a function');
  return found;
}

/** The counts above a limit, each as a sentence. */
function problems(counts: ReadonlyMap<string, number>, limit: number, what = 'lines'): string[] {
  const above = [...counts].filter(([, count]) => count > limit);
  return above.map(([name, count]) => `${name} has ${count} ${what}, ${limit} at most`);
}

describe('the compiler', () => {
  const files = readdirSync(join(ROOT, 'compiler'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((file) => !GENERATED.includes(file))
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

  it('has no file of more than 400 lines', () => {
    const lengths = new Map(files.map(({ file, text }) => [file, lineCount(text)]));
    expect(problems(lengths, MOST_LINES_OF_A_FILE)).toEqual([]);
  });

  it('has no function of more than 80 lines', () => {
    const lengths = new Map<string, number>();
    for (const { file, text } of files.filter((each) => !each.file.endsWith('.test.ts')))
      for (const { name, lines } of functionsOf(text)) {
        const key = `${file} ${name}`;
        lengths.set(key, Math.max(lines, lengths.get(key) ?? 0));
      }
    expect(lengths.size).toBeGreaterThan(files.length);
    expect(problems(lengths, MOST_LINES_OF_A_FUNCTION)).toEqual([]);
  });

  it('has no class of more than 8 mutable fields', () => {
    const counts = new Map<string, number>();
    for (const { file, text } of files)
      for (const { name, fields } of mutableFields(text)) {
        const key = `${file} ${name}`;
        counts.set(key, Math.max(fields, counts.get(key) ?? 0));
      }
    expect(counts.size).toBeGreaterThan(50);
    expect(problems(counts, MOST_FIELDS_OF_A_CLASS, 'mutable fields')).toEqual([]);
  });
});

describe('the measure', () => {
  it('counts a function from its first line to its last, by its name', () => {
    const text = 'export const f = (x: number) => {\n  return x;\n};\nclass A {\n  g() {\n  }\n}\n';
    expect(functionsOf(text)).toEqual([
      { name: 'f', lines: 3 },
      { name: 'g', lines: 2 },
    ]);
  });
  it('counts the mutable fields of a class', () => {
    const text = `
      class Counted {
        a = 0;
        #b: string | undefined;
        readonly c = new Map<string, number>();
        readonly d: number[] = [];
        readonly e: readonly [Uint32Array, Uint32Array];
        readonly f = { x: 0, y: 0 };
        constructor(private g: number, readonly h: Set<string>, i: number) {}
      }
      class Constant {
        readonly a = 0;
        readonly b: readonly number[] = [];
        readonly c: ReadonlyMap<string, number> = new Map();
        readonly d = new Counted();
        constructor(readonly e: ReadonlySet<string>, f: Set<string>) {}
        get g() { return 0; }
        h = () => { let x = 0; x++; };
      }`;
    expect(mutableFields(text)).toEqual([
      { name: 'Counted', fields: 9 },
      { name: 'Constant', fields: 1 },
    ]);
    const counts = new Map(mutableFields(text).map(({ name, fields }) => [name, fields]));
    expect(problems(counts, MOST_FIELDS_OF_A_CLASS, 'mutable fields')).toEqual([
      'Counted has 9 mutable fields, 8 at most',
    ]);
  });
  it('reports what is too long', () => {
    const lengths = new Map([
      ['a', 5],
      ['b', 4],
    ]);
    expect(problems(lengths, 4)).toEqual(['a has 5 lines, 4 at most']);
  });
});
