/**
 * Kernels against the reference, `../elementwise`: the same bits for every operation and pair of
 * dtypes, on edge values and random ones. NaN is one value, whatever its bits.
 */
import { describe, expect, it } from 'vitest';
import { ITEM_SIZE, arrayType, encode, isCoded, isFloat } from '../dtypes';
import type { Dtype, Values } from '../dtypes';
import { binary, resultDtype, unary, where } from '../elementwise';
import { load, loadAs, store } from '../operands';
import type { Operand } from '../operands';
import { elementwise } from './elementwise';

const FLOATS = ['float64', 'float32', 'float16', 'bfloat16'] as const;
const INTEGERS = ['int64', 'int32', 'int16', 'int8', 'uint8', 'uint16', 'bool'] as const;
const DTYPES: readonly Dtype[] = [...FLOATS, ...INTEGERS];
const N = 40_003;

let state = 1;
function random(): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
}

const EDGES = [
  ...[0, -0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, 7, -7, 100, 103.98, -103.98, 88.72284, 89],
  ...[NaN, Infinity, -Infinity, 2 ** -126, 2 ** -149, -(2 ** -149), 2 ** -24, 2 ** -25, 65504],
  ...[65519, 65520, 3.4e38, -3.4e38, 1e300, 2 ** 31, 2 ** 31 - 1, -(2 ** 31), 2 ** 63, 2 ** 53 + 2],
];
const BIG_EDGES = [
  ...[0n, 1n, -1n, 2n, -2n, 7n, -7n, 31n, 32n, 63n, 64n, 65n, 2n ** 31n, -(2n ** 31n), 2n ** 32n],
  ...[2n ** 53n + 1n, 2n ** 62n, 2n ** 63n - 1n, -(2n ** 63n), -(2n ** 63n) + 1n],
];

/** Bytes of `n` elements. `divisor`: no integer is 0. */
function bytesOf(dtype: Dtype, n: number, divisor = false): Uint8Array {
  const out = new (arrayType(dtype))(n);
  for (let i = 0; i < n; i++) {
    const big =
      i % 3
        ? BigInt(Math.floor((random() - 0.5) * 2 ** (random() * 63)))
        : BIG_EDGES[(i * 7) % BIG_EDGES.length]!;
    const value = dtype === 'bool' ? big & 1n : big;
    if (out instanceof BigInt64Array) out[i] = divisor && value === 0n ? 3n : value;
    else if (isFloat(dtype)) {
      const x =
        i % 3
          ? (random() - 0.5) * 2 ** (random() * 20 - 8)
          : EDGES[(i * 5 + (i >> 3)) % EDGES.length]!;
      if (isCoded(dtype)) encode(dtype, [x], out.subarray(i, i + 1) as Uint16Array);
      else (out as Float64Array)[i] = x;
    } else {
      const narrow = out as Int32Array;
      narrow[i] = Number(BigInt.asIntN(32, value));
      if (divisor && narrow[i] === 0) narrow[i] = 3;
    }
  }
  return new Uint8Array(out.buffer);
}

const whole = (d: Dtype, n: number): Operand => ({ d, s: [n], t: [1], o: 0 });

function same(actual: Uint8Array, expected: Uint8Array, dtype: Dtype): void {
  const n = actual.length / ITEM_SIZE[dtype];
  const a = load(whole(dtype, n), actual);
  const b = load(whole(dtype, n), expected);
  for (let i = 0; i < n; i++)
    if (!Object.is(a[i], b[i])) throw new Error(`element ${i}: ${a[i]}, reference ${b[i]}`);
}

it.each([Infinity, -Infinity, NaN, 3, -0])(
  'leaves what remains of ordinary numbers by %d alone',
  (divisor) => {
    const bytes = (values: readonly number[]): Uint8Array =>
      new Uint8Array(Float32Array.from(values).buffer);
    const x = [5, -5, 3, -7.5, 1e-40, 2 ** 100, -0, 0.5];
    const operands = [whole('float32', 8), whole('float32', 8)];
    for (const name of ['remainder', 'fmod'])
      expect(
        both(
          'binary',
          name,
          'float32',
          operands,
          [bytes(x), bytes(x.map(() => divisor))],
          whole('float32', 8),
          8,
        ),
      ).toBe(true);
  },
);

/** Runs both; false where there is no kernel. */
function both(
  op: 'unary' | 'binary' | 'where' | 'copy',
  name: string,
  compute: Dtype,
  operands: readonly Operand[],
  bytes: readonly Uint8Array[],
  out: Operand,
  n: number,
): boolean {
  const made = new Uint8Array(n * ITEM_SIZE[out.d]);
  const expected = new Uint8Array(n * ITEM_SIZE[out.d]);
  if (!elementwise(op, name, compute, operands, bytes, out, made)) return false;
  const at = (i: number, dtype: Dtype): Values => loadAs(operands[i]!, bytes[i] ?? null, dtype);
  const count = out.s!.reduce((all, each) => all * each, 1);
  const result: Values =
    op === 'copy'
      ? load(operands[0]!, bytes[0]!)
      : op === 'unary'
        ? unary(name, at(0, compute), compute)
        : op === 'binary'
          ? binary(name, at(0, compute), at(1, compute), count, compute)
          : where(at(0, 'bool'), at(1, compute), at(2, compute), count, compute);
  store(out, expected, result, op === 'copy' ? operands[0]!.d : resultDtype(name, compute));
  same(made, expected, out.d);
  return true;
}

const UNARY = `neg abs exp exp2 log log2 log10 sqrt rsqrt sin cos tanh sigmoid silu floor ceil round
  trunc reciprocal square relu logical_not bitwise_not isnan isinf isfinite`.split(/\s+/);
const BINARY =
  `add sub mul div floor_divide trunc_divide remainder fmod maximum minimum eq ne lt le gt
  ge logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor shift_left
  shift_right`.split(/\s+/);

describe('an operation of one operand gives the bits of the reference', () => {
  for (const name of UNARY)
    it(name, () => {
      const found = DTYPES.filter((dtype) => {
        const compute = dtype === 'float16' || dtype === 'bfloat16' ? 'float32' : dtype;
        const result = resultDtype(name, compute);
        const out = result === 'bool' ? 'bool' : dtype;
        if (isFloat(dtype) && name === 'bitwise_not') return false;
        const bytes = bytesOf(dtype, N);
        return both('unary', name, compute, [whole(dtype, N)], [bytes], whole(out, N), N);
      });
      expect(found.length).toBeGreaterThanOrEqual(3);
    });
});

describe('an operation of two operands gives the bits of the reference', () => {
  for (const name of BINARY)
    it(name, () => {
      let kernels = 0;
      for (const dtype of DTYPES) {
        const compute = dtype === 'float16' || dtype === 'bfloat16' ? 'float32' : dtype;
        if (isFloat(dtype) && /bitwise|shift/.test(name)) continue;
        if (dtype === 'bool' && /div|sub|rem|fmod|shift/.test(name)) continue;
        const a = bytesOf(dtype, N);
        const b = bytesOf(dtype, N, /div|rem|fmod/.test(name));
        const out = resultDtype(name, compute) === 'bool' ? 'bool' : dtype;
        const operands = [whole(dtype, N), whole(dtype, N)];
        if (both('binary', name, compute, operands, [a, b], whole(out, N), N)) kernels++;
        // A number as the second operand, and operands of other dtypes than the result.
        const scalar: Operand = {
          d: compute,
          v: isFloat(dtype) ? '-2.5' : dtype === 'bool' ? '1' : '7',
        };
        both('binary', name, compute, [whole(dtype, N), scalar], [a], whole(out, N), N);
        if (!isFloat(compute) && out !== 'bool' && compute !== 'int64')
          both('binary', name, compute, operands, [a, b], whole('int64', N), N);
      }
      expect(kernels).toBeGreaterThanOrEqual(3);
    });
});

describe('a conversion gives the bits of the reference', () => {
  for (const from of DTYPES)
    it(`from ${from}`, () => {
      const bytes = bytesOf(from, N);
      for (const to of DTYPES) {
        // From int64 a float is rounded once, as in PyTorch; the reference rounds twice.
        if (from === 'int64' && isFloat(to) && to !== 'float64') continue;
        expect(both('copy', '', 'float32', [whole(from, N)], [bytes], whole(to, N), N)).toBe(true);
      }
    });
});

it('rounds int64 once to float32', () => {
  const x = new BigInt64Array([2n ** 60n + 2n ** 36n + 1n, -(2n ** 60n) - 2n ** 36n - 1n, 3n]);
  const out = new Uint8Array(12);
  elementwise(
    'copy',
    '',
    'float32',
    [whole('int64', 3)],
    [new Uint8Array(x.buffer)],
    whole('float32', 3),
    out,
  );
  expect([...new Float32Array(out.buffer)]).toEqual([2 ** 60 + 2 ** 37, -(2 ** 60) - 2 ** 37, 3]);
});

it('selects by a condition', () => {
  const m = bytesOf('bool', N);
  for (const dtype of DTYPES) {
    const operands = [whole('bool', N), whole(dtype, N), whole(dtype, N)];
    const bytes = [m, bytesOf(dtype, N), bytesOf(dtype, N)];
    expect(both('where', '', dtype, operands, bytes, whole(dtype, N), N)).toBe(true);
  }
});

it('takes windows: broadcast, transposed, with an offset, empty, of few elements', () => {
  const windows: readonly (readonly [Operand, Operand, readonly number[]])[] = [
    [
      { d: 'int64', s: [7, 9], t: [0, 1], o: 2 },
      { d: 'int64', s: [7, 9], t: [1, 7], o: 5 },
      [7, 9],
    ],
    [
      { d: 'int64', s: [7, 9], t: [0, 0], o: 2 },
      { d: 'int64', s: [7, 9], t: [9, 1], o: 1 },
      [7, 9],
    ],
    [{ d: 'int64', s: [3], t: [2], o: 0 }, { d: 'int64', v: '-5' }, [3]],
    [{ d: 'int64', s: [], t: [], o: 3 }, { d: 'int64', s: [], t: [], o: 4 }, []],
    [
      { d: 'int64', s: [0, 4], t: [4, 1], o: 0 },
      { d: 'int64', s: [0, 4], t: [4, 1], o: 0 },
      [0, 4],
    ],
  ];
  for (const [a, b, s] of windows) {
    const n = s.reduce((all, each) => all * each, 1);
    const t = s.map((_, i) => (i === 0 ? 1 : (s[0] ?? 1)));
    const bytes = [bytesOf('int64', 100), bytesOf('int64', 100, true)];
    for (const name of ['add', 'mul', 'remainder', 'lt'])
      both(
        'binary',
        name,
        'int64',
        [a, b],
        bytes,
        { d: name === 'lt' ? 'bool' : 'int64', s, t, o: 0 },
        n,
      );
  }
});

it('reads an operand before its memory is written', () => {
  const x = new BigInt64Array(50_000).map((_, i) => BigInt(i));
  const bytes = new Uint8Array(x.buffer);
  const window = (o: number): Operand => ({ d: 'int64', s: [49_999], t: [1], o });
  elementwise('binary', 'add', 'int64', [window(1), window(0)], [bytes, bytes], window(1), bytes);
  expect(x.every((value, i) => value === BigInt(i === 0 ? 0 : 2 * i - 1))).toBe(true);
});

it('refuses to divide an integer by zero', () => {
  for (const dtype of ['int64', 'int32', 'int8'] as const) {
    const bytes = [bytesOf(dtype, 9), bytesOf(dtype, 9, true)];
    bytes[1]!.fill(0, 8 * ITEM_SIZE[dtype]);
    const operands = [whole(dtype, 9), whole(dtype, 9)];
    const divide = () =>
      elementwise(
        'binary',
        'remainder',
        dtype,
        operands,
        bytes,
        whole(dtype, 9),
        new Uint8Array(72),
      );
    expect(divide).toThrow('ZeroDivisionError');
  }
});
