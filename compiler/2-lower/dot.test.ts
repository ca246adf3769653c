/**
 * `tl.dot` and `tl.dot_scaled`: dtypes and refusals as in Triton 3.8, and what the products are.
 */
import { describe, expect, test } from 'vitest';
import { testParser } from '../1-parse/testing/testParser';
import { runInterpreter } from '../interpret/index';
import { walk } from '../ir/ir';
import { floatBits, floatFromBits, roundFloat } from '../ir/numbers';
import { printType } from '../ir/printer';
import type { FloatType } from '../ir/types';
import type { StaticValue } from '../program';
import { lowerText, type ArgumentText } from './testing/lowerText';

const HEADER = 'import triton\nimport triton.language as tl\n@triton.jit\n';
const parser = await testParser();

function lowerBody(body: string): { readonly types: string[]; readonly errors: string[] } {
  const lines = body.split('\n').map((line) => `    ${line}\n`);
  const text = `${HEADER}def kernel(X):\n${lines.join('')}`;
  const { func, diagnostics } = lowerText(parser, text, 'kernel', { X: '*fp32' });
  const types: string[] = [];
  if (func)
    walk(func.body, (op) => {
      if (op.name === 'tt.print') types.push(printType(op.operand(0).type));
    });
  return { types, errors: diagnostics.map(({ code, message }) => `${code} ${message}`) };
}
const tiles = (a: string, b: string, m = 16, k = 32, n = 16): string =>
  `a = tl.full([${m}, ${k}], 1, tl.float32).to(tl.${a})\n` +
  `b = tl.full([${k}, ${n}], 1, tl.float32).to(tl.${b})\n`;

describe('tl.dot gives', () => {
  test.each([
    ['float16', 'float16', '', 'f32'],
    ['float16', 'float16', ', out_dtype=tl.float16', 'f16'],
    ['bfloat16', 'bfloat16', ', out_dtype=tl.float16', 'f32'],
    ['float32', 'float32', ', input_precision="bf16x6"', 'f32'],
    ['float64', 'float64', ', input_precision="ieee"', 'f64'],
    ['int8', 'int8', '', 'i32'],
    ['int8', 'int8', ', out_dtype=tl.int32', 'i32'],
    ['float8e4nv', 'float8e5', '', 'f32'],
    ['float8e4nv', 'float8e4nv', ', max_num_imprecise_acc=32', 'f32'],
  ])('%s by %s%s: %s', (a, b, more, type) => {
    const { types, errors } = lowerBody(`${tiles(a, b)}print("c", tl.dot(a, b${more}))`);
    expect(errors).toEqual([]);
    expect(types).toEqual([`tensor<16x16x${type}>`]);
  });
  test('batches of any number of dimensions', () => {
    const { types, errors } = lowerBody(
      'a = tl.zeros([2, 4, 1, 16], tl.float16)\nb = tl.zeros([2, 4, 16, 2], tl.float16)\n' +
        'print("c", tl.dot(a, b, acc=tl.zeros([2, 4, 1, 2], tl.float32)))',
    );
    expect(errors).toEqual([]);
    expect(types).toEqual(['tensor<2x4x1x2xf32>']);
  });
});

describe('tl.dot refuses', () => {
  test.each([
    ['float16', 'float32', 16, '', /HC0204 .*same dtype/],
    ['float16', 'float16', 8, '', /HC0202 .*K >= 16/],
    ['float32', 'float32', 4, '', /HC0202 .*K >= 8/],
    ['float64', 'float64', 2, '', /HC0202 .*K >= 4/],
    ['int8', 'int8', 16, '', /HC0202 .*K >= 32/],
    ['uint8', 'uint8', 32, '', /HC0205 .*int8 only/],
    ['int32', 'int32', 32, '', /HC0205 .*does not take/],
    ['float16', 'float16', 16, ', out_dtype=tl.bfloat16', /HC0205 .*bfloat16 is unsupported/],
    ['float16', 'float16', 16, ', acc=tl.zeros([16, 8], tl.float32)', /HC0202 .*shape/],
    [
      'float32',
      'float32',
      16,
      ', acc=tl.zeros([16, 16], tl.float32), out_dtype=tl.float16',
      /HC0204 .*expected an accumulator of dtype fp16/,
    ],
    ['float32', 'float32', 16, ', input_precision="tf16"', /HC0215 .*must be one of/],
    ['float8e5', 'float8e5', 32, ', max_num_imprecise_acc=64', /HC0215 .*<= K/],
  ])('%s by %s, K = %i%s', (a, b, k, more, message) => {
    const { errors } = lowerBody(`${tiles(a, b, 16, k)}c = tl.dot(a, b${more})`);
    expect(errors.join('\n')).toMatch(message);
  });
});

// ── dot_scaled
// ──────────────────────────────────────────────────────────────────────────────────────
const KERNEL = `${HEADER}def kernel(A, B, S, T, O, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
           FA: tl.constexpr, FB: tl.constexpr, PA: tl.constexpr, PB: tl.constexpr,
           FAST: tl.constexpr):
    m = tl.arange(0, M if PA else M // 2)
    n = tl.arange(0, N if PB else N // 2)
    KA: tl.constexpr = K // 2 if FA == "e2m1" and PA else K
    KB: tl.constexpr = K // 2 if FB == "e2m1" and PB else K
    a = tl.load(A + m[:, None] * KA + tl.arange(0, KA)[None, :])
    b = tl.load(B + tl.arange(0, KB)[:, None] * (N if PB else N // 2) + n[None, :])
    groups = tl.arange(0, K // 32)
    if S is not None:
        S = tl.load(S + tl.arange(0, M)[:, None] * (K // 32) + groups[None, :])
    if T is not None:
        T = tl.load(T + tl.arange(0, N)[:, None] * (K // 32) + groups[None, :])
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    c = tl.dot_scaled(a, S, FA, b, T, FB, fast_math=FAST, lhs_k_pack=PA, rhs_k_pack=PB)
    tl.store(O + at, c)
`;
const [M, N, K] = [4, 8, 64];
type Format = 'e2m1' | 'e4m3' | 'e5m2' | 'bf16' | 'fp16';
const ELEMENTS: Record<Exclude<Format, 'e2m1'>, FloatType> = {
  e4m3: 'f8E4M3FN',
  e5m2: 'f8E5M2',
  bf16: 'bf16',
  fp16: 'f16',
};
const E2M1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6, -0, -0.5, -1, -1.5, -2, -3, -4, -6];
const hash = (i: number): number => (Math.imul(i + 31, 0x9e3779b1) >>> 9) & 0xffff;

/** Row-major numbers and their memory; e2m1 packed along `packed`, 0 for rows and 1 for columns. */
function matrix(
  format: Format,
  rows: number,
  columns: number,
  packed: 0 | 1,
  seed: number,
): { readonly values: number[]; readonly bytes: Uint8Array<ArrayBuffer> } {
  if (format === 'e2m1') {
    const codes = Array.from({ length: rows * columns }, (_, i) => hash(i + seed) & 15);
    const wide = packed === 1 ? columns / 2 : columns;
    const bytes = Uint8Array.from({ length: codes.length / 2 }, (_, i) => {
      const [r, c] = [Math.floor(i / wide), i % wide];
      const first = packed === 1 ? r * columns + 2 * c : 2 * r * columns + c;
      return codes[first]! | (codes[first + (packed === 1 ? 1 : columns)]! << 4);
    });
    return { values: codes.map((code) => E2M1[code]!), bytes };
  }
  const type = ELEMENTS[format];
  const size = format === 'bf16' || format === 'fp16' ? 2 : 1;
  const bytes = new Uint8Array(rows * columns * size);
  const values = Array.from({ length: rows * columns }, (_, i) => {
    const x = roundFloat(type, (hash(i + seed) - 32768) / 4096);
    const bits = floatBits(type, x);
    for (let k = 0; k < size; k++) bytes[i * size + k] = Number((bits >> BigInt(8 * k)) & 0xffn);
    return floatFromBits(type, bits);
  });
  return { values, bytes };
}

const NONE = { constexpr: { kind: 'none' } } as const;
function fixed(value: number | boolean | string): StaticValue {
  if (typeof value === 'boolean') return { kind: 'bool', value };
  if (typeof value === 'string') return { kind: 'string', value };
  return { kind: 'int', value: String(value) };
}

describe('tl.dot_scaled', () => {
  const dtypes = { e2m1: 'u8', e4m3: 'u8', e5m2: 'fp8e5', bf16: 'bf16', fp16: 'fp16' } as const;
  test.each<[Format, Format, boolean, boolean, boolean, boolean]>([
    ['e2m1', 'e2m1', true, true, true, true],
    ['e2m1', 'e2m1', true, true, false, true],
    ['e2m1', 'e4m3', true, true, true, true],
    ['e4m3', 'e2m1', true, true, true, false],
    ['e5m2', 'e4m3', true, false, true, true],
    ['bf16', 'e2m1', false, true, true, true],
    ['e5m2', 'fp16', true, false, true, true],
    ['fp16', 'bf16', false, false, true, true],
  ])('%s by %s, scales %s %s, packed along K %s %s', (fa, fb, sa, sb, pa, pb) => {
    const a = matrix(fa, M, K, pa ? 1 : 0, 1);
    const b = matrix(fb, K, N, pb ? 0 : 1, 1000);
    const s = Uint8Array.from({ length: M * 2 }, (_, i) => 120 + (hash(i) % 16));
    const t = Uint8Array.from({ length: N * 2 }, (_, i) => 120 + (hash(i + 7) % 16));
    [s[1], s[4]] = [255, 0];
    for (const fast of [false, true]) {
      const args: Record<string, ArgumentText> = {
        A: `*${dtypes[fa]}`,
        B: `*${dtypes[fb]}`,
        S: sa ? '*u8' : NONE,
        T: sb ? '*u8' : NONE,
        O: '*fp32',
        ...Object.fromEntries(
          Object.entries({ M, N, K, FA: fa, FB: fb, PA: pa, PB: pb, FAST: fast }).map(
            ([name, value]) => [name, { constexpr: fixed(value) }],
          ),
        ),
      };
      const { func, diagnostics } = lowerText(parser, KERNEL, 'kernel', args);
      expect(diagnostics).toEqual([]);
      const out = new Float32Array(M * N);
      const buffers = [a.bytes, b.bytes, ...(sa ? [s] : []), ...(sb ? [t] : [])];
      const memory = [...buffers, new Uint8Array(out.buffer)].map((bytes, i) => ({
        address: 65_536 * (i + 1),
        bytes,
      }));
      runInterpreter({
        func: func!,
        args: memory.map(({ address }) => address),
        memory,
        grid: [1, 1, 1],
      });
      const factor = (code: number): number =>
        code === 255 ? (fast ? Infinity : NaN) : code === 0 ? 0 : 2 ** (code - 127);
      const wrong: string[] = [];
      for (let i = 0; i < M * N; i++) {
        const [m, n] = [Math.floor(i / N), i % N];
        let sum = 0;
        for (let k = 0; k < K; k++) {
          const group = Math.floor(k / 32);
          const x = a.values[m * K + k]! * (sa ? factor(s[m * 2 + group]!) : 1);
          sum += x * b.values[k * N + n]! * (sb ? factor(t[n * 2 + group]!) : 1);
        }
        const close = Math.abs(sum - out[i]!) <= 1e-5 * Math.max(1, Math.abs(sum));
        if (!close && !Object.is(sum, out[i])) wrong.push(`[${m}, ${n}]: ${out[i]}, not ${sum}`);
      }
      expect(wrong).toEqual([]);
    }
  });

  test.each([
    ['a, s, "e3m4", b, t, "e5m2"', /HC0215 .*must be one of/],
    ['a, s, "fp16", b, t, "e5m2"', /HC0204 .*unexpected dtype for fp16/],
    ['a, s, "e5m2", b, t, "e5m2", lhs_k_pack=False', /HC0215 .*only mxfp4/],
    ['a, s, "e5m2", b, t, "e2m1"', /HC0202 .*are incompatible|same scale factor/],
    ['a, tl.join(s, s).reshape(16, 4), "e5m2", b, t, "e5m2"', /HC0202 .*lhs: 16 vs rhs: 32/],
    ['a, s, "e5m2", b, t, "e5m2", out_dtype=tl.float16', /HC0215 .*out_dtype/],
    ['a, s, "e5m2", b, t, "e5m2", acc=tl.zeros([16, 16], tl.float16)', /HC0204 .*accumulator/],
  ])('refuses %s', (call, message) => {
    const { errors } = lowerBody(
      'a = tl.zeros([16, 64], tl.uint8)\nb = tl.zeros([64, 16], tl.uint8)\n' +
        's = tl.zeros([16, 2], tl.uint8)\nt = tl.zeros([16, 2], tl.uint8)\n' +
        `c = tl.dot_scaled(${call})`,
    );
    expect(errors.join('\n')).toMatch(message);
  });
});
