/** version_dots by printed IR: which dots from global memory get a loop without tests. */
import { expect, it } from 'vitest';
import { CPU_FACTS } from '../machine';
import { BASELINE_TARGET } from '../target';
import type { Target } from '../target';
import { select_register_forms } from './select_register_forms';
import { formChanges } from './testing/registerForms';
import { version_dots } from './version_dots';

const SOFTWARE: Target = {
  ...BASELINE_TARGET,
  name: 'SwiftShader',
  machine: CPU_FACTS,
  subgroupSize: 4,
};

/**
 * c = a · b, 16×16 of 16 steps. `along`: the offset of a step along K in both operands, of `%k`.
 * `mask`: behind each load.
 */
const kernel = (along = 'arith.muli %k, %steps', mask = ''): string => `
tt.func @product(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %step: i32) {
  %k = tt.make_range {start = 0, end = 16} : tensor<16xi32>
  %steps = tt.splat %step : tensor<16xi32>
  %at = ${along} : tensor<16xi32>
  %down = tt.expand_dims %at {axis = 1} : tensor<16x1xi32>
  %across = tt.expand_dims %at {axis = 0} : tensor<1x16xi32>
  %i = tt.expand_dims %k {axis = 1} : tensor<16x1xi32>
  %j = tt.expand_dims %k {axis = 0} : tensor<1x16xi32>
  %ib = tt.broadcast %i : tensor<16x16xi32>
  %jb = tt.broadcast %j : tensor<16x16xi32>
  %db = tt.broadcast %down : tensor<16x16xi32>
  %ab = tt.broadcast %across : tensor<16x16xi32>
  %left = arith.addi %ib, %ab : tensor<16x16xi32>
  %right = arith.addi %db, %jb : tensor<16x16xi32>
  %limit = tt.splat %step : tensor<16x16xi32>
  %mask = arith.cmpi %ib, %limit {predicate = "slt"} : tensor<16x16xi1>
  %as = tt.splat %a : tensor<16x16x!tt.ptr<f32>>
  %p = tt.addptr %as, %left : tensor<16x16x!tt.ptr<f32>>
  %bs = tt.splat %b : tensor<16x16x!tt.ptr<f32>>
  %q = tt.addptr %bs, %right : tensor<16x16x!tt.ptr<f32>>
  %x = tt.load %p${mask} : tensor<16x16xf32>
  %y = tt.load %q${mask} : tensor<16x16xf32>
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %x, %y, %z {inputPrecision = "ieee"} : tensor<16x16xf32>
  %cs = tt.splat %c : tensor<16x16x!tt.ptr<f32>>
  %to = tt.addptr %cs, %right : tensor<16x16x!tt.ptr<f32>>
  tt.store %to, %d
  tt.return
}`;

/** The operations that the pass marks, as they are before and after. */
function changes(text: string, target = SOFTWARE, checkBounds = true): string {
  const launch = { numWarps: 1, options: { checkBounds } };
  return formChanges(text, target, 4, launch, version_dots, [select_register_forms]);
}

it('selects a dot whose operands are linear along K', () => {
  expect(changes(kernel())).toMatchInlineSnapshot(`
    "- %d = tt.dot %x, %y, %z {inputPrecision = "ieee", strategy = "direct", rematerializedOperands = true} : tensor<16x16xf32>
    + %d = tt.dot %x, %y, %z {inputPrecision = "ieee", strategy = "direct", rematerializedOperands = true, versioned = true} : tensor<16x16xf32>"
  `);
});

it('leaves addresses that bend along K, and masked loads', () => {
  expect(changes(kernel('arith.muli %k, %k'))).toBe('');
  expect(changes(kernel('arith.xori %k, %steps'))).toBe('');
  expect(changes(kernel(undefined, ', %mask'))).toBe('');
});

it('needs a test to leave out', () => {
  expect(changes(kernel(), SOFTWARE, false)).toBe('');
});

it('leaves dots that read workgroup memory', () => {
  expect(changes(kernel(), BASELINE_TARGET)).toBe('');
});
