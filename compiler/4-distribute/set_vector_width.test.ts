/** Vector widths of accesses. */
import { expect, test } from 'vitest';
import { set_vector_width } from './set_vector_width';
import { PREPARED, after } from './testing/passes';

test('by alignment, contiguity and mask', () => {
  const text = `tt.func @widths(%x: !tt.ptr<f16> {tt.divisibility = 16}, %y: !tt.ptr<f16>, %n: i32 {tt.divisibility = 16}, %m: i32) {
  %range = tt.make_range {start = 0, end = 256} : tensor<256xi32>
  %xs = tt.splat %x : tensor<256x!tt.ptr<f16>>
  %p = tt.addptr %xs, %range : tensor<256x!tt.ptr<f16>>
  %ns = tt.splat %n : tensor<256xi32>
  %even = arith.cmpi %range, %ns {predicate = "slt"} : tensor<256xi1>
  %ms = tt.splat %m : tensor<256xi32>
  %odd = arith.cmpi %range, %ms {predicate = "slt"} : tensor<256xi1>
  %ys = tt.splat %y : tensor<256x!tt.ptr<f16>>
  %q = tt.addptr %ys, %range : tensor<256x!tt.ptr<f16>>
  %a = tt.load %p, %even : tensor<256xf16>
  %b = tt.load %p, %odd : tensor<256xf16>
  %c = tt.load %q : tensor<256xf16>
  %d = arith.addf %a, %b : tensor<256xf16>
  %e = arith.addf %c, %d : tensor<256xf16>
  tt.store %p, %e
  tt.return
}
`;
  const printed = after(text, [...PREPARED, set_vector_width]);
  const widths = printed.split('\n').filter((line) => /tt\.(load|store)/.test(line));
  expect(widths.map((line) => line.trim().replace(/ : .*/, ''))).toMatchInlineSnapshot(`
    [
      "%a = tt.load %p, %even {vector = 8}",
      "%b = tt.load %p, %odd {vector = 1, run = 8}",
      "%c = tt.load %q {vector = 1}",
      "tt.store %p, %e {vector = 8}",
    ]
  `);
});
