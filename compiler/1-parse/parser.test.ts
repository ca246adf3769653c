import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outline } from './outline';
import type { Expression, Statement } from './syntax';
import { functionAt } from './syntax';
import { testParser } from './testing/testParser';

const parser = await testParser();
/** The tree without locations: as a test reads it. */
function bare(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !/location/i.test(key))
      .map(([key, inner]) => [key, bare(inner)]),
  );
}
function statement(text: string): Statement {
  const { body, diagnostics } = parser.parse('t.py', text);
  expect(diagnostics).toEqual([]);
  return body[0]!;
}
function expression(text: string): Expression {
  const node = statement(text);
  if (node.kind !== 'expression') throw new Error(node.kind);
  return node.value;
}

describe('expressions', () => {
  test.each([
    ['1_000', { type: 'int', value: '1000n' }],
    ['0xFF', { type: 'int', value: '255n' }],
    ['123456789012345678901234567890', { type: 'int', value: '123456789012345678901234567890n' }],
    ['0.', { type: 'float', value: 0 }],
    ['1e-5', { type: 'float', value: 1e-5 }],
    ['\'a\' "b\\n"', { type: 'string', value: 'ab\n' }],
    ["r'a\\n'", { type: 'string', value: 'a\\n' }],
    ['None', { type: 'none' }],
    ['True', { type: 'bool', value: true }],
  ])('literal %s', (text, value) => {
    expect(bare(expression(text))).toEqual({ kind: 'literal', value });
  });
  test('and/or flatten, parentheses do not', () => {
    expect(bare(expression('a and b and c'))).toMatchObject({ values: [{}, {}, {}] });
    expect(bare(expression('(a and b) and c or d'))).toMatchObject({
      operator: 'or',
      values: [{ operator: 'and' }, { id: 'd' }],
    });
  });
  test('chains of comparisons keep their operators', () => {
    expect(bare(expression('a < b <= c is not None'))).toMatchObject({
      left: { id: 'a' },
      rest: [
        { operator: '<', operand: { id: 'b' } },
        { operator: '<=', operand: { id: 'c' } },
        { operator: 'is not', operand: { kind: 'literal' } },
      ],
    });
  });
  test('x[:, None] is a tuple of a slice and None', () => {
    expect(bare(expression('x[:, None]'))).toMatchObject({
      kind: 'subscript',
      index: { kind: 'tuple', items: [{ kind: 'slice' }, { kind: 'literal' }] },
    });
    expect(bare(expression('x[0]'))).toMatchObject({ index: { kind: 'literal' } });
  });
  test('an f-string has text and values', () => {
    expect(bare(expression('f"a{x!r}b{{"'))).toMatchObject({
      kind: 'fstring',
      parts: [
        { kind: 'text', text: 'a' },
        { kind: 'value', conversion: 'r' },
        { kind: 'text', text: 'b{' },
      ],
    });
  });
  test('calls: positions, keywords, stars', () => {
    expect(bare(expression('f(a, *b, c=1)'))).toMatchObject({
      args: [{ id: 'a' }, { kind: 'starred' }],
      keywords: [{ name: 'c' }],
    });
  });
  test('what is not ours keeps its name', () => {
    expect(bare(expression('lambda x: x'))).toEqual({ kind: 'unsupported', what: 'lambda' });
  });
});

describe('statements', () => {
  test('elif becomes a nested if', () => {
    const node = statement('if a:\n  x = 1\nelif b:\n  x = 2\nelse:\n  x = 3\n');
    expect(bare(node)).toMatchObject({
      kind: 'if',
      orelse: [{ kind: 'if', test: { id: 'b' }, orelse: [{ kind: 'assign' }] }],
    });
  });
  test('functions: decorators, annotations, defaults, *args', () => {
    const text = '\n@triton.jit(debug=True)\ndef f(x, y: tl.constexpr = 2, *rest):\n    return x\n';
    const module = parser.parse('t.py', text);
    const f = functionAt(module, 2, 'f')!;
    expect(f).toBe(functionAt(module, 3, 'f'));
    expect(bare(f.parameters)).toMatchObject([
      { name: 'x', kind: 'plain' },
      { name: 'y', annotation: { kind: 'attribute' }, default: { kind: 'literal' } },
      { name: 'rest', kind: 'varargs' },
    ]);
    expect(f.body[0]!.location).toMatchObject({ line: 4, column: 5, endColumn: 13 });
  });
  test('a tree is kept for its text', () => {
    expect(parser.parse('t.py', 'x = 1')).toBe(parser.parse('t.py', 'x = 1'));
    expect(parser.parse('t.py', 'x = 2')).not.toBe(parser.parse('u.py', 'x = 1'));
  });
});

const KERNEL = `import triton
import triton.language as tl
from triton.language.extra import libdevice as ld

ROWS = tl.constexpr(4)

@triton.jit
def helper(x, k=2):
    return ld.tanh(x) * k

@triton.autotune(configs=[triton.Config({'BLOCK': 256}, num_warps=8)], key=['n'])
@triton.jit
def kernel(x_ptr, out, n, eps, flag=None, BLOCK: tl.constexpr = 64):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    where = out + at
    tl.store(where, helper(tl.load(x_ptr + at)) * ROWS, mask=at < n)
`;

describe('the outline', () => {
  test('guesses a launch from the text', () => {
    const [first, second] = outline({ 'main.py': KERNEL, 'notes.txt': 'def' }, parser);
    expect(first!.name).toBe('kernel');
    expect(second!.name).toBe('helper');
    expect(first!.guess).toMatchObject({
      numWarps: 8,
      arguments: [
        { kind: 'pointer', dtype: 'float32', group: 0 },
        { kind: 'pointer', dtype: 'float32', group: 1 },
        { kind: 'scalar', dtype: 'int32' },
        { kind: 'scalar', dtype: 'float32' },
        { kind: 'constexpr', value: { kind: 'none' } },
        { kind: 'constexpr', value: { kind: 'int', value: '256' } },
      ],
    });
    const { functions, entry } = first!.program;
    expect(functions[entry]!.globals).toMatchObject({
      tl: { kind: 'triton', path: 'triton.language' },
      ROWS: { kind: 'constexpr', value: { kind: 'int', value: '4' } },
      helper: { kind: 'function' },
    });
  });
  test('reads constants of launches', () => {
    const text = `${KERNEL}\nkernel[(4,)](x, y, 100, 1e-5, BLOCK=1024, num_warps=2)\n`;
    const [first] = outline({ 'main.py': text }, parser);
    expect(first!.guess).toMatchObject({ numWarps: 2 });
    expect(first!.guess!.arguments.at(-1)).toMatchObject({ value: { value: '1024' } });
  });
  test('sees that a parameter is a table of addresses', () => {
    const text = `import triton
import triton.language as tl

@triton.jit
def follow(table, heads, sizes, out):
    head = tl.load(heads + 2 * tl.program_id(0))
    p = tl.load(table + 1).to(tl.pointer_type(tl.float16))
    q = head.to(tl.pointer_type(tl.float16))
    tl.store(out, tl.load(p) + tl.load(q + tl.load(sizes)))
`;
    const [first] = outline({ 'main.py': text }, parser);
    expect(first!.guess!.arguments).toMatchObject(
      ['int64', 'int64', 'int32', 'float32'].map((dtype) => ({ kind: 'pointer', dtype })),
    );
  });
});

describe('half-typed text', () => {
  test('gives diagnostics with a place', () => {
    const { diagnostics, functions } = parser.parse(
      't.py',
      'def f(x):\n    y = x +\n    return y\n',
    );
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(diagnostics[0]).toMatchObject({ code: 'HC0101', location: { line: 2 } });
    expect(functions.map((f) => f.name)).toEqual(['f']);
  });
  test('never throws, wherever the text ends or breaks', () => {
    fc.assert(
      fc.property(
        fc.nat(KERNEL.length),
        fc.nat(20),
        fc.constantFrom('', '(', ']', '"', ':', 'def ', '\n  ', 'é𝄞'),
        (at, skipped, inserted) => {
          const text = KERNEL.slice(0, at) + inserted + KERNEL.slice(at + skipped);
          outline({ 'main.py': text }, parser);
        },
      ),
      { numRuns: 150 },
    );
  });
});
