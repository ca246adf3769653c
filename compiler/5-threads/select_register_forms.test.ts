/** select_register_forms by printed IR: the operations of large tiles, before and after. */
import { expect, it } from 'vitest';
import { BASELINE_TARGET } from '../target';
import { select_register_forms } from './select_register_forms';
import { formChanges } from './testing/registerForms';

/** The sum of a row that is scaled in place, or to another tensor. */
const kernel = (to: 'x' | 'y'): string => `
tt.func @scale(%x: !tt.ptr<f32> {tt.divisibility = 16}, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
  %at = tt.make_range {start = 0, end = 256} : tensor<256xi32>
  %xs = tt.splat %x : tensor<256x!tt.ptr<f32>>
  %p = tt.addptr %xs, %at : tensor<256x!tt.ptr<f32>>
  %ys = tt.splat %${to} : tensor<256x!tt.ptr<f32>>
  %q = tt.addptr %ys, %at : tensor<256x!tt.ptr<f32>>
  %v = tt.load %p : tensor<256xf32>
  %w = arith.addf %v, %v : tensor<256xf32>
  tt.store %q, %w
  %sum = tt.reduce %w {axis = 0} : f32 {
  ^(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s
  }
  tt.store %z, %sum
  tt.return
}`;

/** Changes of the pass: the lines of the IR before (`-`) and after (`+`). */
function changes(text: string, registers: number, groups = [0, 1, 2]): string {
  const launch = { numWarps: 1, groups };
  return formChanges(text, BASELINE_TARGET, registers, launch, select_register_forms);
}

it('rematerializes loads of memory that nothing writes, and walks stores and reductions', () => {
  expect(changes(kernel('y'), 4)).toMatchInlineSnapshot(`
    "- %at = tt.make_range {start = 0, end = 256} : tensor<256xi32>
    + %at = tt.make_range {start = 0, end = 256, form = "rematerialized"} : tensor<256xi32>
    - %p = tt.addptr %xs, %at : tensor<256x!tt.ptr<f32>>
    + %p = tt.addptr %xs, %at {form = "rematerialized"} : tensor<256x!tt.ptr<f32>>
    - %q = tt.addptr %ys, %at : tensor<256x!tt.ptr<f32>>
    + %q = tt.addptr %ys, %at {form = "rematerialized"} : tensor<256x!tt.ptr<f32>>
    - %v = tt.load %p {vector = 4} : tensor<256xf32>
    + %v = tt.load %p {vector = 4, form = "rematerialized"} : tensor<256xf32>
    - %w = arith.addf %v, %v : tensor<256xf32>
    + %w = arith.addf %v, %v {form = "rematerialized"} : tensor<256xf32>
    - tt.store %q, %w {vector = 1}
    + tt.store %q, %w {vector = 1, form = "loop"}
    - %sum = tt.reduce %w {axis = 0, scratch = 0, scratchBytes = 128} : f32 {
    + %sum = tt.reduce %w {axis = 0, scratch = 0, scratchBytes = 128, form = "loop"} : f32 {"
  `);
});

it('keeps loads of memory that is written in arrays, also where tensors share a binding', () => {
  const inPlace = changes(kernel('x'), 4);
  expect(inPlace).toContain('tt.load %p {vector = 4, form = "array"}');
  expect(changes(kernel('y'), 4, [0, 0, 1])).toContain('form = "array"');
});

it('leaves tiles of few registers alone', () => {
  expect(changes(kernel('y'), 8)).toBe('');
});
