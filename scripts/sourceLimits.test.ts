/**
 * Limits of the compiler's source: no file above 400 lines, no function above 80. Exempt are
 * `codes.ts`, which `scripts/diagnostics.ts` writes, and functions of tests, whose `describe` holds
 * every case. What is still longer is listed with its lines: it may shrink, and not grow.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parseAst } from 'vite';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const MOST_LINES_OF_A_FILE = 400;
const MOST_LINES_OF_A_FUNCTION = 80;
const GENERATED = ['compiler/codes.ts'];

const LONG_FILES: Readonly<Record<string, number>> = {
  'compiler/2-lower/expressions.ts': 431,
  'compiler/4-distribute/testing/kernels.ts': 450,
  'compiler/5-threads/testing/randomStatements.ts': 552,
  'compiler/5-threads/testing/randomTiles.ts': 664,
  'compiler/inspect/inspect.test.ts': 420,
  'compiler/interpret/interpret.test.ts': 470,
};
const LONG_FUNCTIONS: Readonly<Record<string, number>> = {
  'compiler/1-parse/convert.ts convertStatement': 92,
  'compiler/1-parse/convertExpression.ts convertNode': 176,
  'compiler/2-lower/attributes.ts find': 90,
  'compiler/2-lower/expressions.ts evaluateHere': 113,
  'compiler/2-lower/lower.ts lowerKernel': 81,
  'compiler/4-distribute/allocate_shared_memory.ts allocate_shared_memory': 116,
  'compiler/4-distribute/pipeline_loads.ts rebuild': 89,
  'compiler/4-distribute/testing/checkContract.ts checkContract': 119,
  'compiler/5-threads/demandedElements.ts demandedRegisters': 99,
  'compiler/5-threads/loopForm/loopForm.ts reduceManyInLoop': 81,
  'compiler/5-threads/testing/run.ts launchKernel': 105,
  'compiler/inspect/races.ts constructor': 97,
  'compiler/interpret/dot.ts dotStep': 82,
  'compiler/language/symbols.ts visit': 82,
};

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

/** Each that is longer than `limit`, or than it was where it is listed; and stale entries. */
function problems(
  lengths: ReadonlyMap<string, number>,
  listed: Readonly<Record<string, number>>,
  limit: number,
): string[] {
  const long = [...lengths].filter(([name, lines]) => lines > (listed[name] ?? limit));
  const stale = Object.keys(listed).filter((name) => (lengths.get(name) ?? 0) <= limit);
  return [
    ...long.map(([name, lines]) => `${name} has ${lines} lines, ${listed[name] ?? limit} at most`),
    ...stale.map((name) => `${name} is short enough: take it off the list`),
  ];
}

describe('the compiler', () => {
  const files = readdirSync(join(ROOT, 'compiler'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((file) => !GENERATED.includes(file))
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

  it('has no file of more than 400 lines', () => {
    const lengths = new Map(files.map(({ file, text }) => [file, lineCount(text)]));
    expect(problems(lengths, LONG_FILES, MOST_LINES_OF_A_FILE)).toEqual([]);
  });

  it('has no function of more than 80 lines', () => {
    const lengths = new Map<string, number>();
    for (const { file, text } of files.filter((each) => !each.file.endsWith('.test.ts')))
      for (const { name, lines } of functionsOf(text)) {
        const key = `${file} ${name}`;
        lengths.set(key, Math.max(lines, lengths.get(key) ?? 0));
      }
    expect(lengths.size).toBeGreaterThan(files.length);
    expect(problems(lengths, LONG_FUNCTIONS, MOST_LINES_OF_A_FUNCTION)).toEqual([]);
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
  it('reports what is too long, what grew, and what shrank', () => {
    const lengths = new Map([
      ['a', 5],
      ['b', 9],
      ['c', 8],
      ['d', 3],
    ]);
    expect(problems(lengths, { b: 8, c: 8, d: 6 }, 4)).toEqual([
      'a has 5 lines, 4 at most',
      'b has 9 lines, 8 at most',
      'd is short enough: take it off the list',
    ]);
  });
});
