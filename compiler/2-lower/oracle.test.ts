/**
 * Types and signedness against Triton 3.8's own front end, whose answers `testdata/generate.py`
 * wrote down: which dtype an expression has, and which expressions are rejected.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { walk } from '../ir/ir';
import { printType } from '../ir/printer';
import { verify } from '../ir/verifier';
import type { LowerResult } from './lower';
import { lowerText, type ArgumentText } from './testing/lowerText';

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`./testdata/${name}.json`, import.meta.url), 'utf8')) as T;

interface Promotion {
  readonly expressions: Record<string, string>;
  readonly table: Record<string, Record<string, Record<string, string | null>>>;
}
interface Expressions {
  readonly signature: Record<string, string>;
  readonly prologue: string;
  readonly helpers: string;
  readonly cases: readonly { readonly code: string[]; readonly printed: string[] | null }[];
}
const promotion = read<Promotion>('promotion');
const expressions = read<Expressions>('expressions');

/**
 * Differences of what we and Triton 3.8 accept, each with its reason.
 */
const DIFFERENT: Record<string, string> = {
  'tl.flip(f)':
    'Triton 3.8 compares None with a number here; dim=None is documented as the last one',
  'not i32': 'ours is an error too',
};

const HEADER = 'import triton\nimport triton.language as tl\n';
let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

/** The types of what the kernel prints, with signedness; null where it is rejected. */
function printed(result: LowerResult): string[] | null {
  if (!result.func) return null;
  expect(verify(result.func)).toEqual([]);
  const out: string[] = [];
  walk(result.func.body, (op) => {
    if (op.name !== 'tt.print') return;
    const signed = op.attributes['signed'] as readonly boolean[];
    op.operands.forEach((value, i) =>
      out.push(`${printType(value.type)} ${signed[i] ? 'signed' : 'unsigned'}`),
    );
  });
  return out;
}

describe('binary operations promote as in Triton', () => {
  for (const [operator, expression] of Object.entries(promotion.expressions))
    test(operator, () => {
      const text = `${HEADER}
@triton.jit
def kernel(X, Y, C):
    r = tl.arange(0, 16)
    x = tl.load(X + r)
    y = tl.load(Y + r)
    c = tl.load(C + r)
    tl.device_print("r", ${expression})
`;
      const ours: Promotion['table'][string] = {};
      for (const [x, row] of Object.entries(promotion.table[operator]!)) {
        ours[x] = {};
        for (const y of Object.keys(row)) {
          const found = printed(
            lowerText(parser, text, 'kernel', { X: `*${x}`, Y: `*${y}`, C: '*i1' }),
          );
          ours[x][y] = found && found[0]!.replace(/tensor<16x(.*)>/, '$1');
        }
      }
      expect(ours).toEqual(promotion.table[operator]);
    });
});

describe('expressions have the types they have in Triton', () => {
  const args: Record<string, ArgumentText> = Object.fromEntries(
    Object.entries(expressions.signature).map(([name, type]) => [
      name,
      type === 'constexpr' ? { constexpr: { kind: 'int', value: '4' } } : type,
    ]),
  );
  const parameters = Object.keys(args).join(', ').replace('K', 'K: tl.constexpr');
  for (const { code, printed: wanted } of expressions.cases) {
    const name = code.join(' ⏎ ');
    if (DIFFERENT[name]) continue;
    test(name, () => {
      const body = code.slice(0, -1).map((line) => `    ${line}\n`);
      const text =
        `${HEADER}FOUR = tl.constexpr(4)\nPLAIN = 5\n${expressions.helpers}\n@triton.jit\n` +
        `def kernel(${parameters}):${expressions.prologue}${body.join('')}` +
        `    tl.device_print('r', ${code.at(-1)})\n`;
      const result = lowerText(parser, text, 'kernel', args);
      expect(
        result.diagnostics.filter((d) => d.code === 'HC0399').map((d) => d.message),
        'faults',
      ).toEqual([]);
      const found = printed(result);
      const errors = result.diagnostics.filter((d) => d.severity === 'error');
      expect(found, errors.map((d) => d.message).join('\n')).toEqual(wanted);
    });
  }
});
