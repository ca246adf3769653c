/** version_loops by printed IR: which loops over registers get a version without tests. */
import { CPU_FACTS } from '../machine';
import { expect, it } from 'vitest';
import { BASELINE_TARGET } from '../target';
import type { Target } from '../target';
import { select_register_forms } from './select_register_forms';
import { formChanges } from './testing/registerForms';
import { version_loops } from './version_loops';

const SOFTWARE: Target = {
  ...BASELINE_TARGET,
  name: 'SwiftShader',
  machine: CPU_FACTS,
  subgroupSize: 4,
};

/** A row that is doubled and summed under a mask; `predicate` compares its offsets with n. */
const kernel = (predicate: string, stride = 1): string => `
tt.func @scale(%x: !tt.ptr<f32> {tt.divisibility = 16}, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %n: i32) {
  %at = tt.make_range {start = 0, end = 1024} : tensor<1024xi32>
  %stride = arith.constant {value = ${stride}} : i32
  %strides = tt.splat %stride : tensor<1024xi32>
  %place = arith.muli %at, %strides : tensor<1024xi32>
  %ns = tt.splat %n : tensor<1024xi32>
  %mask = arith.cmpi %at, %ns {predicate = "${predicate}"} : tensor<1024xi1>
  %xs = tt.splat %x : tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xs, %place : tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : tensor<1024x!tt.ptr<f32>>
  %q = tt.addptr %ys, %place : tensor<1024x!tt.ptr<f32>>
  %zero = arith.constant {value = 0.0} : tensor<1024xf32>
  %v = tt.load %p, %mask, %zero : tensor<1024xf32>
  %w = arith.addf %v, %v : tensor<1024xf32>
  tt.store %q, %w, %mask
  %sum = tt.reduce %v {axis = 0} : f32 {
  ^(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s
  }
  tt.store %z, %sum
  tt.return
}`;

/** The operations that the pass marks, as they are before and after. */
function changes(text: string, target = SOFTWARE, checkBounds = true): string {
  const launch = { numWarps: 1, options: { checkBounds } };
  return formChanges(text, target, 4, launch, version_loops, [select_register_forms]);
}

it('selects the loops of a store and a reduction that walk up to a limit', () => {
  expect(changes(kernel('slt'))).toMatchInlineSnapshot(`
    "- tt.store %q, %w, %mask {vector = 1, form = "loop"}
    + tt.store %q, %w, %mask {vector = 1, form = "loop", versioned = true}
    - %sum = tt.reduce %v {axis = 0, form = "loop"} : f32 {
    + %sum = tt.reduce %v {axis = 0, form = "loop", versioned = true} : f32 {"
  `);
});

it('leaves a mask that begins inside, and elements that are apart', () => {
  expect(changes(kernel('sgt'))).toBe('');
  expect(changes(kernel('slt', 2))).toBe('');
});

it('needs a test to leave out', () => {
  const unmasked = kernel('slt').replaceAll(', %mask, %zero', '').replace('%w, %mask', '%w');
  expect(changes(unmasked)).toContain('versioned');
  expect(changes(unmasked, SOFTWARE, false)).toBe('');
});

it('leaves every loop alone on a GPU', () => {
  expect(changes(kernel('slt'), BASELINE_TARGET)).toBe('');
});
