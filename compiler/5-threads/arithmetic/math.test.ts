/**
 * Functions of f32 against the same in double precision: how many units in the last place they
 * miss.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn } from '../../../app/cli/dawn';
import type { OpenedDevice } from '../../../app/cli/dawn';
import { Builder } from '../../ir/builder';
import { Block, Func } from '../../ir/ir';
import { UNKNOWN_LOCATION } from '../../ir/location';
import type { OpName } from '../../ir/ops';
import { F32, pointer } from '../../ir/types';
import { compileFunc, launchKernel } from '../testing/run';

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
  ['math.sin', Math.sin, 1e4, 1e30, 4],
  ['math.cos', Math.cos, 1e4, 1e30, 4],
  ['math.tan', Math.tan, -1, 1, 16],
  ['math.asin', Math.asin, -1, 1, 3],
  ['math.acos', Math.acos, -1, 1, 3],
  ['math.atan', Math.atan, -10, 10, 3],
  ['math.sinh', Math.sinh, -20, 20, 16],
  ['math.cosh', Math.cosh, -20, 20, 16],
  ['math.tanh', Math.tanh, -100, 100, 4],
  ['math.tanh', Math.tanh, -1, 1, 4],
  ['math.sqrt', Math.sqrt, 0, 1e10, 2],
  ['math.rsqrt', (x) => 1 / Math.sqrt(x), 1e-10, 1e10, 4],
  ['tt.precise_sqrt', Math.sqrt, 0, 1e10, 0],
];

/** Functions of two arguments, or three where `z` is a constant; both ranges. */
type Range = readonly [number, number];
const BINARY: [OpName, (x: number, y: number) => number, Range, Range, number][] = [
  ['arith.divf', (x, y) => x / y, [-1e6, 1e6], [1, 1e3], 3],
  ['tt.precise_divf', (x, y) => x / y, [-1e6, 1e6], [-7, 1e3], 0],
  ['arith.remf', (x, y) => x % y, [-1e6, 1e6], [-7, 1e3], 0],
  ['math.atan2', Math.atan2, [-10, 10], [-7, 9], 3],
  ['math.powf', Math.pow, [0.1, 9], [-9, 9], 32],
  ['math.fma', (x, y) => x * y + 3, [1, 10], [1, 9], 2],
];
/** Inputs that show rounding, denormals and the ends of the range. */
const EDGES = [
  0,
  -0,
  1,
  -1,
  3,
  7,
  10,
  0.1,
  1 / 3,
  16777215,
  16777213,
  8388609,
  1.9999999,
  1e-38,
  1.1754944e-38,
  -1e-40,
  1e-45,
  7e-45,
  3e38,
  3.4028235e38,
  -2.5e38,
  65504,
  Infinity,
  -Infinity,
  NaN,
].map(Math.fround);
const EXACT: [OpName, (x: number, y: number) => number][] = [
  ['tt.precise_divf', (x, y) => x / y],
  ['tt.precise_sqrt', (x) => Math.sqrt(x)],
  ['arith.maximumf', (x, y) => Math.max(x, y)],
  ['arith.minimumf', (x, y) => Math.min(x, y)],
  ['arith.maxnumf', (x, y) => (Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.max(x, y))],
  ['arith.minnumf', (x, y) => (Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.min(x, y))],
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
  /** `f` of the elements of two buffers. */
  async function apply(name: OpName, xs: Float32Array, ys: Float32Array): Promise<Float32Array> {
    const n = xs.length;
    const body = new Block();
    const [x, y, out] = ['x', 'y', 'out'].map((hint) => body.addArg(pointer(F32), hint));
    const b = new Builder(body);
    const range = b.makeRange(0, n);
    const at = (base: typeof x) => b.addptr(b.splat(base!, [n]), range);
    const [left, right] = [b.load(at(x)), b.load(at(y))];
    const unary = name === 'tt.precise_sqrt' || (UNARY as readonly string[]).includes(name);
    const operands = unary ? [left] : [left, right];
    if (name === 'math.fma') operands.push(b.constant(left.type, 3));
    b.store(at(out), b.value(name, operands));
    b.return();
    const parameters = body.args.map(() => ({ divisibility: 16 }));
    const func = new Func('f', parameters, body, UNKNOWN_LOCATION);
    const kernel = compileFunc(func, gpu.target);
    const args = [xs, ys].map((list) => new Uint8Array(list.slice().buffer as ArrayBuffer));
    args.push(new Uint8Array(n * 4).fill(0xff));
    const result = await launchKernel(gpu.device, func, kernel, args);
    return new Float32Array(result.buffers[2]!.buffer);
  }
  it.each(CASES)('%s', async (name, reference, low, high, bound) => {
    // Large ranges of positive numbers are walked by their logarithm.
    const wide = low > 0 && high / low > 1e6;
    const xs = Float32Array.from({ length: N }, (_, i) =>
      wide ? low * (high / low) ** (i / N) : low + ((high - low) * i) / (N - 1),
    );
    check(xs, xs, await apply(name, xs, xs), reference, bound);
  });
  it.each(BINARY)('%s of two', async (name, reference, left, right, bound) => {
    const walk = ([low, high]: Range, stride: number): Float32Array =>
      Float32Array.from({ length: N }, (_, i) => low + ((high - low) * ((i * stride) % N)) / N);
    const [xs, ys] = [walk(left, 1), walk(right, 389)];
    check(xs, ys, await apply(name, xs, ys), reference, bound);
  });
  it.each(EXACT)('%s at the edges', async (name, reference) => {
    const xs = new Float32Array(N).fill(1);
    const ys = new Float32Array(N).fill(1);
    EDGES.forEach((x, i) => EDGES.forEach((_, j) => xs.set([x], i * 25 + j)));
    EDGES.forEach((_, i) => EDGES.forEach((y, j) => ys.set([y], i * 25 + j)));
    const got = await apply(name, xs, ys);
    const wrong = [...xs].flatMap((x, i) => {
      const expected = Math.fround(reference(x, ys[i]!));
      // WebGPU may take a denormal for 0 where it compares; the precise operations do not compare.
      const least = 2 ** -126;
      const zero =
        !name.startsWith('tt.') && Math.abs(expected) < least && Math.abs(got[i]!) < least;
      return Object.is(expected, got[i]) || zero ? [] : [[x, ys[i], expected, got[i]]];
    });
    expect(wrong).toEqual([]);
  });
});

const UNARY = CASES.map(([name]) => name);

function check(
  xs: Float32Array,
  ys: Float32Array,
  got: Float32Array,
  reference: (x: number, y: number) => number,
  bound: number,
): void {
  let worst = { x: 0, y: 0, got: 0, expected: 0, ulps: 0 };
  xs.forEach((x, i) => {
    const expected = reference(x, ys[i]!);
    const miss = bound === 0 ? exactly(expected, got[i]!) : ulps(expected, got[i]!);
    if (!(miss <= worst.ulps)) worst = { x, y: ys[i]!, got: got[i]!, expected, ulps: miss };
  });
  expect(worst.ulps <= (bound === 0 ? 0 : bound + 0.5), JSON.stringify(worst)).toBe(true);
}
/** 0 only where it is the nearest float itself. */
function exactly(expected: number, got: number): number {
  return Math.fround(expected) === got ? 0 : 1;
}
