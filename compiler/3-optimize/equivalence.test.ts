import { describe, expect, test } from 'vitest';
import { OPTIMIZE_PASSES } from './index';
import { checkEquivalence } from './testing/equivalence';

const passes = [...new Map(OPTIMIZE_PASSES.map((pass) => [pass.name, pass.run])).entries()];
const SEEDS = Number(process.env['FUZZ_SEEDS'] ?? 60);
const FIRST = Number(process.env['FUZZ_FIRST'] ?? 1);

describe('what a function does stays the same', () => {
  test.each(passes)('after %s', (_, run) => {
    for (let seed = FIRST; seed < FIRST + SEEDS; seed++) checkEquivalence(seed, [run]);
  });
  test('after all of them in order', () => {
    const list = OPTIMIZE_PASSES.map((pass) => pass.run);
    for (let seed = FIRST; seed < FIRST + SEEDS; seed++) checkEquivalence(seed, list);
  });
});

test('names of passes are names of their functions', () => {
  for (const { name, run } of OPTIMIZE_PASSES) expect(run.name).toBe(name);
});
