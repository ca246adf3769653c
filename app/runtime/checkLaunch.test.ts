/** The pass that is named where the GPU's result differs from the IR's. */
import { expect, it } from 'vitest';
import type { CheckedPass } from '../events';
import { blameEmit } from './checkLaunch';

const pass = (index: number, name: string, more: Partial<CheckedPass> = {}): CheckedPass => ({
  ...{ index, name, verdict: 'same', first: null, message: null, programs: 4 },
  ...more,
});
const PASSES = [pass(0, 'lower'), pass(1, 'lower_tiles', { verdict: 'rounding' }), pass(2, 'emit')];
const first = { argument: 'out_ptr', index: 3, before: 2, after: 3 };
const WRONG = pass(3, 'gpu', { verdict: 'different', first });

const named = (passes: readonly CheckedPass[], gpu = WRONG): readonly string[] =>
  blameEmit(passes, gpu)
    .filter(({ verdict }) => verdict === 'different')
    .map(({ name }) => name);

it('names emit where all passes before are right, with the element and the reason', () => {
  expect(named(PASSES)).toEqual(['emit', 'gpu']);
  expect(blameEmit(PASSES, WRONG)[2]).toMatchObject({ index: 2, name: 'emit', first, programs: 4 });
  expect(blameEmit(PASSES, WRONG)[2]!.message).toContain('the WGSL is wrong, or the GPU');
});
it('does not where an earlier pass changed the result, which the GPU follows', () => {
  const broken = PASSES.with(0, pass(0, 'lower', { verdict: 'different' }));
  expect(named(broken)).toEqual(['lower', 'gpu']);
  expect(named(PASSES.with(1, pass(1, 'lower_tiles', { verdict: 'failed' })))).toEqual(['gpu']);
});
it('does not where thread IR was interpreted for fewer programs than the GPU ran', () => {
  expect(named(PASSES.with(2, pass(2, 'emit', { programs: 1 })))).toEqual(['gpu']);
});
it('does not where the GPU agrees', () => {
  expect(named(PASSES, pass(3, 'gpu'))).toEqual([]);
  expect(blameEmit(PASSES, pass(3, 'gpu')).map(({ name }) => name)).toContain('gpu');
});
