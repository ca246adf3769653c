/**
 * Decode attention over pages, small-M dots on subgroup matrices: prefetched loads through a
 * table, staged and carried leaves what the kernel computes, for sequences that end anywhere. The
 * interpreter runs the IR after each pass.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { type Choices, DISTRIBUTE_PASSES, distributeContext } from '../4-distribute/index';
import { cloneFunc } from '../ir/builder';
import { type Operation, walk } from '../ir/ir';
import { assertValid } from '../ir/verifier';
import { BASELINE_TARGET } from '../target';
import { MATRIX_TARGET } from '../testing/targets';
import { pagedKernel, run } from './testing/pagedKernel';

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

describe.each([
  { BN: 32, target: MATRIX_TARGET },
  { BN: 64, target: MATRIX_TARGET },
  { BN: 128, target: MATRIX_TARGET },
  { BN: 64, target: BASELINE_TARGET },
])('$BN keys at a time, $target.name', ({ BN, target }) => {
  const some: Partial<Choices>[] = [
    {},
    { lanesAlongRow: 0, mergeBoundsGuards: false, clusterLoads: false },
    { prefetchRegisters: 0 },
    { prefetchRegisters: 16 },
    { nonAliasedScratch: true, threads: 128 },
    { prefetchRegisters: 128, clusterLoads: true },
    { prefetchRegisters: 128, mergeBoundsGuards: true },
    { indirectPrefetch: false },
    { indirectPrefetch: true, clusterLoads: false, prefetchRegisters: 128 },
    { delayReductions: false, loopUnroll: 1 },
  ];
  it.each(some)('leave the same: %j', (choices) => {
    const func = pagedKernel(parser, BN);
    const before = run(cloneFunc(func));
    expect(before.some((x) => Number.isNaN(x))).toBe(false);
    const context = distributeContext(target, 4, choices);
    for (const pass of DISTRIBUTE_PASSES) {
      if (!pass.run(func, context)) continue;
      assertValid(func, pass.name);
      // Halves of probabilities round otherwise where their sums do.
      const worst = run(func).reduce((most, x, i) => Math.max(most, Math.abs(x - before[i]!)), 0);
      expect(worst, pass.name).toBeLessThan(2e-3);
    }
  });
});

describe('the order in the loop', () => {
  /**
   * Operations of the loop, a word each: loads of the table, of keys and of values, dots,
   * reductions, branches.
   */
  function order(choices: Partial<Choices>): string {
    const func = pagedKernel(parser, 64);
    const context = distributeContext(MATRIX_TARGET, 4, choices);
    for (const pass of DISTRIBUTE_PASSES) pass.run(func, context);
    let loop: Operation | undefined;
    walk(func.body, (op) => {
      if (op.name === 'scf.for') loop = op;
    });
    const words: string[] = [];
    walk(loop!.region(0), (op) => {
      if (op.name === 'tt.load') words.push(op.result.name ?? '?');
      if (op.name === 'tt.dot' || op.name === 'tt.reduce') words.push(op.name.slice(3));
      if (op.name === 'scf.if') words.push('if');
    });
    return words.join(' ');
  }
  it('takes the place from the iteration before, reads the next one behind keys and values, adds up at the end', () => {
    expect(order({})).toBe('if k v if page dot reduce dot reduce');
  });
  it('reads keys and values at once, behind their place', () => {
    expect(order({ indirectPrefetch: false, delayReductions: false })).toBe(
      'if page k v dot reduce reduce dot',
    );
  });
});
