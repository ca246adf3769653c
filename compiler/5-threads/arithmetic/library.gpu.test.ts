/**
 * Functions written in Triton, inline assembly and mapped functions on a software GPU: libdevice
 * against exact values, the rest against the interpreter.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn } from '../../../app/cli/dawn';
import type { OpenedDevice } from '../../../app/cli/dawn';
import { testParser } from '../../1-parse/testing/testParser';
import { libdeviceKernel, missed, type LibdeviceCase } from '../../2-lower/testdata/libdevice';
import { lowerText } from '../../2-lower/testing/lowerText';
import { interpret } from '../testing/differential';
import { compileFunc, launchKernel } from '../testing/run';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);
const file = new URL('../../2-lower/testdata/libdevice.json', import.meta.url);
const cases = JSON.parse(readFileSync(file, 'utf8')) as LibdeviceCase[];
/** One of each kind: by an operation, by a series, by integers. */
const CHOSEN = new Set(
  'sin tan atan2 asin atan exp log1p pow cbrt erfc erfinv tgamma j0 hypot fma_ru sqrt_rz'.split(
    ' ',
  ),
);

const HEAD = `import triton
import triton.language as tl
@triton.jit
def collatz(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps
@triton.jit
def swap(a0, a1, b0, b1):
    low = a0
    if a0 > b1:
        low = b1
    return low, a1, a0 + b0, b1
@triton.jit
def kernel(X, Y, O):
    at = tl.arange(0, 256)
    x = tl.load(X + at)
    y = tl.load(Y + at)
`;
const BODIES: Record<string, string> = {
  'a loop for each element': 'tl.store(O + at, tl.map_elementwise(collatz, x))',
  'a function of packs': `a, b = tl.map_elementwise(swap, x, y, pack=2)
    tl.store(O + at, a)
    tl.store(O + 256 + at, b)`,
  'rows sorted, and the best of them': `r = tl.reshape((x ^ y) % 1009, (4, 64))
    place = tl.arange(0, 4)[:, None]
    tl.store(O + place * 64 + tl.arange(0, 64)[None, :], tl.sort(r, descending=True))
    tl.store(O + 256 + place * 8 + tl.arange(0, 8)[None, :], tl.topk(r, 8, descending=False))
    tl.store(O + 300 + place * 4 + tl.arange(0, 4)[None, :], tl.flip(tl.topk(r, 4), 0))`,
  'a network with NaNs': `f = tl.where(x % 5 == 0, float("nan"), y.to(tl.float32))
    tl.store(O + at, tl.sort(f).to(tl.int32, bitcast=True))`,
  'byte permutes and multiples': `z = tl.inline_asm_elementwise("""{
        .reg .b32 t; .reg .pred p;
        prmt.b32 t, $1, $2, 0xb264;
        lop3.b32 t, t, $1, 0x00ff00ff, 0x6a;
        setp.gt.s32 p, $1, $2;
        @p mad.lo.s32 t, t, $2, $1;
        shf.l.wrap.b32 $0, t, $2, 11; }""", "=r,r,r", [x, y], tl.int32, True, 1)
    tl.store(O + at, z)`,
  'packed halves': `h = (x & 255).to(tl.float16)
    z = tl.inline_asm_elementwise("fma.rn.f16x2 $0, $1, $1, $1;", "=r,r", [h], tl.float16, True, 2)
    tl.store(O + at, z.to(tl.int32))`,
};

describe.skipIf(software.kind === 'missing')('the library', () => {
  let gpu: OpenedDevice;
  let parser: Awaited<ReturnType<typeof testParser>>;
  beforeAll(async () => {
    [gpu, parser] = [await openDawn(), await testParser()];
  });
  const bytes = (array: ArrayBufferView): Uint8Array<ArrayBuffer> =>
    new Uint8Array(array.buffer.slice(0) as ArrayBuffer);

  it.each(cases.filter(({ name }) => CHOSEN.has(name)).map((one) => [one.name, one] as const))(
    'libdevice.%s',
    async (_, one) => {
      const types = { X: '*fp32', Y: '*fp32', Z: '*fp32', F: '*fp32' };
      const { func, diagnostics } = lowerText(parser, libdeviceKernel(one), 'kernel', types);
      expect(diagnostics).toEqual([]);
      const inputs = [0, 1, 2].map((i) => Float32Array.from(one.args[i] ?? one.args[0]!));
      const buffers = [...inputs, new Float32Array(16).fill(NaN)].map(bytes);
      const kernel = compileFunc(func!, gpu.target);
      const result = await launchKernel(gpu.device, func!, kernel, buffers);
      expect(missed(one, new Float32Array(result.buffers[3]!.buffer))).toEqual([]);
    },
  );

  it.each(Object.entries(BODIES))('%s', async (_, body) => {
    const make = () => {
      const types = { X: '*i32', Y: '*i32', O: '*i32' };
      const { func, diagnostics } = lowerText(parser, `${HEAD}    ${body}\n`, 'kernel', types);
      expect(diagnostics).toEqual([]);
      return func!;
    };
    const x = Int32Array.from({ length: 256 }, (_, i) => (i * 37) % 1000);
    const y = Int32Array.from({ length: 256 }, (_, i) => Math.imul(i + 3, 0x9e3779b9));
    const args = [x, y, new Int32Array(512).fill(-99)].map(bytes);
    const func = make();
    const kernel = compileFunc(func, gpu.target);
    const { buffers } = await launchKernel(gpu.device, func, kernel, args);
    const wanted = interpret(make(), args, [1, 1, 1]).buffers.at(-1)!;
    expect(new Int32Array(buffers[2]!.buffer)).toEqual(new Int32Array(wanted.slice().buffer));
  });
});
