/** Functions of f32 against the same in double precision: how many units in the last place they miss. */
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn } from '../../app/cli/dawn';
import type { OpenedDevice } from '../../app/cli/dawn';
import { Builder } from '../ir/builder';
import { Block, Func } from '../ir/ir';
import { UNKNOWN_LOCATION } from '../ir/location';
import type { OpName } from '../ir/ops';
import { F32, pointer } from '../ir/types';
import { compileFunc, launchKernel } from './testing/run';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

const N = 1024;
/** Function, reference, range of arguments, units in the last place allowed. */
const CASES: [OpName, (x: number) => number, number, number, number][] = [
  ['math.exp', Math.exp, -80, 80, 100],
  ['math.exp', Math.exp, -1, 1, 4],
  ['math.exp2', (x) => 2 ** x, -120, 120, 4],
  ['math.log', Math.log, 1e-30, 1e30, 4],
  ['math.log2', Math.log2, 1e-30, 1e30, 4],
  ['math.log1p', Math.log1p, -0.01, 0.01, 4],
  ['math.expm1', Math.expm1, -0.01, 0.01, 4],
  ['math.expm1', Math.expm1, -5, 5, 16],
  ['math.sin', Math.sin, -100, 100, 4],
  ['math.cos', Math.cos, -100, 100, 4],
  ['math.tan', Math.tan, -1, 1, 16],
  ['math.asin', Math.asin, -1, 1, 8],
  ['math.acos', Math.acos, -1, 1, 8],
  ['math.atan', Math.atan, -10, 10, 8],
  ['math.sinh', Math.sinh, -20, 20, 16],
  ['math.cosh', Math.cosh, -20, 20, 16],
  ['math.tanh', Math.tanh, -100, 100, 4],
  ['math.tanh', Math.tanh, -1, 1, 4],
  ['math.sqrt', Math.sqrt, 0, 1e10, 2],
  ['math.rsqrt', (x) => 1 / Math.sqrt(x), 1e-10, 1e10, 4],
  ['tt.precise_sqrt', Math.sqrt, 0, 1e10, 0],
];

function ulps(expected: number, got: number): number {
  const near = Math.fround(expected);
  if (Object.is(near, got)) return 0;
  const unit = 2 ** Math.max(-149, Math.floor(Math.log2(Math.abs(near) || 2 ** -126)) - 23);
  return Math.abs(got - expected) / unit;
}

describe.skipIf(software.kind === 'missing')('math', () => {
  let gpu: OpenedDevice;
  beforeAll(async () => {
    gpu = await openDawn();
  });
  it.each(CASES)('%s', async (name, reference, low, high, bound) => {
    const body = new Block();
    const [x, out] = ['x', 'out'].map((hint) => body.addArg(pointer(F32), hint));
    const b = new Builder(body);
    const range = b.makeRange(0, N);
    const at = (base: typeof x) => b.addptr(b.splat(base!, [N]), range);
    b.store(at(out), b.unary(name, b.load(at(x))));
    b.return();
    const func = new Func(
      'f',
      [{ divisibility: 16 }, { divisibility: 16 }],
      body,
      UNKNOWN_LOCATION,
    );
    // Large ranges of positive numbers are walked by their logarithm.
    const wide = low > 0 && high / low > 1e6;
    const xs = Float32Array.from({ length: N }, (_, i) =>
      wide ? low * (high / low) ** (i / N) : low + ((high - low) * i) / (N - 1),
    );
    const kernel = compileFunc(func, gpu.target);
    const args = [new Uint8Array(xs.slice().buffer), new Uint8Array(N * 4).fill(0xff)];
    const result = await launchKernel(gpu.device, func, kernel, args);
    const got = new Float32Array(result.buffers[1]!.buffer);
    let worst = { x: 0, got: 0, expected: 0, ulps: 0 };
    xs.forEach((v, i) => {
      const expected = reference(v);
      const miss = ulps(expected, got[i]!);
      if (!(miss <= worst.ulps)) worst = { x: v, got: got[i]!, expected, ulps: miss };
    });
    expect(worst.ulps <= bound + 0.5, JSON.stringify(worst)).toBe(true);
  });
});
