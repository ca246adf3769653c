/** unroll_register_loops by printed IR: how many elements an iteration takes. */
import { CPU_FACTS } from '../machine';
import { expect, it } from 'vitest';
import { BASELINE_TARGET } from '../target';
import type { Target } from '../target';
import { select_register_forms } from './select_register_forms';
import { formChanges } from './testing/registerForms';
import { unroll_register_loops } from './unroll_register_loops';

const SOFTWARE: Target = {
  ...BASELINE_TARGET,
  name: 'SwiftShader',
  machine: CPU_FACTS,
  subgroupSize: 4,
};

/** A row that is doubled, and summed. */
const KERNEL = `
tt.func @scale(%x: !tt.ptr<f32> {tt.divisibility = 16}, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
  %at = tt.make_range {start = 0, end = 1024} : tensor<1024xi32>
  %xs = tt.splat %x : tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xs, %at : tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : tensor<1024x!tt.ptr<f32>>
  %q = tt.addptr %ys, %at : tensor<1024x!tt.ptr<f32>>
  %v = tt.load %p : tensor<1024xf32>
  %w = arith.addf %v, %v : tensor<1024xf32>
  tt.store %q, %w
  %sum = tt.reduce %v {axis = 0} : f32 {
  ^(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s
  }
  tt.store %z, %sum
  tt.return
}`;

/** The operations that the pass marks, as they are before and after. */
function changes(target: Target, scalarized: number): string {
  const before = [select_register_forms];
  return formChanges(KERNEL, target, scalarized, { numWarps: 1 }, unroll_register_loops, before);
}

it('takes more of a store on a GPU, and more of a reduction on a CPU', () => {
  expect(changes(BASELINE_TARGET, 4)).toMatchInlineSnapshot(`
    "- tt.store %q, %w {vector = 1, form = "loop"}
    + tt.store %q, %w {vector = 1, form = "loop", unroll = 16}
    - %sum = tt.reduce %v {axis = 0, scratch = 0, scratchBytes = 256, form = "loop"} : f32 {
    + %sum = tt.reduce %v {axis = 0, scratch = 0, scratchBytes = 256, form = "loop", unroll = 8} : f32 {"
  `);
  expect(changes(SOFTWARE, 4)).toMatchInlineSnapshot(`
    "- tt.store %q, %w {vector = 1, form = "loop"}
    + tt.store %q, %w {vector = 1, form = "loop", unroll = 8}
    - %sum = tt.reduce %v {axis = 0, form = "loop"} : f32 {
    + %sum = tt.reduce %v {axis = 0, form = "loop", unroll = 16} : f32 {"
  `);
});

it('leaves tiles whose registers are scalarized', () => {
  expect(changes(BASELINE_TARGET, 1024)).toBe('');
});
