/** Diagnostics of wrong programs: the code, the line, the message, the fix. */
import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../diagnostics';
import { testParser } from '../1-parse/testing/testParser';
import { CODES } from './codes';
import { lowerText, type ArgumentText } from './testing/lowerText';

const parser = await testParser();
const HEADER = 'import triton\nimport triton.language as tl\nPLAIN = 3\n';
const ARGS: Record<string, ArgumentText> = {
  X: '*fp32',
  H: '*fp16',
  I: '*i8',
  D: '*fp64',
  n: 'i32',
  B: { constexpr: { kind: 'int', value: '16' } },
};
/** The body's first line is line 1. */
function errors(body: string, helpers = ''): Diagnostic[] {
  const before = `${HEADER}${helpers}\n@triton.jit\ndef kernel(X, H, I, D, n, B: tl.constexpr):\n`;
  const lines = before.split('\n').length - 1;
  const indented = body
    .split('\n')
    .map((line) => `    ${line}\n`)
    .join('');
  const { diagnostics, func } = lowerText(parser, before + indented, 'kernel', ARGS);
  expect(func === undefined).toBe(diagnostics.some((d) => d.severity === 'error'));
  return diagnostics.map((d) => ({
    ...d,
    location: { ...d.location, line: d.location.line - lines },
  }));
}

const LOAD = 'r = tl.arange(0, 16)\nx = tl.load(X + r)\nh = tl.load(H + r)\n';

describe('errors name the place and what to do', () => {
  const cases: [string, string, number, RegExp][] = [
    ['x = tl.arange(0, n)', 'HC0201', 1, /n: tl\.constexpr/],
    ['k = 16\nx = tl.arange(0, k)', 'HC0201', 2, /k: tl\.constexpr = /],
    ['x = tl.arange(0, 100)', 'HC0203', 1, /got 100.*128/],
    ['x = tl.zeros((3, 16), tl.float32)', 'HC0203', 1, /power of 2, got 3/],
    ['x = tl.lod(X)', 'HC0105', 1, /tl has no lod.*tl\.load\?/],
    ['x = tl.max_contigous(n, 16)', 'HC0105', 1, /max_contiguous/],
    ['y = nn + 1', 'HC0103', 1, /nn is not defined/],
    ['y = n + PLAIN', 'HC0104', 1, /PLAIN = tl\.constexpr/],
    [`${LOAD}y = x + tl.arange(0, 32)`, 'HC0202', 4, /\[16\] and \[32\].*16 and 32/],
    [`${LOAD}y = tl.dot(x, x)`, 'HC0202', 4, /rank/],
    ['for i in range(n):\n    if i > 3:\n        break', 'HC0111', 3, /break/],
    ['for i in range(n):\n    continue', 'HC0111', 2, /continue/],
    ['for i in range(n):\n    return', 'HC0112', 2, /loop/],
    ['for i in [1, 2]:\n    pass', 'HC0113', 1, /range/],
    ['y = 0 < n < 5', 'HC0110', 1, /chained/],
    [`${LOAD}for i in range(n):\n    h = h * 2.5 + x`, 'HC0208', 4, /fp16\[16\].*fp32\[16\]/],
    [`${LOAD}if n > 1:\n    y = x\nelse:\n    y = h\ntl.store(X + r, y)`, 'HC0209', 4, /y/],
    [`${LOAD}if x > 0:\n    pass`, 'HC0210', 4, /ambiguous/],
    ['if n > 1:\n    y = 1\ntl.store(X, y)', 'HC0114', 3, /only one branch/],
    ['for i in range(n):\n    y = i\ntl.store(X, y)', 'HC0114', 3, /inside the loop/],
    ['d = tl.load(D)\ne = tl.extra.libdevice.erfinv(d)', 'HC0206', 2, /float64/],
    [`${LOAD}y = tl.exp(h)`, 'HC0205', 4, /\.to\(tl\.float32\)/],
    ['y = tl.load(I) + 300', 'HC0207', 1, /300/],
    ['B = 3\ntl.static_assert(False, f"no {n}")', 'HC0201', 2, /f-string/],
    ['tl.static_assert(B == 3, f"B is {B}")', 'HC0213', 1, /B is 16/],
    ['B: tl.constexpr = 3', 'HC0212', 1, /reassigned/],
    ['tl.store(n, 1)', 'HC0204', 1, /pointer/],
    ['x = tl.load(X, 1, 2, 3, 4, 5, 6, 7, 8, 9)', 'HC0107', 1, /positional/],
    ['x = tl.load(X, maks=None)', 'HC0107', 1, /maks/],
    ['x = tl.zeros((1024, 2048), tl.float32)', 'HC0217', 1, /1048576/],
    ['f = lambda x: x', 'HC0102', 1, /lambda/],
    ['a = b = 1', 'HC0102', 1, /one target/],
    [`${LOAD}x[0] = 1`, 'HC0102', 4, /tl\.where/],
    [`${LOAD}y = x[3]`, 'HC0102', 4, /tl\.gather/],
    ['x = "text"', 'HC0204', 1, /x: tl\.constexpr = /],
    ['return n', 'HC0220', 1, /cannot return/],
    ['y = 1 // 0', 'HC0214', 1, /zero/],
    ['print(n, n)', 'HC0215', 1, /string/],
    [`${LOAD}y = x and h`, 'HC0204', 4, /and/],
    ['with open("f"):\n    pass', 'HC0102', 1, /with/],
  ];
  for (const [body, code, line, message] of cases)
    test(body.replace(LOAD, '').replaceAll('\n', ' ⏎ '), () => {
      const found = errors(body).filter((d) => d.severity === 'error');
      expect(found.map((d) => d.message)).toHaveLength(1);
      expect(found[0]).toMatchObject({ code });
      expect(found[0]!.message).toMatch(message);
      if (code !== 'HC0220') expect(found[0]!.location.line).toBe(line);
    });

  test('a missing constexpr offers to declare it', () => {
    const [error] = errors('x = tl.arange(0, n)');
    expect(error!.fix).toMatchObject({ text: 'n: tl.constexpr', location: { column: 24 } });
  });
  test('a misspelt name offers the right one, at the name', () => {
    const [error] = errors('x = tl.lod(X)');
    expect(error!.fix).toMatchObject({ text: 'load', location: { column: 12, endColumn: 15 } });
  });
  test('several errors show, consequences do not', () => {
    const found = errors(
      'x = tl.lod(X)\ny = x + 1\nz = tl.arange(0, 3)\nif n > y:\n    w = undefined_name\ntl.store(X, z)',
    );
    expect(found.map((d) => d.location.line)).toEqual([1, 3]);
  });
  test('an error in a helper says who called it', () => {
    const helper = '@triton.jit\ndef helper(v):\n    return tl.exp(v)\n';
    const [error] = errors(`${LOAD}y = helper(h)`, helper);
    expect(error!.location.line).toBeLessThan(0);
    expect(error!.notes).toMatchObject([{ message: 'called' }]);
  });
  test('an error in our library is shown at the call', () => {
    const [error] = errors(`${LOAD}y = tl.sum(x, axis=3)`);
    expect(error!.location.line).toBe(4);
    expect(error!.message).toMatch(/axis 3/);
  });
  test('recursion ends', () => {
    const helper = '@triton.jit\ndef again(v):\n    return again(v + 1)\n';
    expect(errors('y = again(n)', helper)[0]).toMatchObject({ code: 'HC0219' });
  });
  test('every code is registered', () => {
    for (const [body] of cases) for (const d of errors(body)) expect(CODES).toHaveProperty(d.code);
  });
});

test('static_print prints once, also in loops', () => {
  const printed: string[] = [];
  const text = `${HEADER}
@triton.jit
def kernel(X, B: tl.constexpr):
    for i in range(4):
        tl.static_print("B", B, 1.5, tl.float32)
`;
  const services = { print: (line: string) => printed.push(line) };
  lowerText(parser, text, 'kernel', { X: '*fp32', B: ARGS['B']! }, services);
  expect(printed).toEqual(['B 16 1.5 fp32']);
});

test('locations carry the chain of calls', () => {
  const text = `${HEADER}
@triton.jit
def helper(v):
    return v + 1

@triton.jit
def kernel(X, n):
    tl.store(X, helper(n))
`;
  const { func } = lowerText(parser, text, 'kernel', { X: '*i32', n: 'i32' });
  const add = func!.body.ops.find((op) => op.name === 'arith.addi')!;
  expect(add.location).toMatchObject({ line: 7, inlinedAt: { line: 11, column: 17 } });
});

describe('what Triton warns of, and compiles', () => {
  const cases: [string, string, number, RegExp][] = [
    [`${LOAD}y = max(x, x)`, 'HC0301', 4, /builtin max on non-scalar.*tl\.maximum/],
    [`${LOAD}y = x.view(4, 4)`, 'HC0301', 4, /reshape/],
    [`${LOAD}y = tl.where(r, x, 0.0)`, 'HC0301', 4, /Got int32/],
    ['p = tl.make_block_ptr(X, (n,), (1,), (0,), (16,), (0,))', 'HC0301', 1, /TensorDescriptor/],
    ['if tl.full([1], n, tl.int32) > 1:\n    pass', 'HC0301', 1, /item\(\)/],
    [
      'b = tl.full((32, 32), 0, tl.float8e4b15)\ny = tl.dot(b, b)',
      'HC0301',
      2,
      /fp8e4b15 is deprecated/,
    ],
    [`${LOAD}y = x.to(tl.float8e5b16)`, 'HC0302', 4, /fp8e5b16 is AMD/],
  ];
  test.each(cases)('%s', (body, code, line, message) => {
    const found = errors(body).map((d) => [d.severity, d.code, d.location.line]);
    expect(found).toEqual([['warning', code, line]]);
    expect(errors(body)[0]!.message).toMatch(message);
  });
  test('nothing of two scalars', () => {
    expect(errors('y = max(n, 3)\nif n > y:\n    pass')).toEqual([]);
  });
});
