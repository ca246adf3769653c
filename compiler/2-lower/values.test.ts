/**
 * Whole kernels, lowered and run by our interpreter, against what Triton's interpreter computed
 * (`testdata/values.py`, `values.json`). This is what checks the library written in Triton, carried
 * variables and early returns by their results.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { testParser } from '../1-parse/testing/testParser';
import { runInterpreter } from '../interpret/index';
import { verify } from '../ir/verifier';
import { outline } from '../1-parse/outline';
import { lower } from './lower';
import { lowerText } from './testing/lowerText';

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
  for (const descending of [false, true])
    test(`sort of rows${descending ? ', downwards' : ''}`, () => {
      const flag = descending ? 'True' : 'False';
      const found = run(`tl.store(F + at, tl.sort(x, descending=${flag}))`);
      const sorted = (i: number): number[] => row(i).sort((a, b) => (descending ? b - a : a - b));
      expect([...found]).toEqual([0, 1, 2, 3].flatMap(sorted));
    });
  test('bitonic_merge of a row that goes up and down', () => {
    const found = run(
      'tl.store(F + at, tl.bitonic_merge(tl.where(columns < 8, columns, 20 - columns)))',
    );
    const wanted = Array.from({ length: 16 }, (_, i) => (i < 8 ? i : 20 - i)).sort((a, b) => a - b);
    expect([...found]).toEqual([0, 1, 2, 3].flatMap(() => wanted));
  });
  test('flip of either dimension', () => {
    const found = run('tl.store(F + at, tl.flip(x, 0) + 100 * tl.flip(x))');
    const wanted = [...found].map((_, k) => {
      const [i, j] = [k >> 4, k & 15];
      return Math.fround(input[(3 - i) * 16 + j]! + Math.fround(100 * input[i * 16 + 15 - j]!));
    });
    expect([...found]).toEqual(wanted);
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

test('a tensor descriptor made on the host loads and stores within its bounds', async () => {
  const parser = await testParser();
  const text = `import triton
import triton.language as tl
@triton.jit
def kernel(desc, F):
    tl.static_assert(isinstance(desc, tl.tensor_descriptor))
    x = desc.load([2, 4])
    r = tl.arange(0, 4)
    tl.store(F + r[:, None] * 8 + tl.arange(0, 8)[None, :], x)
    desc.store([3, 0], x + 100)
`;
  const [kernel] = outline({ 'test.py': text }, parser);
  const scalar = { kind: 'scalar', dtype: 'int64', divisibleBy16: false } as const;
  const pointer = { kind: 'pointer', dtype: 'float32', divisibleBy16: true } as const;
  const descriptor = { blockShape: [4, 8], padding: 'zero' };
  const items = [{ ...pointer, group: 0 }, scalar, scalar, scalar, scalar];
  const { func, diagnostics } = lower(
    {
      program: kernel!.program,
      specialization: {
        arguments: [
          { kind: 'tuple', items, descriptor },
          { ...pointer, group: 1 },
        ],
        numWarps: 4,
      },
    },
    {},
    parser,
  );
  expect(diagnostics).toEqual([]);
  // 5 rows of 10 in a storage whose rows are 12 apart.
  const x = Float32Array.from({ length: 60 }, (_, i) => i + 1);
  const f = new Float32Array(32);
  const memory = [x, f].map((array, i) => ({
    address: 4096 * (i + 1),
    bytes: new Uint8Array(array.buffer),
  }));
  const before = [...x];
  runInterpreter({ func: func!, args: [4096, 5n, 10n, 12n, 1n, 8192], memory, grid: [1, 1, 1] });
  const at = (r: number, c: number): number => (r < 5 && c < 10 ? before[r * 12 + c]! : 0);
  expect([...f]).toEqual(Array.from({ length: 32 }, (_, i) => at(2 + (i >> 3), 4 + (i & 7))));
  const after = before.map((value, i) => {
    const [r, c] = [Math.floor(i / 12), i % 12];
    return r >= 3 && c < 8 ? f[(r - 3) * 8 + c]! + 100 : value;
  });
  expect([...x]).toEqual(after);
});
