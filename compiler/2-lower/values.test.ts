/**
 * Whole kernels, lowered and run by our interpreter, against what Triton's interpreter computed
 * (`testdata/values.py`, `values.json`). This is what checks the library written in Triton, carried
 * variables and early returns by their results.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { testParser } from '../1-parse/testing';
import { runInterpreter } from '../interpret/index';
import { verify } from '../ir/verifier';
import { lowerText } from './testing';

const path = (name: string): URL => new URL(`./testdata/${name}`, import.meta.url);
const text = readFileSync(path('values.py'), 'utf8');
const wanted = JSON.parse(readFileSync(path('values.json'), 'utf8')) as Record<
  string,
  { readonly F: number[]; readonly J: number[] }
>;

const SIZE = 1024;
/** Results of transcendental functions may differ by this, relative to 1 and to the number. */
const TOLERANCE = 2e-6;

function compare(found: ArrayLike<number>, expected: readonly number[], name: string): void {
  const wrong: string[] = [];
  for (let i = 0; i < SIZE; i++) {
    const [a, b] = [found[i]!, expected[i] ?? 0];
    if (Math.abs(a - b) > TOLERANCE * Math.max(1, Math.abs(b)))
      wrong.push(`${name}[${i}]: ${a} ≠ ${b}`);
  }
  expect(wrong).toEqual([]);
}

describe('kernels give what they give in Triton', async () => {
  const parser = await testParser();
  for (const [name, expected] of Object.entries(wanted))
    test(name, () => {
      const { func, diagnostics } = lowerText(parser, text, name, {
        X: '*fp32',
        I: '*i32',
        F: '*fp32',
        J: '*i32',
        n: 'i32',
        s: 'fp32',
      });
      expect(diagnostics.filter((d) => d.severity === 'error')).toEqual([]);
      expect(verify(func!)).toEqual([]);
      const x = Float32Array.from({ length: SIZE }, (_, k) => (((k * 37) % 101) - 50) / 8);
      const i = Int32Array.from({ length: SIZE }, (_, k) => ((k * 53) % 97) - 48);
      const f = new Float32Array(SIZE);
      const j = new Int32Array(SIZE);
      const memory = [x, i, f, j].map((array, index) => ({
        address: 65_536 * (index + 1),
        bytes: new Uint8Array(array.buffer),
      }));
      const args = [...memory.map(({ address }) => address), 5, 0.75];
      runInterpreter({ func: func!, args, memory, grid: [2, 1, 1] });
      compare(f, expected.F, 'F');
      compare(j, expected.J, 'J');
    });
});

// Triton's interpreter does not run topk on rows; its result is plain enough to say here.
describe('library functions by their definition', async () => {
  const parser = await testParser();
  const run = (body: string): Float32Array => {
    const kernel = `import triton
import triton.language as tl
@triton.jit
def kernel(X, F):
    rows = tl.arange(0, 4)
    columns = tl.arange(0, 16)
    at = rows[:, None] * 16 + columns[None, :]
    x = tl.load(X + at)
    ${body}
`;
    const { func, diagnostics } = lowerText(parser, kernel, 'kernel', { X: '*fp32', F: '*fp32' });
    expect(diagnostics).toEqual([]);
    const memory = [input, new Float32Array(64)].map((array, i) => ({
      address: 4096 * (i + 1),
      bytes: new Uint8Array(array.buffer),
    }));
    runInterpreter({ func: func!, args: [4096, 8192], memory, grid: [1, 1, 1] });
    return new Float32Array(memory[1]!.bytes.buffer);
  };
  const input = Float32Array.from({ length: 64 }, (_, k) => ((k * 37) % 101) / 16 - 3);
  const row = (i: number): number[] => [...input.slice(i * 16, i * 16 + 16)];

  test('softmax of rows', () => {
    const found = run('tl.store(F + at, tl.softmax(x, 1, keep_dims=True))');
    const expected = [0, 1, 2, 3].flatMap((i) => {
      const exps = row(i).map((v) => Math.exp(v - Math.max(...row(i))));
      const sum = exps.reduce((a, b) => a + b);
      return exps.map((e) => e / sum);
    });
    compare([...found, ...Array<number>(SIZE).fill(0)], expected, 'F');
  });
  for (const [call, descending] of [
    ['tl.topk(x, 4)', true],
    ['tl.topk(x, 4, descending=False)', false],
  ] as const)
    test(call, () => {
      const at = 'F + rows[:, None] * 4 + tl.arange(0, 4)[None, :]';
      const found = run(`tl.store(${at}, ${call})`);
      const expected = [0, 1, 2, 3].flatMap((i) =>
        row(i)
          .sort((a, b) => (descending ? b - a : a - b))
          .slice(0, 4),
      );
      expect([...found.slice(0, 16)]).toEqual(expected);
    });
});
