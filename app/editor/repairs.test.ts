/** Every repair is applied, and what it was for is gone: by the checks that the editor makes. */
import { beforeAll, expect, it } from 'vitest';
import { join } from 'node:path';
import type { Parser } from '../../compiler/1-parse/parser';
import { indexAt } from '../../compiler/1-parse/tree';
import type { Diagnostic } from '../../compiler/diagnostics';
import { createCompiler, type Compiler } from '../../compiler/pipeline';
import { nodeParser } from '../cli/nodeParser';
import { checkProgram } from '../../compiler/language/checkProgram';

let parser: Parser;
let compiler: Compiler;
beforeAll(async () => {
  parser = await nodeParser(join(import.meta.dirname, '..', '..'));
  compiler = createCompiler(parser);
});

const IMPORTS = 'import torch\nimport triton\nimport triton.language as tl\n';
const HEAD = '\n\n@triton.jit\ndef k(x_ptr, y_ptr, n, BLOCK: tl.constexpr = 16):\n';
const body = (...lines: string[]): string => lines.map((line) => `    ${line}\n`).join('');
const check = (text: string): readonly Diagnostic[] =>
  checkProgram({ 'a.py': text }, parser, compiler).diagnostics;

function apply(text: string, fix: NonNullable<Diagnostic['fix']>): string {
  const { endLine, endColumn } = fix.location;
  const end = indexAt(text, { line: endLine, column: endColumn });
  return text.slice(0, indexAt(text, fix.location)) + fix.text + text.slice(end);
}

const TILE = 'o = tl.arange(0, 16)';
const LOAD = 'x = tl.load(x_ptr + o[:, None] * 16 + o[None, :])';
const STORE = 'tl.store(y_ptr + o[:, None] * 16 + o[None, :], y)';
/** The code, a program, the repair's title, and what then stands in the text. */
const CASES: readonly (readonly [string, string, string, string])[] = [
  [
    'HC0203',
    IMPORTS + HEAD + body('o = tl.arange(0, 100)', 'tl.store(y_ptr + o, o, mask=o < n)'),
    'Use 128 (and mask what is beyond 100)',
    'o = tl.arange(0, 128)\n',
  ],
  [
    'HC0110',
    IMPORTS + HEAD + body(TILE, 'tl.store(y_ptr + o, o, mask=0 <= o < max(n, 3))'),
    'Write it with &',
    'mask=(0 <= o) & (o < max(n, 3)))',
  ],
  [
    'HC0301',
    IMPORTS + HEAD + body(TILE, 'tl.store(y_ptr + o, o, mask=o > 0 and o < n)'),
    'Write it with &',
    'mask=(o > 0) & (o < n))',
  ],
  [
    'HC0204',
    IMPORTS + HEAD + body(TILE, LOAD, 'y = x @ tl.trans(x)', STORE),
    'Use tl.dot',
    'y = tl.dot(x, tl.trans(x))\n',
  ],
  [
    'HC0201',
    IMPORTS + HEAD + body(TILE, 'tl.store(y_ptr + o, o + int(n + 1))'),
    'Convert it to tl.int32',
    'o + (n + 1).to(tl.int32))',
  ],
  [
    'HC0218',
    IMPORTS +
      HEAD +
      body(
        'p = tl.make_block_ptr(x_ptr, (64,), (1,), (0,), (16,), (0,))',
        'tl.advance(p, (16,))',
        'tl.store(y_ptr + tl.arange(0, 16), tl.load(p))',
      ),
    'Assign it to p',
    '    p = tl.advance(p, (16,))\n',
  ],
  [
    'HC0104',
    `${IMPORTS}\nSCALE = 4.0  # times${HEAD}${body(TILE, 'tl.store(y_ptr + o, o * SCALE)')}`,
    'Make SCALE a tl.constexpr',
    'SCALE = tl.constexpr(4.0)  # times',
  ],
  [
    'HC0103',
    `import triton\n${HEAD}${body(TILE, 'tl.store(y_ptr + o, o)')}`.replace(': tl.constexpr', ''),
    'Add “import triton.language as tl”',
    'import triton\nimport triton.language as tl\n',
  ],
  [
    'HC0101',
    IMPORTS + HEAD + body('o = tl.arange(0, 16  # all', 'tl.store(y_ptr + o, o)'),
    'Insert ) at the end of line 8',
    'tl.arange(0, 16)  # all\n',
  ],
  [
    'HC0101',
    IMPORTS + HEAD + body(TILE, 'if n > 2', '    tl.store(y_ptr + o, o)'),
    'Insert : at the end of line 9',
    'if n > 2:\n',
  ],
  [
    'HC0101',
    IMPORTS + HEAD.replace('):', ')') + body(TILE, 'tl.store(y_ptr + o, o)'),
    'Insert : at the end of line 7',
    'tl.constexpr = 16):\n',
  ],
];

for (const [code, text, title, then] of CASES)
  it(`mends ${code}: ${title}`, () => {
    const found = check(text).find((one) => one.code === code);
    expect(found?.fix?.title).toBe(title);
    const mended = apply(text, found!.fix!);
    expect(mended).toContain(then);
    // Block pointers are deprecated, and stay so.
    const left = check(mended).filter(({ code }) => code !== 'HC0301');
    expect(left.map((one) => `${one.code} ${one.message}`)).toEqual([]);
  });

it('leaves alone what it cannot mend by spelling', () => {
  const unknown = IMPORTS + HEAD + body('tl.store(y_ptr, nowhere)');
  expect(check(unknown)[0]).not.toHaveProperty('fix');
  // The value goes on in the next line.
  const long = `${IMPORTS}\nTABLE = (1,\n  2)${HEAD}${body('tl.store(y_ptr, TABLE[0])')}`;
  expect(check(long).every((one) => one.fix === undefined)).toBe(true);
});
