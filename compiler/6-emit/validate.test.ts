/**
 * Modules for machines that are not here: Dawn's validation, without a GPU, of kernels for targets
 * with halves, subgroups of 32 and large workgroups.
 */
import { beforeAll, describe, expect, it, test } from 'vitest';
import { openDawn } from '../../app/cli/dawn';
import type { OpenedDevice } from '../../app/cli/dawn';
import * as kernels from '../4-distribute/testing/kernels';
import type { Choices } from '../4-distribute/index';
import type { Func } from '../ir/ir';
import { parseFunc } from '../ir/parser';
import { BF16, F16, pointer } from '../ir/types';
import { BASELINE_TARGET } from '../target';
import type { Target } from '../target';
import { compileFunc, pipelineOf } from '../5-threads/testing/run';

const LARGE: Target = {
  ...BASELINE_TARGET,
  name: 'large',
  subgroupSize: 32,
  f16: true,
  maxWorkgroupBytes: 49_152,
  maxInvocations: 1024,
  maxStorageBuffers: 16,
};
const CASES: [string, () => Func][] = [
  ['vector add', () => kernels.vectorAdd(1024)],
  ['vector add of halves', () => kernels.vectorAdd(1024, pointer(F16))],
  ['vector add of bf16', () => kernels.vectorAdd(1024, pointer(BF16))],
  ['unaligned vector add of halves', () => kernels.vectorAdd(256, pointer(F16), 0)],
  ['unaligned vector add of bf16', () => kernels.vectorAdd(256, pointer(BF16), 0)],
  ['softmax', () => kernels.softmax(1, 4096)],
  ['softmax of rows', () => kernels.softmax(8, 256)],
  ['matmul', () => kernels.matmul({ M: 64, N: 64, K: 16 })],
  ['matmul of halves', () => kernels.matmul({ M: 64, N: 64, K: 32, dtype: F16 })],
  ['attention', () => kernels.attention(32, 32, 32)],
  ['attention of halves', () => kernels.attention(32, 32, 32, F16)],
  ['transpose', () => kernels.transpose(64, 64)],
  ['shapes and scans', () => kernels.shapesAndScans(16, 32)],
];

/**
 * As NVIDIA's under Vulkan; a workgroup must be a multiple of the null adapter's subgroups of 128.
 */
const MATRICES: Target = {
  ...LARGE,
  maxWorkgroupBytes: 16_384,
  subgroupMatrices: [{ component: 'f16', result: 'f32', M: 16, N: 16, K: 16 }],
};
describe('subgroup matrices, validated without a GPU', () => {
  let dawn: OpenedDevice;
  beforeAll(async () => {
    const enable = ['allow_unsafe_apis', 'vulkan_enable_f16_on_nvidia'];
    dawn = await openDawn({ backend: 'null', enable });
  });
  it.each<[string, () => Func, Partial<Choices>?]>([
    ['matmul', () => kernels.matmul({ M: 64, N: 64, K: 32, dtype: F16 })],
    [
      'matmul with a residual',
      () => kernels.matmul({ M: 32, N: 64, K: 16, dtype: F16, residual: true }),
    ],
    ['attention', () => kernels.attention(32, 32, 32, F16)],
    ['attention of one matrix', () => kernels.attention(16, 16, 16, F16)],
    [
      'matmul with one test for its loads',
      () => kernels.matmul({ M: 128, N: 64, K: 16, dtype: F16 }),
      { mergeBoundsGuards: true, overlapStoresWithMma: false },
    ],
    ...[16, 32, 64].map((K): [string, () => Func, Partial<Choices>] => [
      `matmul that stores beside multiplications, ${K} deep`,
      () => kernels.matmul({ M: 64, N: 64, K, dtype: F16 }),
      {},
    ]),
    ['matmul that leaves in bands', () => kernels.matmul({ M: 128, N: 64, K: 16, dtype: F16 })],
  ])('%s', async (_, make, choices) => {
    const kernel = compileFunc(make(), MATRICES, { choices: { threads: 128, ...choices } });
    expect(kernel.wgsl).toContain('subgroupMatrixMultiplyAccumulate');
    expect(kernel.wgsl).not.toContain('fma(');
    await pipelineOf(dawn.device, kernel);
  });
});

test('matrices are enabled by the feature that the target has', () => {
  const func = (): Func => kernels.matmul({ M: 64, N: 64, K: 32, dtype: F16 });
  const experiment = compileFunc(func(), MATRICES);
  expect(experiment.features).toContain('chromium-experimental-subgroup-matrix');
  const own = compileFunc(func(), { ...MATRICES, subgroupMatrixFeature: 'subgroup-matrix' });
  expect(own.features).toContain('subgroup-matrix');
  expect(own.wgsl).toContain('enable subgroup_matrix;');
  expect(own.wgsl).toContain('diagnostic(off, subgroup_matrix_uniformity);');
  expect(own.wgsl).not.toContain('chromium');
  const spelled = experiment.wgsl.replaceAll(/chromium_experimental_|chromium\./g, '');
  expect(own.wgsl).toBe(spelled);
});

test('halves that matrices wait for are rounded two at a time, where that is right', () => {
  const wgslOf = (f16PacksToNearest: boolean): string => {
    const target = { ...MATRICES, f16RoundsToNearest: true, f16PacksToNearest };
    return compileFunc(kernels.attention(32, 32, 32, F16), target, { choices: { threads: 128 } })
      .wgsl;
  };
  expect(wgslOf(false)).not.toContain('pack2x16float');
  const packed = wgslOf(true);
  const words = [
    ...packed.matchAll(/let (packed(?:_\d+)?) = pack2x16float\(vec2<f32>\((\w+), (\w+)\)\)/g),
  ];
  expect(words.length).toBeGreaterThan(0);
  // Each word is stored once, in the order of its registers.
  const stored = [...packed.matchAll(/= vec4<u32>\((packed\w*(?:, packed\w*){3})\);/g)];
  expect(stored.flatMap(([, list]) => list!.split(', '))).toEqual(words.map(([, name]) => name));
});

test('the larger of two numbers is WGSL’s own where a NaN loses there', () => {
  const wgslOf = (extremaDropNan: boolean): string =>
    compileFunc(kernels.softmax(1, 4096), { ...LARGE, extremaDropNan }).wgsl;
  expect(wgslOf(false)).toContain('f32_maxnum(');
  expect(wgslOf(true)).not.toContain('f32_maxnum(');
});

test('a left operand that a loop does not change is read into matrices before it', () => {
  const choices = { threads: 128, squareBlocks: false, nonAliasedScratch: true };
  const wgslOf = (hoistOperands: boolean): string =>
    compileFunc(kernels.attention(32, 32, 32, F16), MATRICES, {
      choices: { ...choices, hoistOperands },
    }).wgsl;
  const count = (text: string): number => text.split('subgroup_matrix_left').length - 1;
  const [inside, outside] = [false, true].map((hoisted) => {
    const [before, loop] = wgslOf(hoisted).split(/\n  for \(/, 2) as [string, string];
    return { before, loop };
  }) as [Record<'before' | 'loop', string>, Record<'before' | 'loop', string>];
  // Two steps along K for the scores, two for the products with V.
  expect([count(inside.before), count(inside.loop)]).toEqual([0, 4]);
  expect([count(outside.before), count(outside.loop)]).toEqual([2, 2]);
  // The loop may write where they were read from.
  const after = outside.before.split('subgroup_matrix_left').at(-1)!;
  expect(after).toContain('workgroupBarrier();');
});

/** The text with each statement on one line again. */
function unwrapped(wgsl: string): string {
  const lines: string[] = [];
  for (const line of wgsl.split('\n')) {
    const last = lines.at(-1) ?? '';
    const isOpen = /[^;{}\s]$/.test(last) && !/^ *\/\//.test(last);
    if (isOpen && line.startsWith('    ')) lines[lines.length - 1] = `${last} ${line.trim()}`;
    else lines.push(line);
  }
  return lines.join('\n');
}

test('matrices of a loop lie at places that are constants, where there is room for parts', () => {
  const loopOf = (maxWorkgroupBytes: number, size: number, choices: Partial<Choices>): string => {
    const target = { ...MATRICES, maxWorkgroupBytes };
    const func = kernels.attention(64, size, size, F16);
    const { wgsl } = compileFunc(func, target, { choices: { threads: 128, ...choices } });
    return unwrapped(wgsl)
      .split(/\n {2}for \(/)[1]!
      .split('\n  }')[0]!;
  };
  /** Arrays and places of what matrices read and write. */
  const places = (loop: string): [string, string][] =>
    [...loop.matchAll(/subgroupMatrix(?:Load|Store)<.*?\(&(\w+)(?:\[\w+\])?, (.*?), /g)].map(
      ([, array, place]) => [array!, place!],
    );
  // A row of blocks is one, then two.
  for (const squareBlocks of [false, true]) {
    const choices = { squareBlocks, hoistedRegisters: 32, nonAliasedScratch: true };
    const wide = places(loopOf(49_152, 64, choices));
    expect(new Set(wide.map(([array]) => array))).toContain('scratch_slabs');
    for (const [, place] of wide) expect(place).toMatch(/^\d+u$/);
  }
  // Scratch that shares memory lies where probabilities do.
  const shared = places(
    loopOf(49_152, 64, { squareBlocks: true, hoistedRegisters: 32, nonAliasedScratch: false }),
  );
  const arrays = ['column_slabs', 'row_slabs'];
  expect([...new Set(shared.map(([array]) => array))].toSorted()).toEqual(arrays);
  for (const [, place] of shared) expect(place).toMatch(/^\d+u$/);
  const narrow = places(loopOf(16_384, 32, { squareBlocks: false }));
  expect(new Set(narrow.map(([array]) => array))).not.toContain('scratch_slabs');
  expect(narrow.some(([, place]) => !/^\d+u$/.test(place))).toBe(true);
});

test('prefetched loads of a loop have one test, and tests of its own where that fails', () => {
  const wgslOf = (mergeBoundsGuards: boolean): string => {
    const func = kernels.matmul({ M: 128, N: 64, K: 16, dtype: F16 });
    const { wgsl } = compileFunc(func, MATRICES, {
      choices: { threads: 128, mergeBoundsGuards, overlapStoresWithMma: false },
    });
    return unwrapped(wgsl);
  };
  /** How many masks and tests each branch has, where they are of more than one run. */
  const tests = (wgsl: string): number[] =>
    [...wgsl.matchAll(/if \(([^!|\n]*)\) \{$/gm)]
      .map(([, text]) => text!.split(' & ').length)
      .filter((count) => count > 2);
  const [alone, together] = [false, true].map(wgslOf) as [string, string];
  expect(tests(alone)).toEqual([]);
  // Two runs of A and one of B, before the loop and in it, where the runs of A share a range.
  expect(tests(together)).toEqual([6, 5]);
  const reports = (wgsl: string): string[] => wgsl.match(/bad_load = \d+u/g) ?? [];
  expect(reports(together)).toEqual(reports(alone));
  // Nothing is in doubt where the test holds.
  const [, hot = ''] =
    /if \([^!|\n]*(?: & [^!|\n]*){5}\) \{\n(.*?)\} else \{/s.exec(together) ?? [];
  expect(hot.match(/\b[ab]\[/g)).toHaveLength(3);
  expect(hot).not.toContain('if (');
});

/**
 * Statements of a loop on matrices, in order: reads, multiplications, barriers, stores for matrices
 * and loads.
 */
function stepsOf(text: string): string {
  const kinds: [RegExp, string][] = [
    [/^(?:let|last|first).*subgroupMatrixLoad/, 'read'],
    [/subgroupMatrixMultiplyAccumulate\(\w+, last/, 'last'],
    [/subgroupMatrixMultiplyAccumulate/, 'multiply'],
    [/^workgroupBarrier/, 'barrier'],
    [/^(?:row_slabs|column_slabs|shared_words)\[.*=/, 'store'],
    [/= [ab]\[/, 'load'],
  ];
  const steps = text.split('\n').flatMap((line) => {
    const found = kinds.find(([pattern]) => pattern.test(line.trim()));
    return found ? [found[1]] : [];
  });
  return steps.filter((step, i) => step !== steps[i - 1]).join(' ');
}

test.each([
  [16, 'read barrier store load last barrier last'],
  [32, 'read multiply barrier store load last barrier read last'],
])('a dot %i deep is multiplied while the next tile is stored', (K, steps) => {
  const func = kernels.matmul({ M: 64, N: 64, K, dtype: F16 });
  const choices = { threads: 128 };
  const { wgsl } = compileFunc(func, MATRICES, { choices });
  const [, loop = ''] = /\n  for \(.*?\n(.*?)\n  }\n/s.exec(wgsl) ?? [];
  expect(stepsOf(loop)).toBe(steps);
  // Every product once. The first tile is read before the loop, behind a barrier.
  const products = (text: string): number =>
    text.split('subgroupMatrixMultiplyAccumulate').length - 1;
  expect(products(loop)).toBe((2 * 2 * K) / 16);
  expect(products(wgsl)).toBe(products(loop));
  const [before] = wgsl.split(loop) as [string];
  expect(stepsOf(before)).toMatch(/load store load barrier(?: read)?$/);
});

describe('validation without a GPU', () => {
  let dawn: OpenedDevice;
  beforeAll(async () => {
    dawn = await openDawn({ backend: 'null', enable: ['allow_unsafe_apis'] });
  });
  test('buffers have the names of parameters, as far as the module leaves them free', async () => {
    const pointers = ['x', 'select', 'i64_mul', 'shared_words', 'countOneBits', 'y'];
    const accesses = pointers.flatMap((name) => [
      `%${name}s = tt.splat %${name} : tensor<64x!tt.ptr<i64>>`,
      `%${name}p = tt.addptr %${name}s, %at : tensor<64x!tt.ptr<i64>>`,
      `%${name}v = tt.load %${name}p : tensor<64xi64>`,
      `%${name}2 = arith.muli %${name}v, %${name}v : tensor<64xi64>`,
      `tt.store %${name}p, %${name}2`,
    ]);
    const func =
      parseFunc(`tt.func @squares(${pointers.map((name) => `%${name}: !tt.ptr<i64>`).join(', ')}) {
      %at = tt.make_range {start = 0, end = 64} : tensor<64xi32>
      ${accesses.join('\n')}
      tt.return
    }`);
    const kernel = compileFunc(func, BASELINE_TARGET);
    await pipelineOf(dawn.device, kernel);
    const names = kernel.wgsl.matchAll(/var<storage, read_write> (\w+): array<vec/g);
    expect([...names].map(([, name]) => name)).toEqual([
      'x',
      'select_1',
      'i64_mul_1',
      'shared_words_1',
      'countOneBits_1',
      'y',
    ]);
  });

  describe.each([
    ['a large target', LARGE, {}],
    ['a large target without checks', LARGE, { checkBounds: false, linearGrid: true }],
    ['the baseline', BASELINE_TARGET, {}],
    ['several subgroup sizes', { ...LARGE, subgroupSizeControl: true }, {}],
  ] as const)('%s', (_, target, options) => {
    it.each(CASES)('%s', async (__, make) => {
      const kernel = compileFunc(
        make(),
        { ...target, maxInvocations: 256, maxWorkgroupBytes: 16_384 },
        { options },
      );
      await pipelineOf(dawn.device, kernel);
      expect(kernel.sourceMap.length).toBe(kernel.wgsl.split('\n').length - 1);
    });
  });
});
