/**
 * Every function of the runtime library in its two descriptions, the WGSL on a software GPU and
 * what it computes on the CPU, on edges and random numbers: bit for bit, but for the few whose
 * accuracy is a driver's, which have a bound. All NaNs of a type are one.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn } from '../../../../app/cli/dawn';
import type { OpenedDevice } from '../../../../app/cli/dawn';
import { samples, words } from '../../../5-threads/testing/numbers';
import { floatFromBits } from '../../numbers';
import { isFloat } from '../../types';
import type { DType } from '../../types';
import { printThreadType } from '../types';
import type { NumberType } from '../types';
import type { LibraryFunction, NumberParameter } from './define';
import { libraryFunction, libraryTexts, ROUTINES } from './index';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

const COUNT = 2048;
const FUNCTIONS = Object.keys(ROUTINES).flatMap((name) => libraryFunction(name) ?? []);

/** Parameters that take some numbers only. */
const DOMAINS: Readonly<Record<string, (bits: number) => number>> = {
  'f64_integral mode': (bits) => bits % 5,
  'f64_sine quarters': (bits) => bits % 2,
};
/** Functions that miss by units in the last place: how many, and of which arguments. */
interface Bound {
  readonly units: number;
  readonly ranges: readonly (readonly [number, number])[];
}
const within = (units: number, ...ranges: readonly (readonly [number, number])[]): Bound => ({
  units,
  ranges,
});
const BOUNDS: Readonly<Record<string, Bound>> = {
  f32_exp: within(100, [-80, 80]),
  f32_exp2: within(4, [-120, 120]),
  f32_log: within(4, [1e-30, 1e30]),
  f32_log2: within(4, [1e-30, 1e30]),
  f32_tanh: within(4, [-100, 100]),
  f32_erf: within(4, [-6, 6]),
  f32_log1p: within(4, [-0.25, 0.35]),
  f32_expm1: within(16, [-5, 5]),
  f32_sin_cos: within(4, [-3, 3]),
  f32_tan: within(16, [-1, 1]),
  f32_asin: within(3, [-1, 1]),
  f32_acos: within(3, [-1, 1]),
  f32_atan: within(3, [-10, 10]),
  f32_atan2: within(3, [-10, 10], [-7, 9]),
  f32_sinh: within(16, [-20, 20]),
  f32_pow: within(32, [0.1, 9], [-9, 9]),
  f64_exp: within(1, [-700, 700]),
  f64_exp2: within(1, [-1000, 1000]),
  f64_logarithm: within(1, [1e-300, 1e300], [0, 1]),
  f64_sine: within(1, [-1e6, 1e6], [0, 1]),
  f64_erf: within(16, [-6, 6]),
  f64_pow: within(4, [1e-100, 1e100], [-3, 3]),
};

/** Words of a parameter's arguments, one list a component. */
function argumentsOf(f: LibraryFunction, parameter: NumberParameter, at: number): Uint32Array[] {
  const { type, dtype } = parameter;
  const range = BOUNDS[f.name]?.ranges[at];
  const numbers =
    range && isFloat(dtype) ? inRange(dtype, range, at) : samples(dtype, COUNT, 17 * at + 5);
  const domain = DOMAINS[`${f.name} ${parameter.name}`];
  return Array.from({ length: type.size }, (_, word) =>
    Uint32Array.from(numbers, (bits) => {
      const part = Number((bits >> BigInt(32 * word)) & 0xffffffffn);
      return domain ? domain(part) : part;
    }),
  );
}
const scratch = new DataView(new ArrayBuffer(8));
function inRange(dtype: DType, [low, high]: readonly [number, number], seed: number): bigint[] {
  const next = words(seed);
  return Array.from({ length: COUNT }, () => {
    const x = low + ((high - low) * next()) / 2 ** 32;
    if (dtype === 'f64') scratch.setFloat64(0, x);
    else scratch.setFloat32(4, x);
    return dtype === 'f64' ? scratch.getBigUint64(0) : BigInt(scratch.getUint32(4));
  });
}

/** Parameters as storage, one list of words after another; the result likewise. */
function moduleOf(f: LibraryFunction, texts: readonly string[]): string {
  let list = 0;
  const args = f.parameters.map(({ type }) => {
    const loads = Array.from({ length: type.size }, () => `given[${COUNT}u * ${list++}u + i]`);
    return ofWords(type, loads);
  });
  const stores = Array.from({ length: f.result.size }, (_, k) => {
    const x = f.result.size === 1 ? 'x' : `x.${'xyzw'[k]}`;
    return `found[${COUNT}u * ${k}u + i] = ${wordOf(f.result, x)};`;
  });
  return `@group(0) @binding(0) var<storage, read> given: array<u32>;
@group(0) @binding(1) var<storage, read_write> found: array<u32>;
${texts.join('\n')}
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  let x = ${f.name}(${args.join(', ')});
  ${stores.join('\n  ')}
}`;
}
function ofWords(type: NumberType, loads: readonly string[]): string {
  if (type.scalar === 'bool') return `(${loads[0]!} != 0u)`;
  const list = loads.map((load) => `bitcast<${type.scalar}>(${load})`);
  return type.size === 1 ? list[0]! : `${printThreadType(type)}(${list.join(', ')})`;
}
function wordOf({ scalar }: NumberType, x: string): string {
  return scalar === 'bool' ? `select(0u, 1u, ${x})` : `bitcast<u32>(${x})`;
}

/** The component that a word is in the interpreter, and back. */
function component({ scalar }: NumberType, word: number): number {
  scratch.setUint32(0, word);
  if (scalar === 'f32') return scratch.getFloat32(0);
  return scalar === 'i32' ? word | 0 : word;
}
function word({ scalar }: NumberType, x: number): number {
  if (scalar !== 'f32') return x >>> 0;
  scratch.setFloat32(0, x);
  return scratch.getUint32(0);
}

describe.skipIf(software.kind === 'missing')('the runtime library', () => {
  let gpu: OpenedDevice;
  beforeAll(async () => {
    gpu = await openDawn();
  });

  async function launch(code: string, given: readonly Uint32Array[], results: number) {
    const { device } = gpu;
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code });
    const compute = { module, entryPoint: 'main' };
    const pipeline = device.createComputePipeline({ layout: 'auto', compute });
    const problem = await device.popErrorScope();
    if (problem) throw new Error(problem.message);
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
    const bytes = 4 * COUNT;
    const input = device.createBuffer({ size: bytes * given.length, usage });
    given.forEach((list, i) => device.queue.writeBuffer(input, bytes * i, list.slice()));
    const output = device.createBuffer({ size: bytes * results, usage });
    const read = device.createBuffer({
      size: bytes * results,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    const entries = [input, output].map((buffer, binding) => ({ binding, resource: { buffer } }));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    const layout = pipeline.getBindGroupLayout(0);
    pass.setBindGroup(0, device.createBindGroup({ layout, entries }));
    pass.dispatchWorkgroups(COUNT / 64);
    pass.end();
    encoder.copyBufferToBuffer(output, 0, read, 0, bytes * results);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    const found = new Uint32Array(read.getMappedRange().slice(0));
    for (const buffer of [input, output, read]) buffer.destroy();
    return Array.from({ length: results }, (_, i) => found.slice(i * COUNT, (i + 1) * COUNT));
  }

  it.each(FUNCTIONS.map((f) => [f.name, f] as const))('%s', async (name, f) => {
    // Packing is used where an adapter does it right.
    if (/^f16_(re|un)?pack$/.test(name) && !gpu.target.f16ByPacking) return;
    const columns = f.parameters.map((parameter, at) => argumentsOf(f, parameter, at));
    const given = columns.flat();
    const wanted = Array.from({ length: COUNT }, (_, i) => {
      const args = columns.map((list, at) =>
        list.map((column) => component(f.parameters[at]!.type, column[i]!)),
      );
      return f.evaluate(args).map((x) => word(f.result, x));
    });
    const variants = new Set(
      [false, true].map((signedVectorsOnly) =>
        moduleOf(f, libraryTexts([name], { signedVectorsOnly })),
      ),
    );
    for (const code of variants) {
      const found = await launch(code, given, f.result.size);
      const wrong = wanted.flatMap((want, i) => {
        const got = found.map((list) => list[i]!);
        if (agree(f, got, want)) return [];
        const args = given.map((list) => `0x${list[i]!.toString(16)}`).join(', ');
        return [`(${args}): got ${hex(got)}, want ${hex(want)}`];
      });
      expect(wrong.slice(0, 8)).toEqual([]);
    }
  });
});

const hex = (list: readonly number[]): string => list.map((x) => `0x${x.toString(16)}`).join(' ');

/** 64 bits are one number, a pair of f32 two. */
function agree(f: LibraryFunction, got: readonly number[], want: readonly number[]): boolean {
  const wide = f.dtype === 'i64' || f.dtype === 'f64';
  const join = (list: readonly number[]): bigint[] =>
    wide ? [(BigInt(list[1]!) << 32n) | BigInt(list[0]!)] : list.map(BigInt);
  const [a, b] = [join(got), join(want)];
  return a.every((x, i) => near(f.dtype, x, b[i]!, BOUNDS[f.name]?.units ?? 0));
}
function near(dtype: DType, got: bigint, want: bigint, units: number): boolean {
  if (got === want) return true;
  // The format has no NaN: one becomes the largest number, with a sign that JavaScript loses.
  if (dtype === 'f8E4M3B11FNUZ') return (got & 0x7fn) === 0x7en && (want & 0x7fn) === 0x7en;
  if (!isFloat(dtype)) return false;
  const [x, y] = [floatFromBits(dtype, got), floatFromBits(dtype, want)];
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) && Number.isNaN(y);
  if (units === 0) return false;
  const rank = (bits: bigint, negative: boolean): bigint => (negative ? -1n : 1n) * (bits & MOST);
  const sign = dtype === 'f64' ? 63n : 31n;
  const MOST = (1n << sign) - 1n;
  const distance = rank(got, got >> sign !== 0n) - rank(want, want >> sign !== 0n);
  return distance <= units && -distance <= units;
}
