/** Operations that move behind a loop, their order, and those that stay. */
import { expect, test } from 'vitest';
import { parseFunc } from '../ir/parser';
import { assertValid } from '../ir/verifier';
import { BASELINE_TARGET } from '../target';
import { choose_threads } from './choose_threads';
import { distributeContext } from './index';
import { sink_past_loops } from './sink_past_loops';
import { changeBy, DOTS } from './testing/passes';

const KERNEL = `tt.func @sum(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0.0 : f32
  %both = arith.addi %n, %one : i32
  %last = arith.muli %both, %n : i32
  %end = arith.addi %last, %both : i32
  %at = tt.addptr %q, %end : !tt.ptr<f32>
  %old = tt.load %q : f32
  %total = scf.for %zero, %both, %one, %start : f32 {
  ^(%i: i32, %acc: f32):
    %from = tt.addptr %p, %i : !tt.ptr<f32>
    %x = tt.load %from : f32
    %next = arith.addf %acc, %x : f32
    scf.yield %next
  }
  %all = arith.addf %total, %old : f32
  %there = tt.addptr %at, %last : !tt.ptr<f32>
  tt.store %at, %all
  tt.store %there, %all
  tt.return
}
`;

/** The names of results in the order of the kernel, with the loop as `for`. */
function order(sinkIntoEpilogue: boolean): string[] {
  const func = parseFunc(KERNEL);
  const context = distributeContext(BASELINE_TARGET, 1, { sinkIntoEpilogue });
  choose_threads(func, context);
  expect(sink_past_loops(func, context)).toBe(sinkIntoEpilogue);
  assertValid(func, 'sink_past_loops');
  return func.body.ops.flatMap((op) =>
    op.name === 'scf.for' ? ['for'] : (op.results[0]?.name ?? []),
  );
}

test('what only the end needs moves there, before its first use; loads and what the loop needs stay', () => {
  const names = order(true);
  const behind = names.slice(names.indexOf('for') + 1);
  expect(behind).toEqual(['all', 'last', 'end', 'at', 'there']);
});

test('nothing moves where nobody asks for it', () => {
  const names = order(false);
  expect(names.slice(names.indexOf('for') + 1)).toEqual(['all', 'there']);
});

test('the address of a result is computed behind the loop', () => {
  const change = changeBy('sink_past_loops', DOTS, { sinkIntoEpilogue: true });
  expect(change.replaceAll(/^. tt.func.*\n/gm, '')).toMatchInlineSnapshot(`
    "    %r = tt.make_range {start = 0, end = 16} : tensor<16xi32>
    -   %r1 = tt.make_range {start = 0, end = 16} : tensor<16xi32>
    -   %r2 = tt.make_range {start = 0, end = 16} : tensor<16xi32>
        %r11 = tt.expand_dims %r {axis = 1} : tensor<16x1xi32>
    -   %r12 = tt.expand_dims %r2 {axis = 1} : tensor<16x1xi32>
        %c1 = tt.expand_dims %r5 {axis = 0} : tensor<1x16xi32>
    -   %c11 = tt.expand_dims %r1 {axis = 0} : tensor<1x16xi32>
        %c16 = arith.constant dense<16> : tensor<16x1xi32>
    -   %c161 = arith.constant dense<16> : tensor<16x1xi32>
        %r21 = arith.muli %r11, %c16 : tensor<16x1xi32>
    -   %r22 = arith.muli %r12, %c161 : tensor<16x1xi32>
        %r31 = tt.broadcast %r21 : tensor<16x16xi32>
    -   %r32 = tt.broadcast %r22 : tensor<16x16xi32>
        %c2 = tt.broadcast %c1 : tensor<16x16xi32>
    -   %c21 = tt.broadcast %c11 : tensor<16x16xi32>
        %offs = arith.addi %r31, %c2 : tensor<16x16xi32>
    -   %offs1 = arith.addi %r32, %c21 : tensor<16x16xi32>
        %zs = tt.splat %z : tensor<16x16x!tt.ptr<f32>>
    +   %r1 = tt.make_range {start = 0, end = 16} : tensor<16xi32>
    +   %r2 = tt.make_range {start = 0, end = 16} : tensor<16xi32>
    +   %r12 = tt.expand_dims %r2 {axis = 1} : tensor<16x1xi32>
    +   %c11 = tt.expand_dims %r1 {axis = 0} : tensor<1x16xi32>
    +   %c161 = arith.constant dense<16> : tensor<16x1xi32>
    +   %r22 = arith.muli %r12, %c161 : tensor<16x1xi32>
    +   %r32 = tt.broadcast %r22 : tensor<16x16xi32>
    +   %c21 = tt.broadcast %c11 : tensor<16x16xi32>
    +   %offs1 = arith.addi %r32, %c21 : tensor<16x16xi32>"
  `);
});
