/**
 * Distribution changes nothing that can be seen: the interpreter leaves the same memory before it
 * and after each pass, on targets that differ in everything, and the backend contract holds at the
 * end.
 */
import { describe, expect, test } from 'vitest';
import { cloneFunc } from '../ir/builder';
import { type Func, type Operation, walk } from '../ir/ir';
import { seededRandom } from '../ir/seededRandom';
import { RANDOM_BUFFER_ELEMENTS, randomFunc } from '../ir/testing/random';
import { BF16, byteSize, elementOf, F16 } from '../ir/types';
import { assertValid } from '../ir/verifier';
import { runInterpreter } from '../interpret/index';
import { BASELINE_TARGET, type Target } from '../target';
import { checkContract } from './testing/checkContract';
import { type Choices, DISTRIBUTE_PASSES, distributeContext } from './index';
import * as kernels from './testing/kernels';

const TARGETS: readonly Target[] = [
  BASELINE_TARGET,
  { ...BASELINE_TARGET, name: 'subgroups of 4', subgroupSize: 4, maxWorkgroupBytes: 32_768 },
  {
    ...BASELINE_TARGET,
    name: 'subgroups of 32',
    subgroupSize: 32,
    maxWorkgroupBytes: 49_152,
    maxInvocations: 1024,
  },
  {
    ...BASELINE_TARGET,
    name: 'subgroups of 64',
    subgroupSize: 64,
    maxWorkgroupBytes: 32_768,
    maxInvocations: 1024,
  },
  {
    ...BASELINE_TARGET,
    name: 'subgroups of 4 with matrices of 8×8',
    subgroupSize: 4,
    f16: true,
    subgroupMatrices: [
      { component: 'f16', result: 'f32', M: 8, N: 8, K: 8 },
      { component: 'i8', result: 'i32', M: 8, N: 8, K: 16 },
    ],
  },
];

interface Case {
  readonly name: string;
  readonly make: () => Func;
  /** Elements of each pointer argument, then the scalars. */
  readonly sizes: readonly number[];
  readonly scalars: readonly (number | bigint)[];
  readonly grid: readonly [number, number, number];
  /** A dot in K slices rounds to f32 after each: compare the results as numbers. */
  readonly rounds?: boolean;
}
/** Matrices add up in another order. */
const MATRICES = TARGETS.at(-1);
const { vectorAdd, softmax, matmul, attention, transpose, shapesAndScans } = kernels;

const CASES: readonly Case[] = [
  {
    name: 'vector add',
    make: () => vectorAdd(256),
    sizes: [300, 300, 300],
    scalars: [300],
    grid: [2, 1, 1],
  },
  {
    name: 'vector add, f16',
    make: () => vectorAdd(256, kernels.P16),
    sizes: [300, 300, 300],
    scalars: [300],
    grid: [2, 1, 1],
  },
  {
    name: 'vector add, unaligned',
    make: () => vectorAdd(64, kernels.P32, undefined),
    sizes: [50, 50, 50],
    scalars: [50],
    grid: [1, 1, 1],
  },
  {
    name: 'one element',
    make: () => vectorAdd(1),
    sizes: [3, 3, 3],
    scalars: [3],
    grid: [3, 1, 1],
  },
  {
    name: 'softmax',
    make: () => softmax(4, 128),
    sizes: [640, 640],
    scalars: [80, 77],
    grid: [2, 1, 1],
  },
  {
    name: 'softmax of a row',
    make: () => softmax(1, 1024),
    sizes: [1024, 1024],
    scalars: [1024, 1000],
    grid: [1, 1, 1],
  },
  {
    name: 'matmul',
    make: () => matmul({ M: 32, N: 64, K: 32 }),
    sizes: [40 * 48, 48 * 80, 40 * 80],
    scalars: [40, 80, 48],
    grid: [2, 2, 1],
  },
  {
    name: 'matmul, K of 0',
    make: () => matmul({ M: 16, N: 16, K: 16 }),
    sizes: [16, 16, 256],
    scalars: [16, 16, 0],
    grid: [1, 1, 1],
  },
  {
    name: 'matmul with a residual, f16',
    make: () => matmul({ M: 16, N: 32, K: 16, dtype: F16, residual: true }),
    sizes: [20 * 32, 32 * 48, 20 * 48],
    scalars: [20, 48, 32],
    grid: [2, 2, 1],
  },
  {
    name: 'matmul, bf16',
    make: () => matmul({ M: 16, N: 16, K: 32, dtype: BF16 }),
    sizes: [16 * 64, 64 * 16, 256],
    scalars: [16, 16, 64],
    grid: [1, 1, 1],
  },
  {
    name: 'attention',
    make: () => attention(32, 16, 16),
    sizes: [512, 512, 512, 512],
    scalars: [32],
    rounds: true,
    grid: [1, 1, 1],
  },
  {
    name: 'attention, f16',
    make: () => attention(16, 32, 32, F16),
    sizes: [512, 1024, 1024, 512],
    scalars: [32],
    rounds: true,
    grid: [1, 1, 1],
  },
  {
    name: 'transpose',
    make: () => transpose(32, 16),
    sizes: [512, 512],
    scalars: [],
    grid: [1, 1, 1],
  },
  {
    name: 'shapes and scans',
    make: () => shapesAndScans(8, 32, 0),
    sizes: [256, 256, 64],
    scalars: [],
    grid: [1, 1, 1],
  },
  {
    name: 'shapes and scans along rows',
    make: () => shapesAndScans(16, 64, 1),
    sizes: [1024, 1024, 64],
    scalars: [],
    grid: [1, 1, 1],
  },
  ...kernels.MORE_CASES,
];

/** Buffers of small numbers, the same for every run; addresses far apart. */
function memoryOf(func: Func, sizes: readonly number[]): { address: number; bytes: Uint8Array }[] {
  return sizes.map((size, i) => {
    const element = elementOf(func.body.args[i]!.type);
    const width = element.kind === 'pointer' ? byteSize(element.pointee) : 4;
    const random = seededRandom(i + 1);
    const float =
      element.kind === 'pointer' && element.pointee.kind === 'scalar' && element.pointee.dtype;
    const numbers = Array.from({ length: size }, () => Math.floor(random() * 9));
    const bytes = new Uint8Array(size * width);
    const view = new DataView(bytes.buffer);
    numbers.forEach((x, j) => {
      if (float === 'f32') view.setFloat32(j * 4, x - 4, true);
      // 1, 2, 4 … in f16 and bf16: exact in either.
      else if (float === 'f16') view.setUint16(j * 2, 0x3c00 + ((x - 4) << 10), true);
      else if (float === 'bf16') view.setUint16(j * 2, 0x3f80 + ((x - 4) << 7), true);
      else if (width === 8) view.setBigInt64(j * 8, BigInt(x), true);
      else if (width === 4) view.setInt32(j * 4, x, true);
      else view.setInt8(j, x);
    });
    return { address: 65_536 * 16 * (i + 1), bytes };
  });
}
function run(func: Func, { sizes, scalars, grid }: Case): Uint8Array[] {
  const memory = memoryOf(func, sizes);
  runInterpreter({ func, args: [...memory.map((m) => m.address), ...scalars], memory, grid });
  return memory.map((m) => m.bytes);
}

function nearly(a: Uint8Array, b: Uint8Array): boolean {
  const [x, y] = [new Float32Array(a.buffer), new Float32Array(b.buffer)];
  return x.every((value, i) => Math.abs(value - y[i]!) <= 1e-5 * Math.max(1, Math.abs(y[i]!)));
}

function compare(one: Case, target: Target, numWarps = 4, choices: Partial<Choices> = {}): void {
  const func = one.make();
  assertValid(func, 'building');
  const before = run(cloneFunc(func), one);
  // Prefetching is a tuner's choice; here it is always tried.
  const context = distributeContext(target, numWarps, { prefetchRegisters: 64, ...choices });
  for (const pass of DISTRIBUTE_PASSES) {
    const changed = pass.run(func, context);
    assertValid(func, pass.name);
    if (!changed) continue;
    const now = run(func, one);
    now.forEach((bytes, i) => {
      const first = bytes.findIndex((byte, j) => byte !== before[i]![j]);
      if (first < 0 || (one.rounds && nearly(bytes, before[i]!))) return;
      throw new Error(`${pass.name} changed byte ${first} of argument ${i}`);
    });
  }
  expect(checkContract(func, target)).toEqual([]);
}

describe.each(TARGETS)('on $name', (target) => {
  test.each(CASES)('$name', (one) =>
    compare(target === MATRICES ? { ...one, rounds: true } : one, target),
  );

  const dots = CASES.filter(({ name }) => /matmul|attention|dot/.test(name));
  test.each(dots)('$name, loaded in slices', (one) =>
    compare({ ...one, rounds: true }, target, 4, { splitLoads: true, kSlice: 8 }),
  );

  test.each(dots)('$name, not stored beside multiplications', (one) =>
    compare({ ...one, rounds: true }, target, 4, {
      overlapStoresWithMma: false,
      mergeBoundsGuards: true,
    }),
  );

  test('random functions', () => {
    const start = TARGETS.indexOf(target) * 1000;
    for (let seed = start; seed < start + 40; seed++) {
      const size = RANDOM_BUFFER_ELEMENTS;
      compare(
        {
          name: `seed ${seed}`,
          make: () => randomFunc(seed, 30),
          sizes: [size, size, size, size],
          scalars: [seed % 21, 3n, 1.5],
          grid: [2, 1, 1],
        },
        target,
        2 ** (seed % 4),
      );
    }
  });
});

test.each([0, 1, 2, 3, 4].flatMap((trips) => [16, 9].map((last) => [trips, last] as const)))(
  'a loop of %i tiles, %i deep the last, stores each beside the multiplications of the one before',
  (trips, last) => {
    const make = (): Func => matmul({ M: 16, N: 32, K: 16, dtype: F16 });
    const k = Math.max(0, (trips - 1) * 16 + last);
    compare(
      {
        name: '',
        make,
        // Not one element more than is there: nothing else may be read.
        sizes: [20 * Math.max(1, k), 48 * Math.max(1, k), 20 * 48],
        scalars: [20, 48, trips === 0 ? 0 : k],
        grid: [2, 2, 1],
        rounds: true,
      },
      MATRICES!,
    );
    const func = make();
    for (const pass of DISTRIBUTE_PASSES) pass.run(func, distributeContext(MATRICES!, 4));
    const turned: Operation[] = [];
    walk(func.body, (op) => {
      if (op.attributes['overlapColumns'] !== undefined) turned.push(op);
    });
    expect(turned).toHaveLength(1);
    const inLoop = turned[0]!.parent!.ops.map(({ name }) => name);
    expect(inLoop.indexOf('tt.dot')).toBeLessThan(inLoop.indexOf('ttg.local_store'));
    expect(inLoop.filter((name) => name === 'gpu.barrier')).toHaveLength(2);
  },
);
