/**
 * libdevice on the interpreter: against exact values (`testdata/libdevice.py`), and integers by
 * definition.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { testParser } from '../1-parse/testing/testParser';
import { runInterpreter } from '../interpret/index';
import { libdeviceKernel, missed, type LibdeviceCase } from './testdata/libdevice';
import { lowerText } from './testing/lowerText';

const cases = JSON.parse(
  readFileSync(new URL('./testdata/libdevice.json', import.meta.url), 'utf8'),
) as LibdeviceCase[];

describe('libdevice', async () => {
  const parser = await testParser();
  const lowered = (text: string, args: Record<string, string>) =>
    lowerText(parser, text, 'kernel', args);
  test.each(cases.map((one) => [one.name, one] as const))('%s', (_, one) => {
    const types = { X: '*fp32', Y: '*fp32', Z: '*fp32', F: '*fp32' };
    const { func, diagnostics } = lowered(libdeviceKernel(one), types);
    expect(diagnostics).toEqual([]);
    const arrays = [...libdeviceInputs(one), new Float32Array(16).fill(NaN)];
    run(func!, arrays);
    expect(missed(one, arrays[3]!)).toEqual([]);
  });

  const integers = (call: string, x: number[], y: number[]): number[] => {
    const text = `import triton
import triton.language as tl
from triton.language.extra import libdevice
@triton.jit
def kernel(X, Y, F):
    at = tl.arange(0, 16)
    x = tl.load(X + at)
    y = tl.load(Y + at)
    tl.store(F + at, ${call})
`;
    const { func, diagnostics } = lowered(text, { X: '*i32', Y: '*i32', F: '*i32' });
    expect(diagnostics).toEqual([]);
    const arrays = [Int32Array.from(x), Int32Array.from(y), new Int32Array(16).fill(-99)];
    run(func!, arrays);
    return [...arrays[2]!];
  };
  const x = [0, 1, -1, 2, 3, -(2 ** 31), 2 ** 31 - 1, 12345678, -87654321, 255, 256, 1 << 20];
  const y = x.map((_, i) => Math.imul(x[(i * 5 + 3) % x.length]!, 77_777) ^ i);
  while (x.length < 16) {
    x.push(Math.imul(x.length, 0x9e3779b9));
    y.push(Math.imul(y.length, 0x85ebca6b));
  }
  const ones = (v: number): number => (v >>> 0).toString(2).replaceAll('0', '').length;
  const reversed = (v: number): number =>
    Number.parseInt([...(v >>> 0).toString(2).padStart(32, '0')].reverse().join(''), 2) | 0;
  const high = (a: number, b: number): number => Number((BigInt(a) * BigInt(b)) >> 32n);
  test.each<[string, (a: number, b: number) => number]>([
    ['libdevice.clz(x)', (a) => Math.clz32(a)],
    ['libdevice.popc(x)', ones],
    ['libdevice.brev(x)', reversed],
    ['libdevice.ffs(x)', (a) => (a === 0 ? 0 : 32 - Math.clz32(a & -a))],
    ['libdevice.mulhi(x, y)', high],
    ['libdevice.hadd(x, y)', (a, b) => Math.floor((a + b) / 2)],
    ['libdevice.rhadd(x, y)', (a, b) => Math.floor((a + b + 1) / 2)],
    ['libdevice.mul24(x, y)', (a, b) => Math.imul((a << 8) >> 8, (b << 8) >> 8)],
    ['libdevice.sad(x, y, (x + 0).to(tl.uint32))', (a, b) => (Math.abs(a - b) + a) | 0],
    ['libdevice.clz(x.to(tl.int64) << 20)', (a) => (a < 0 ? 0 : a === 0 ? 64 : Math.clz32(a) + 12)],
  ])('%s', (call, definition) => {
    expect(integers(call, x, y)).toEqual(x.map((a, i) => definition(a, y[i]!)));
  });

  /** Arguments around 0 and 1, large ones, signed zeros, infinities and NaN. */
  const doubles = [
    0,
    -0,
    1,
    -1,
    0.3,
    -0.7,
    1e-9,
    -2.5,
    20,
    -300,
    1e200,
    3,
    NaN,
    Infinity,
    -Infinity,
  ];
  const hypot = (a: number, b: number): number => Math.hypot(a, b);
  const exp10 = (a: number): number => 10 ** a;
  const halfPower = (a: number): number => (a === -Infinity ? Infinity : a === 0 ? 0 : a ** 0.5);
  test.each<[string, (a: number, b: number) => number]>([
    ...(
      ['expm1', 'log1p', 'log10', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh'] as const
    ).map((name): [string, (a: number) => number] => [`${name}(x)`, Math[name]]),
    ...(['asin', 'acos', 'atan'] as const).map((name): [string, (a: number) => number] => [
      `${name}(x)`,
      Math[name],
    ]),
    ['exp10(x)', exp10],
    ['atan2(x, y)', Math.atan2],
    ['hypot(x, y)', hypot],
    ['pow(x, tl.full([16], 0.5, tl.float64))', halfPower],
    ['pow(x, at - 3)', (a) => a ** -3],
  ])('in fp64: %s', (call, definition) => {
    const text = `import triton
import triton.language as tl
from triton.language.extra import libdevice
@triton.jit
def kernel(X, Y, F):
    at = tl.arange(0, 16)
    x = tl.load(X + at)
    y = tl.load(Y + at)
    tl.store(F + at, libdevice.${call.replace('at - 3', 'at * 0 - 3')})
`;
    const { func, diagnostics } = lowered(text, { X: '*fp64', Y: '*fp64', F: '*fp64' });
    expect(diagnostics).toEqual([]);
    const x = Float64Array.from([...doubles, 0.0625]);
    const y = Float64Array.from(x, (_, i) => x[(i * 7 + 2) % 16]!);
    const found = new Float64Array(16).fill(-99);
    run(func!, [x, y, found]);
    const wrong = [...found].flatMap((got, i) => {
      const want = definition(x[i]!, y[i]!);
      const bound = 4 * 2 ** (Math.floor(Math.log2(Math.abs(want) || 1)) - 52);
      const near = Object.is(got, want) || Math.abs(got - want) <= bound;
      return near ? [] : [`(${x[i]}, ${y[i]}): ${got}, not ${want}`];
    });
    expect(wrong).toEqual([]);
  });

  test.each([
    ['clz', 'math.ctlz'],
    ['popc', 'math.ctpop'],
    ['brev', 'math.bitreverse'],
  ])('%s is one operation of the IR', (name, op) => {
    const text = `import triton
import triton.language as tl
from triton.language.extra import libdevice
@triton.jit
def kernel(X):
    tl.store(X, libdevice.${name}(tl.load(X)))
`;
    const { func } = lowered(text, { X: '*i32' });
    const names = func!.body.ops.map(({ name }) => name);
    expect(names).toEqual(['tt.load', op, 'tt.store', 'tt.return']);
  });

  test('dtypes that a function does not take are refused, and named', () => {
    const message = (call: string): string | undefined => {
      const text = `import triton
import triton.language as tl
from triton.language.extra import libdevice
@triton.jit
def kernel(X, H, D):
    x = tl.load(X)
    h = tl.load(H)
    d = tl.load(D)
    tl.store(X, ${call})
`;
      return lowered(text, { X: '*fp32', H: '*fp16', D: '*fp64' }).diagnostics[0]?.message;
    };
    expect(message('libdevice.tanh(h)')).toMatch(/takes \(fp32\) or \(fp64\), got \(fp16\)/);
    expect(message('libdevice.clz(x)')).toMatch(/takes \(int32\) or \(int64\), got \(fp32\)/);
    expect(message('libdevice.tgamma(d)')).toMatch(/tgamma in float64/);
  });
});

function libdeviceInputs(one: LibdeviceCase): Float32Array[] {
  return [0, 1, 2].map((i) => Float32Array.from(one.args[i] ?? one.args[0]!));
}
function run(
  func: Parameters<typeof runInterpreter>[0]['func'],
  arrays: readonly ArrayBufferView[],
): void {
  const memory = arrays.map((array, i) => ({
    address: 65_536 * (i + 1),
    bytes: new Uint8Array(array.buffer),
  }));
  runInterpreter({ func, args: memory.map(({ address }) => address), memory, grid: [1, 1, 1] });
}
