/** Which reductions share a trip through workgroup memory, and that results stay what they were. */
import { expect, test } from 'vitest';
import type { Operation } from '../ir/ir';
import { walk } from '../ir/ir';
import { parseFunc } from '../ir/parser';
import { assertValid } from '../ir/verifier';
import { BASELINE_TARGET, type Target } from '../target';
import { type Choices, DISTRIBUTE_PASSES, distributeContext } from './index';
import { changeBy } from './testing/passes';

const SMALL: Target = { ...BASELINE_TARGET, name: 'small', subgroupSize: 4 };
/** `name` is `x` reduced. */
const sum = (
  name: string,
  x: string,
  add = 'arith.addf',
): string => `%${name} = tt.reduce %${x} {axis = 0} : f32 {
  ^(%left_${name}: f32, %right_${name}: f32):
    %s_${name} = ${add} %left_${name}, %right_${name} : f32
    tt.reduce.return %s_${name}
  }`;
const highest = (name: string, x: string): string => sum(name, x, 'arith.maxnumf');

/** Loads x and y of 256 elements each, runs `body`, stores the scalars `out`. */
const kernel = (
  body: string,
  out: readonly string[],
): string => `tt.func @sums(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
  %range = tt.make_range {start = 0, end = 256} : tensor<256xi32>
  %ps = tt.splat %p : tensor<256x!tt.ptr<f32>>
  %at = tt.addptr %ps, %range : tensor<256x!tt.ptr<f32>>
  %x = tt.load %at : tensor<256xf32>
  %y = arith.mulf %x, %x : tensor<256xf32>
  ${body}
  ${out
    .map(
      (name, i) => `%c${i} = arith.constant ${i} : i32
  %o${i} = tt.addptr %q, %c${i} : !tt.ptr<f32>
  tt.store %o${i}, %${name}`,
    )
    .join('\n  ')}
  tt.return
}
`;

/** The reductions after distribution. */
function reductions(text: string, choices: Partial<Choices> = { threads: 32 }): Operation[] {
  const func = parseFunc(text);
  const context = distributeContext(SMALL, 1, choices);
  for (const pass of DISTRIBUTE_PASSES) {
    pass.run(func, context);
    assertValid(func, pass.name);
  }
  const found: Operation[] = [];
  walk(func.body, (op) => {
    if (op.name === 'tt.reduce') found.push(op);
  });
  return found;
}
const inputs = (text: string, choices?: Partial<Choices>): number[] =>
  reductions(text, choices).map((op) => op.operands.length);

test('two sums of one shape become one, with a region for both', () => {
  const [merged] = reductions(kernel(`${sum('a', 'x')}\n${sum('b', 'y')}`, ['a', 'b']));
  expect(merged!.operands.length).toBe(2);
  expect(merged!.region(0).args.length).toBe(4);
  expect(merged!.results.map(({ name }) => name)).toEqual(['a', 'b']);
});

test('what uses the first sum moves behind the second', () => {
  const body = `${sum('a', 'x')}
  %half = arith.mulf %a, %a : f32
  ${sum('b', 'y')}
  ${highest('c', 'x')}`;
  expect(inputs(kernel(body, ['half', 'b', 'c']))).toEqual([3]);
});

test('a reduction that needs the other one stays behind it, and a later one joins either', () => {
  const body = `${sum('a', 'x')}
  %as = tt.splat %a : tensor<256xf32>
  %d = arith.subf %x, %as : tensor<256xf32>
  ${sum('b', 'd')}
  ${highest('c', 'y')}`;
  expect(inputs(kernel(body, ['a', 'b', 'c']))).toEqual([2, 1]);
});

test('a store of the first sum is not moved behind a load', () => {
  const body = `${sum('a', 'x')}
  tt.store %q, %a
  %z = tt.load %at : tensor<256xf32>
  ${sum('b', 'z')}`;
  expect(inputs(kernel(body, ['b']))).toEqual([1, 1]);
});

test('sums within one subgroup are left alone', () => {
  const text = kernel(`${sum('a', 'x')}\n${sum('b', 'y')}`, ['a', 'b']);
  expect(inputs(text, { threads: 4 })).toEqual([1, 1]);
});

test('two sums of a tile become one reduction of two inputs', () => {
  const text = kernel(`${sum('a', 'x')}\n  ${sum('b', 'y')}`, ['a', 'b']);
  expect(changeBy('merge_reductions', text)).toMatchInlineSnapshot(`
    "    %y = arith.mulf %x, %x : tensor<256xf32>
    -   %a = tt.reduce %x {axis = 0} : f32 {
    -   ^(%left_a: f32, %right_a: f32):
    +   %a, %b = tt.reduce %x, %y {axis = 0} : f32, f32 {
    +   ^(%left_a: f32, %left_b: f32, %right_a: f32, %right_b: f32):
          %s_a = arith.addf %left_a, %right_a : f32
    -     tt.reduce.return %s_a
    -   }
    -   %b = tt.reduce %y {axis = 0} : f32 {
    -   ^(%left_b: f32, %right_b: f32):
          %s_b = arith.addf %left_b, %right_b : f32
    -     tt.reduce.return %s_b
    +     tt.reduce.return %s_a, %s_b"
  `);
});
