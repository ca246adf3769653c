/** Emulated arithmetic, bit for bit against the interpreter: f64, i64, and every conversion. */
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn } from '../../../app/cli/dawn';
import type { OpenedDevice } from '../../../app/cli/dawn';
import { Builder } from '../../ir/builder';
import { Block, Func } from '../../ir/ir';
import type { Value } from '../../ir/ir';
import { UNKNOWN_LOCATION } from '../../ir/location';
import type { OpName } from '../../ir/ops';
import { floatFromBits } from '../../ir/numbers';
import { F64, I1, I32, I64, isFloat, pointer, scalar, shapeOf, withElement } from '../../ir/types';
import type { DType, FloatType } from '../../ir/types';
import { interpret } from '../testing/differential';
import { BLOCK, bitsIn, crossed, mapKernel, memory, samples, words } from '../testing/numbers';
import { compileFunc, launchKernel } from '../testing/run';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

describe.skipIf(software.kind === 'missing')('numbers', () => {
  let gpu: OpenedDevice;
  beforeAll(async () => {
    gpu = await openDawn();
  });

  /** The elements whose bits differ, with their inputs. */
  async function compare(
    inputs: readonly DType[],
    output: DType,
    columns: readonly (readonly bigint[])[],
    f: (b: Builder, args: readonly Value[]) => Value,
    close?: (got: string, wanted: string) => boolean,
  ): Promise<string[]> {
    const make: () => Func = mapKernel(inputs.map(scalar), scalar(output), f);
    const data = columns.map((column, i) => memory(inputs[i]!, column));
    const count = Math.ceil(columns[0]!.length / BLOCK) * BLOCK;
    const out = memory(output, new Array<bigint>(count).fill(0x5an));
    const func = make();
    const kernel = compileFunc(func, gpu.target);
    const grid = [count / BLOCK, 1, 1] as const;
    const { buffers } = await launchKernel(gpu.device, func, kernel, [...data, out], grid);
    const wanted = bitsIn(output, interpret(make(), [...data, out], grid).buffers.at(-1)!);
    const got = bitsIn(output, buffers.at(-1)!);
    return wanted.flatMap((want, i) => {
      if (want === got[i] || close?.(got[i]!, want)) return [];
      const at = columns.map((column) => `0x${column[i % column.length]!.toString(16)}`).join(', ');
      return [`(${at}): got ${got[i]}, want ${want}`];
    });
  }
  const [rows, across] = crossed('f64', 44);
  const pairs = [
    [...rows, ...samples('f64', 2048, 1)],
    [...across, ...samples('f64', 2048, 2)],
  ];

  const BINARY: readonly OpName[] = [
    ...(['arith.addf', 'arith.subf', 'arith.mulf', 'arith.divf', 'arith.remf'] as const),
    ...(['arith.maxnumf', 'arith.minnumf', 'arith.maximumf', 'arith.minimumf'] as const),
  ];
  it.each(BINARY)('f64 %s', async (name) => {
    const found = await compare(['f64', 'f64'], 'f64', pairs, (b, [x, y]) =>
      b.binary(name, x!, y!),
    );
    expect(found.slice(0, 8)).toEqual([]);
  });

  it.each(['oeq', 'une', 'olt', 'ole', 'ogt', 'oge'] as const)('f64 %s', async (predicate) => {
    const found = await compare(['f64', 'f64'], 'i32', pairs, (b, [x, y]) =>
      b.cast('arith.extui', b.cmp(predicate, x!, y!), I32),
    );
    expect(found.slice(0, 8)).toEqual([]);
  });

  const UNARY: readonly OpName[] = [
    ...(['arith.negf', 'math.absf', 'math.sqrt', 'math.rsqrt', 'math.floor'] as const),
    ...(['math.ceil', 'math.trunc', 'math.round', 'math.roundeven'] as const),
  ];
  it.each(UNARY)('f64 %s', async (name) => {
    const found = await compare(['f64'], 'f64', [samples('f64', 4096, 3)], (b, [x]) =>
      b.unary(name, x!),
    );
    expect(found.slice(0, 8)).toEqual([]);
  });

  it('f64 fma', async () => {
    const n = pairs[0]!.length;
    const third = pairs[0]!.map((_, i) => pairs[1]![(i * 7 + 3) % n]!);
    const found = await compare(['f64', 'f64', 'f64'], 'f64', [...pairs, third], (b, [x, y, z]) =>
      b.value('math.fma', [x!, y!, z!]),
    );
    expect(found.slice(0, 8)).toEqual([]);
  });

  it('f64 fma that cancels', async () => {
    // z = -round(x * y), and its neighbours: what is left is the rounding error of the product.
    const view = new DataView(new ArrayBuffer(8));
    const z = pairs[0]!.map((x, i) => {
      view.setBigUint64(0, x);
      const a = view.getFloat64(0);
      view.setBigUint64(0, pairs[1]![i]!);
      view.setFloat64(0, -(a * view.getFloat64(0)));
      return BigInt.asUintN(64, view.getBigUint64(0) + BigInt((i % 3) - 1));
    });
    const found = await compare(['f64', 'f64', 'f64'], 'f64', [...pairs, z], (b, [x, y, w]) =>
      b.value('math.fma', [x!, y!, w!]),
    );
    expect(found.slice(0, 8)).toEqual([]);
  });

  /** Within so many units in the last place. */
  const within =
    (ulps: bigint) =>
    (got: string, wanted: string): boolean => {
      if (got === 'NaN' || wanted === 'NaN') return false;
      const key = (text: string): bigint => {
        const bits = BigInt(text);
        return bits >> 63n ? -(bits & ((1n << 63n) - 1n)) : bits;
      };
      const distance = key(got) - key(wanted);
      return distance <= ulps && distance >= -ulps;
    };
  const MATH: readonly [OpName, bigint][] = [
    ['math.exp', 1n],
    ['math.exp2', 1n],
    ['math.log', 1n],
    ['math.log2', 1n],
    ['math.sin', 1n],
    ['math.cos', 1n],
    ['math.tan', 3n],
    ['math.erf', 8n],
  ];
  it.each(MATH)('f64 %s within %i ulps', async (name, ulps) => {
    const found = await compare(
      ['f64'],
      'f64',
      [samples('f64', 4096, 4)],
      (b, [x]) => b.unary(name, x!),
      within(ulps),
    );
    expect(found.slice(0, 8)).toEqual([]);
  });

  const FLOATS: readonly DType[] = [
    ...(['f16', 'bf16', 'f32', 'f64', 'f8E4M3FN', 'f8E5M2'] as const),
    ...(['f8E4M3FNUZ', 'f8E5M2FNUZ', 'f8E4M3B11FNUZ'] as const),
  ];
  const INTEGERS: readonly DType[] = ['i8', 'i16', 'i32', 'i64'];

  /** float8e4b15 takes its sign from a NaN, which JavaScript's have not. */
  const numbers = (from: DType, to: DType): bigint[] =>
    samples(from, 4096, 5).filter(
      (x) => to !== 'f8E4M3B11FNUZ' || !Number.isNaN(floatFromBits(from as FloatType, x)),
    );
  it.each(FLOATS.flatMap((from) => FLOATS.map((to) => [from, to] as const)))(
    'float %s to %s',
    async (from, to) => {
      if (from === to) return;
      for (const rounding of ['rtne', 'rtz'] as const) {
        const found = await compare([from], to, [numbers(from, to)], (b, [x]) =>
          b.value('tt.fp_to_fp', [x!], withElement(x!.type, scalar(to)), { rounding }),
        );
        expect(found.slice(0, 8), rounding).toEqual([]);
      }
    },
  );

  it.each(INTEGERS.flatMap((from) => FLOATS.slice(0, 4).map((to) => [from, to] as const)))(
    'integers: %s to %s and back',
    async (from, to) => {
      for (const sign of ['s', 'u'] as const) {
        const there = await compare([from], to, [samples(from, 4096, 6)], (b, [x]) =>
          b.cast(`arith.${sign}itofp`, x!, scalar(to)),
        );
        expect(there.slice(0, 8), `${sign} there`).toEqual([]);
        const back = await compare([to], from, [samples(to, 4096, 7)], (b, [x]) =>
          b.cast(`arith.fpto${sign}i`, x!, scalar(from)),
        );
        expect(back.slice(0, 8), `${sign} back`).toEqual([]);
      }
    },
  );

  it.each([
    ['f64', 'i64'],
    ['i64', 'f64'],
    ['f32', 'i32'],
    ['i32', 'f32'],
    ['bf16', 'i16'],
    ['f16', 'bf16'],
    ['i16', 'f16'],
    ['f8E4M3FN', 'f8E5M2'],
    ['i8', 'f8E4M3FNUZ'],
  ] as const)('bits: %s to %s', async (from, to) => {
    // JavaScript makes a NaN quiet; the GPU keeps it.
    const list = samples(from, 4096, 8).filter(
      (x) => !isFloat(from) || !Number.isNaN(floatFromBits(from, x)),
    );
    const found = await compare([from], to, [list], (b, [x]) =>
      b.cast('arith.bitcast', x!, scalar(to)),
    );
    expect(found.slice(0, 8)).toEqual([]);
  });

  const WIDE: readonly OpName[] = [
    ...(['arith.addi', 'arith.subi', 'arith.muli', 'arith.divsi', 'arith.divui'] as const),
    ...(['arith.remsi', 'arith.remui', 'arith.shli', 'arith.shrsi', 'arith.shrui'] as const),
    ...(['arith.maxsi', 'arith.maxui', 'arith.minsi', 'arith.minui', 'tt.mulhiui'] as const),
    ...(['arith.andi', 'arith.ori', 'arith.xori'] as const),
  ];
  it.each(WIDE)('i64 %s', async (name) => {
    const [x, y] = crossed('i64', 48);
    const found = await compare(
      ['i64', 'i64'],
      'i64',
      [
        [...x, ...samples('i64', 2048, 9)],
        [...y, ...samples('i64', 2048, 10)],
      ],
      (b, [p, q]) => b.binary(name, p!, q!),
    );
    expect(found.slice(0, 8)).toEqual([]);
  });

  // Whole numbers too large for f32: any order of additions gives the same.
  it('f64 reductions, scans and products of tiles', async () => {
    const [m, k, n] = [8, 8, 8];
    const make = (): Func => {
      const body = new Block();
      const args = ['x', 'y', 'out'].map((name) => body.addArg(pointer(F64), name));
      const b = new Builder(body);
      const at = (base: Value, range: Value): Value =>
        b.addptr(b.splat(base, shapeOf(range.type)), range);
      const load = (base: Value, shape: readonly number[]): Value =>
        b.reshape(b.load(at(base, b.makeRange(0, shape[0]! * shape[1]!))), shape);
      const store = (first: number, value: Value): void => {
        const count = shapeOf(value.type).reduce((p, q) => p * q, 1);
        const range = b.makeRange(first, first + count);
        b.store(at(args[2]!, range), b.reshape(value, [count]));
      };
      const x = load(args[0]!, [m, k]);
      const y = load(args[1]!, [k, n]);
      const add = ([l]: readonly Value[], [r]: readonly Value[]): Value[] => [
        b.binary('arith.addf', l!, r!),
      ];
      const sums = b.reduce([x], 1, add)[0]!;
      store(0, sums);
      store(m, b.scan([sums], 0, false, add)[0]!);
      const zero = b.splat(b.constant(F64, 0.5), [m, n]);
      store(2 * m, b.dot(x, y, zero));
      b.return();
      const parameters = args.map(() => ({ divisibility: 16 }));
      return new Func('tiles', parameters, body, UNKNOWN_LOCATION);
    };
    const next = words(12);
    const wide = (count: number): Uint8Array<ArrayBuffer> =>
      new Uint8Array(
        Float64Array.from({ length: count }, () => (next() % 2 ** 20) * 16 - 2 ** 22 + 1).buffer,
      );
    const data = [wide(m * k), wide(k * n), wide(2 * m + m * n)];
    const func = make();
    const kernel = compileFunc(func, gpu.target);
    const { buffers } = await launchKernel(gpu.device, func, kernel, data);
    expect(bitsIn('f64', buffers[2]!)).toEqual(
      bitsIn('f64', interpret(make(), data, [1, 1, 1]).buffers[2]!),
    );
  });

  it('reads f64 for truth as not 0', async () => {
    const found = await compare(['f64'], 'i1', [samples('f64', 1024, 11)], (b, [x]) => {
      const zero = b.splat(b.constant(F64, 0), [BLOCK]);
      return b.cast('arith.trunci', b.cast('arith.extui', b.cmp('une', x!, zero), I64), I1);
    });
    expect(found.slice(0, 8)).toEqual([]);
  });
});
