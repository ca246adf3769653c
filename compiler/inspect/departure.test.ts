/** The first operation at which an element departs from a float64 run. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { createCompiler, type Compiler } from '../pipeline';
import { departureOf, type DepartureReport } from './departure';
import { launchFor, ramp, requestFor, type TestArgument } from './testing/launches';
import { lowered } from './testing/kernels';

let parser: Parser;
let compiler: Compiler;
beforeAll(async () => {
  parser = await testParser();
  compiler = createCompiler(parser);
});

/** The report for an element of the last tensor. Lines count from the `def` as 1. */
function departure(
  text: string,
  types: Parameters<typeof requestFor>[2],
  data: readonly TestArgument[],
  { element = 0, size = 4, error = null as number | null } = {},
): DepartureReport & { readonly line: number | null } {
  const request = requestFor(parser, text, types);
  const inputs = launchFor(request, [1, 1, 1], data);
  const address = inputs.storages.at(-1)!.address + element * size;
  const func = lowered(compiler, request);
  const report = departureOf({ func, inputs, program: [0, 0, 0], address, error });
  if ('refused' in report) throw new Error(report.refused);
  return { ...report, line: report.departure && report.departure.location.line - 4 };
}
const filled = (count: number, value: number): { data: Float32Array } => ({
  data: new Float32Array(count).fill(value),
});

describe('the first departure from float64', () => {
  it('is the addition of a float16 accumulator, in the iteration where rounding no longer does', () => {
    const text = `def total(x_ptr, y_ptr, N: tl.constexpr, BLOCK: tl.constexpr):
    acc = tl.zeros([BLOCK], tl.float16)
    for k in range(0, N, BLOCK):
        x = tl.load(x_ptr + k + tl.arange(0, BLOCK))
        acc += x.to(tl.float16)
    tl.store(y_ptr + tl.arange(0, BLOCK), acc.to(tl.float32))
`;
    const types = { x_ptr: '*fp32', y_ptr: '*fp32', N: 8448, BLOCK: 4 } as const;
    const data = [filled(8448, 1), filled(4, 0)];
    const found = departure(text, types, data, { element: 2, error: 64 });
    // Float16 counts to 2048, then 1 is half a step. 8 roundings are 8 more.
    expect(found.stored).toEqual({ actual: 2048, exact: 2112 });
    expect(found.line).toBe(5);
    expect(found.departure).toMatchObject({ op: 'arith.addf', dtype: 'f16', why: 'value' });
    expect(found.departure!.index).toEqual([2]);
    const [loop] = found.departure!.loops;
    expect(loop!.line - 4).toBe(3);
    expect(found.departure!.actual).toBe(2048);
    expect(found.departure!.exact).toBe(loop!.iteration);
    expect(loop!.iteration).toBeGreaterThan(2048 + 8);
    expect(loop!.iteration).toBeLessThan(2048 * 1.1);
  });
  it('is the subtraction where nearly equal numbers cancel, not the sums before it', () => {
    const text = `def variance(x_ptr, y_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    mean = tl.sum(x, 0) / BLOCK
    squares = tl.sum(x * x, 0) / BLOCK
    tl.store(y_ptr, squares - mean * mean)
`;
    const data = [{ data: ramp(16).map((i) => 10000 + i / 16) }, filled(1, 0)];
    const found = departure(text, { x_ptr: '*fp32', y_ptr: '*fp32', BLOCK: 16 }, data);
    expect(found.stored!.exact).toBeCloseTo(0.083, 3);
    expect(found.line).toBe(5);
    expect(found.departure).toMatchObject({ op: 'arith.subf', why: 'value', loops: [] });
    expect(found.departure!.largest! / Math.abs(found.departure!.exact)).toBeGreaterThan(1e8);
  });
  it('is a conversion to int8 that the value does not fit', () => {
    const text = `def quantize(x_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i) * 100.0
    q = x.to(tl.int8)
    tl.store(y_ptr + i, q.to(tl.float32) / 100.0)
`;
    const types = { x_ptr: '*fp32', y_ptr: '*fp32', BLOCK: 4 } as const;
    const data = [{ data: ramp(4) }, filled(4, 0)];
    const found = departure(text, types, data, { element: 2, error: 2.5 });
    expect(found.line).toBe(4);
    expect(found.departure).toMatchObject({ why: 'range', dtype: 'i8', exact: 200, index: [2] });
    // Its neighbour fits.
    expect(departure(text, types, data, { element: 1 }).departure).toBeNull();
  });
  it('is the exponential that overflows, for the elements of its row only', () => {
    const text = `def softmax(x_ptr, y_ptr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, ROWS)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    x = tl.load(x_ptr + i)
    e = tl.exp(x)
    tl.store(y_ptr + i, e / tl.sum(e, 1)[:, None])
`;
    const types = { x_ptr: '*fp32', y_ptr: '*fp32', ROWS: 2, BLOCK: 4 } as const;
    const data = [{ data: Float32Array.of(1, 2, 3, 4, 1, 2, 3, 100) }, filled(8, 0)];
    const found = departure(text, types, data, { element: 7 });
    expect(found.line).toBe(4);
    expect(found.departure).toMatchObject({ actual: Infinity, index: [1, 3], relative: Infinity });
    expect(found.departure!.exact / Math.exp(100)).toBeCloseTo(1, 6);
    // 1 / inf is 0: the culprit is another element of the row.
    expect(departure(text, types, data, { element: 4 }).departure).toMatchObject({ index: [1, 3] });
    expect(departure(text, types, data, { element: 0 })).toMatchObject({ departure: null });
  });
  it('is none of a right kernel, nor where float64 makes the same mistake', () => {
    const text = `def matmul(a_ptr, b_ptr, c_ptr, N: tl.constexpr, K: tl.constexpr, BK: tl.constexpr):
    i = tl.arange(0, N)
    k = tl.arange(0, BK)
    acc = tl.zeros([N, N], tl.float32)
    for start in range(0, K, BK):
        a = tl.load(a_ptr + i[:, None] * K + start + k[None, :])
        b = tl.load(b_ptr + (start + k)[:, None] * N + i[None, :])
        acc = tl.dot(a, tl.trans(tl.trans(b)), acc)
    c = acc + tl.where(i[:, None] > 0, tl.max(acc, 1)[:, None], 0.0)
    tl.store(c_ptr + i[:, None] * N + i[None, :], c)
`;
    const types = {
      a_ptr: '*fp32',
      b_ptr: '*fp32',
      c_ptr: '*fp32',
      N: 16,
      K: 256,
      BK: 16,
    } as const;
    const wave = (step: number): { data: Float32Array } => ({
      data: ramp(16 * 256).map((i) => Math.sin(i * step)),
    });
    const data = [wave(0.7), wave(1.3), filled(256, 0)];
    for (const element of [0, 17, 255])
      expect(departure(text, types, data, { element })).toMatchObject({ departure: null });
    // Off by 5 from what was expected, and by a rounding from float64.
    const wrong = departure(text, types, data, { element: 17, error: 5 });
    expect(wrong.departure).toBeNull();
    expect(wrong.stored!.actual).toBeCloseTo(wrong.stored!.exact, 3);
  });
  it('follows what the program stored and loads again, and says where a branch parts', () => {
    const text = `def scratch(x_ptr, s_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    e = tl.exp(tl.load(x_ptr + i))
    tl.store(s_ptr + i, e)
    s = tl.load(s_ptr + (BLOCK - 1 - i))
    tl.store(y_ptr + i, tl.log(s))
`;
    const types = { x_ptr: '*fp32', s_ptr: '*fp32', y_ptr: '*fp32', BLOCK: 4 } as const;
    const data = [{ data: Float32Array.of(0, 1, 2, 90) }, filled(4, 0), filled(4, 0)];
    const found = departure(text, types, data, { element: 0 });
    expect(found).toMatchObject({ line: 3, departure: { index: [3], actual: Infinity } });
    const branch = `def branch(x_ptr, y_ptr):
    x = tl.load(x_ptr)
    y = x + 16777216.0
    if y > 16777216.0:
        tl.store(y_ptr, 1.0)
    else:
        tl.store(y_ptr, 2.0)
`;
    const parted = departure(branch, { x_ptr: '*fp32', y_ptr: '*fp32' }, [
      filled(1, 0.5),
      filled(1, 0),
    ]);
    expect(parted.stored).toBeNull();
    expect(parted.line).toBe(4);
  });
});
