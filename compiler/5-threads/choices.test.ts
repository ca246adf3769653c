/**
 * Tuning never changes a result beyond rounding: every choice that the tuner may make, and every
 * num_warps, on the interpreter of what distribution leaves, for targets that differ.
 */
import { CPU_FACTS } from '../machine';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { OPTIMIZE_PASSES } from '../3-optimize/index';
import { BASELINE_TARGET, type Target } from '../target';
import { MATRIX_TARGET } from '../testing/targets';
import { interpret } from './testing/differential';
import { distribute } from './testing/run';
import { lowerTuned, notBeside, TUNED_KERNELS } from './testing/tunedKernels';
import { tunerVariants } from './testing/tunerChoices';

const TARGETS: readonly Target[] = [
  {
    ...BASELINE_TARGET,
    name: 'SwiftShader',
    machine: CPU_FACTS,
    subgroupSize: 4,
    sharedMemoryInStorage: true,
  },
  { ...BASELINE_TARGET, name: 'subgroups of 32', subgroupSize: 32, maxWorkgroupBytes: 49_152 },
  MATRIX_TARGET,
];

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

it('reads what the tuner tries', () => {
  const tried = tunerVariants();
  expect(tried.map(({ choices }) => choices)).toContainEqual({ threads: 256 });
  expect(tried.map(({ choices }) => choices)).toContainEqual({ kSlice: 32 });
  expect(tried.length).toBeGreaterThan(15);
});

describe.each(TARGETS)('on $name', (target) => {
  it.each(TUNED_KERNELS)('$name', (kernel) => {
    const undistributed = interpret(lowerTuned(parser, kernel), kernel.args, kernel.grid).buffers;
    for (const [argument, bound] of kernel.bounds) {
      // The bounds mean something: a wrong term is far outside of them.
      expect(Math.max(...bound)).toBeLessThan(1e-3);
      const changed = undistributed.map((each) => each?.slice());
      changed[argument]![2]! ^= 0x80;
      expect(notBeside(kernel, undistributed, changed)).toContain('element 0');
    }
    for (const { text, numWarps, choices } of tunerVariants()) {
      const func = lowerTuned(parser, kernel);
      for (const pass of OPTIMIZE_PASSES) pass.run(func);
      distribute(func, target, { numWarps, choices });
      const after = interpret(func, kernel.args, kernel.grid).buffers;
      expect(`${text}: ${notBeside(kernel, undistributed, after)}`).toBe(`${text}: `);
    }
  });
});
