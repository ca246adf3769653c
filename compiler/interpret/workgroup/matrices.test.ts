/**
 * Products on subgroup matrices by workgroups: right, without a hazard, and none without each of
 * its barriers.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../../1-parse/parser';
import { testParser } from '../../1-parse/testing/testParser';
import type { Choices } from '../../4-distribute/index';
import { OPTIMIZE_PASSES } from '../../3-optimize/index';
import { interpret, interpretThreads } from '../../5-threads/testing/differential';
import { distribute, lowerThreads, requestFor } from '../../5-threads/testing/run';
import { lowerTuned, notBeside, TUNED_KERNELS } from '../../5-threads/testing/tunedKernels';
import { tunerVariants } from '../../5-threads/testing/tunerChoices';
import { walk } from '../../ir/ir';
import type { ThreadOp } from '../../ir/thread/ir';
import { printThreads } from '../../ir/thread/printer';
import type { Target } from '../../target';
import { MATRIX_TARGET } from '../../testing/targets';

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

const KERNELS = TUNED_KERNELS.filter(({ name }) => /f16|int8/.test(name));
const CHOICES: readonly Partial<Choices>[] = [{}, { overlapStoresWithMma: false }];
/**
 * Whether a barrier is redundant on the run: without it nothing is found. Where an iteration
 * multiplies one matrix, the loop that stores the next tile beside that has read all by its end.
 */
const isOneSpare = (name: string, choices: Partial<Choices>): boolean =>
  name.startsWith('int8') && choices.overlapStoresWithMma !== false;

/** 16 KB, so that a product is staged in pieces and read back in rounds. */
const SMALL: Target = { ...MATRIX_TARGET, name: 'little memory', maxWorkgroupBytes: 16_384 };
const CASES = [MATRIX_TARGET, SMALL].flatMap((target) =>
  CHOICES.map((choices) => ({ target, choices })),
);

describe.each(CASES)('on $target.name with $choices', ({ target, choices }) => {
  it.each(KERNELS)('$name', (tuned) => {
    const { args, grid, name } = tuned;
    const expected = interpret(lowerTuned(parser, tuned), args, grid).buffers;
    const func = lowerTuned(parser, tuned);
    for (const pass of OPTIMIZE_PASSES) pass.run(func);
    distribute(func, target, { choices });
    const request = requestFor(func, target);
    const kernel = lowerThreads(func, request);
    const barriers: ThreadOp[] = [];
    let products = 0;
    walk(kernel.func.body, (op) => {
      if (op.name === 'thread.barrier') barriers.push(op);
      if (op.name === 'thread.matrix_multiply_accumulate') products++;
    });
    expect(products).toBeGreaterThan(0);
    const { buffers, findings } = interpretThreads(func, { kernel, request }, args, grid);
    expect(findings).toEqual([]);
    expect(notBeside(tuned, expected, buffers)).toBe('');
    const spare = barriers.filter((op) => {
      const more = { without: new Set([op]), stopAtFirst: true };
      const found = interpretThreads(func, { kernel, request }, args, grid, [], more).findings;
      return found.length === 0;
    });
    expect(barriers.length).toBeGreaterThan(2);
    expect(spare.length).toBe(isOneSpare(name, choices) ? 1 : 0);
  });
});

describe.each([MATRIX_TARGET, SMALL])(
  'under every choice that tuning tries, on $name',
  (target) => {
    it.each(KERNELS)('$name has no hazard', (tuned) => {
      const known = new Set<string>();
      for (const { numWarps, choices, text } of tunerVariants()) {
        const func = lowerTuned(parser, tuned);
        for (const pass of OPTIMIZE_PASSES) pass.run(func);
        distribute(func, target, { numWarps, choices });
        const request = requestFor(func, target);
        const kernel = lowerThreads(func, request);
        const printed = printThreads(kernel.func);
        if (known.has(printed)) continue;
        known.add(printed);
        const { findings } = interpretThreads(func, { kernel, request }, tuned.args, [1, 1, 1]);
        expect(findings, text).toEqual([]);
      }
      expect(known.size).toBeGreaterThan(3);
    });
  },
);
