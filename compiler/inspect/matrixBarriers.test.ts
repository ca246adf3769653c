/** Barriers where subgroups read and write matrices: under every choice that tuning tries, right and none too many. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing';
import { OPTIMIZE_PASSES } from '../3-optimize/index';
import { compileFunc } from '../5-emit/testing/run';
import { lowerTuned, TUNED_KERNELS, type TunedKernel } from '../5-emit/testing/tunedKernels';
import { tunerVariants, type Variant } from '../5-emit/testing/tunerChoices';
import type { Target } from '../target';
import { MATRIX_TARGET } from '../testing/targets';
import { checkBarriers } from './barriers';
import { matrixAccess, matrixTypes } from './matrixAccess';

/** 16 KB, so that a product is staged in pieces and read back in rounds. */
const SMALL: Target = { ...MATRIX_TARGET, name: 'little memory', maxWorkgroupBytes: 16_384 };

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

it('reads what a matrix touches', () => {
  const load =
    'let a_0 = subgroupMatrixLoad<subgroup_matrix_left<f16, 32, 16>, row_major>(&row_parts[p + 1u], at * 2u, 9u);';
  const place = { array: 'row_parts', part: 'p + 1u', first: 'at * 2u', stride: '9u' };
  expect(matrixAccess(load, new Map())).toEqual({ kind: 'read', ...place, lines: 16, bytes: 64 });
  const across = load.replace('row_major', 'col_major');
  expect(matrixAccess(across, new Map())).toMatchObject({ lines: 32, bytes: 32 });
  const types = matrixTypes(['  var v_1: subgroup_matrix_result<f32, 16, 8> = 0;']);
  const store = 'subgroupMatrixStore<row_major>(&shared_words, at + 4u, v_1, 10u);';
  expect(matrixAccess(store, types)).toEqual({
    ...{ kind: 'write', array: 'shared_words', part: '', first: 'at + 4u', stride: '10u' },
    ...{ lines: 8, bytes: 64 },
  });
  expect(matrixAccess('let x = shared_words[3u];', types)).toBeNull();
  expect(() => matrixAccess(store, new Map())).toThrow('not understood');
});

const made = (kernel: TunedKernel, target: Target, { numWarps, choices }: Variant) => {
  const func = lowerTuned(parser, kernel);
  for (const pass of OPTIMIZE_PASSES) pass.run(func);
  return compileFunc(func, target, { numWarps, choices });
};
/**
 * Where a turn multiplies one matrix, the loop that stores the next tile beside that has read all by its end: the
 * barrier behind it is one too many, once a program.
 */
const spare = ({ name }: TunedKernel): number => (name.startsWith('int8') ? 1 : 0);
const KERNELS = TUNED_KERNELS.filter(({ name }) => /f16|int8/.test(name));

describe.each([MATRIX_TARGET, SMALL])('with $name', (target) => {
  it.each(KERNELS)('$name', (kernel) => {
    const known = new Set<string>();
    for (const variant of tunerVariants()) {
      const { wgsl, workgroupSize } = made(kernel, target, variant);
      if (known.has(wgsl)) continue;
      known.add(wgsl);
      expect(wgsl).toContain('subgroupMatrixMultiplyAccumulate');
      const { races, redundant } = checkBarriers(wgsl, workgroupSize);
      expect(races, variant.text).toEqual([]);
      expect(redundant.length, variant.text).toBeLessThanOrEqual(spare(kernel));
    }
    expect(known.size).toBeGreaterThan(3);
  });

  it.each(KERNELS)('$name: without any one of its barriers there is a race', (kernel) => {
    for (const choices of [{}, { overlapStores: false }])
      removeEach({ ...tunerVariants()[2]!, choices });
    function removeEach(variant: Variant): void {
      const { wgsl, workgroupSize } = made(kernel, target, variant);
      const lines = wgsl.split('\n');
      const barriers = lines.flatMap((line, i) =>
        line.trim() === 'workgroupBarrier();' ? [i] : [],
      );
      expect(barriers.length).toBeGreaterThan(1);
      const { redundant } = checkBarriers(wgsl, workgroupSize);
      expect(redundant.length).toBeLessThanOrEqual(spare(kernel));
      for (const i of barriers.filter((line) => !redundant.includes(line + 1))) {
        const { races } = checkBarriers(lines.with(i, '').join('\n'), workgroupSize);
        expect(races, `line ${i + 1}`).not.toEqual([]);
      }
    }
  });
});
