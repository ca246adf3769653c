/** Conversions that are not needed. */
import { expect, test } from 'vitest';
import { remove_layout_conversions } from './remove_layout_conversions';
import { after } from './testing/passes';

test('there and back, and before workgroup memory', () => {
  const text = `#L0 = #linear<{register = [[1]], lane = [[2], [4]], subgroup = [[8], [0], [0]]}>
#L1 = #linear<{register = [[8]], lane = [[1], [2]], subgroup = [[4], [0], [0]]}>
tt.func @k(%x: !tt.ptr<f32>) attributes {threads = 32, subgroupSize = 4} {
  %c = arith.constant dense<1.0> : tensor<16xf32, #L0>
  %d = ttg.convert_layout %c : tensor<16xf32, #L1>
  %e = ttg.convert_layout %d : tensor<16xf32, #L0>
  %m = ttg.local_alloc : !ttg.memdesc<16xf32, order = [0], pad = 4>
  ttg.local_store %d, %m
  %xs = tt.splat %x : tensor<16x!tt.ptr<f32>, #L0>
  tt.store %xs, %e
  tt.return
}
`;
  expect(after(text, [remove_layout_conversions])).toMatchInlineSnapshot(`
    "#L0 = #linear<{register = [[1]], lane = [[2], [4]], subgroup = [[8], [0], [0]]}>
    tt.func @k(%x: !tt.ptr<f32>) attributes {threads = 32, subgroupSize = 4} {
      %c = arith.constant dense<1.0> : tensor<16xf32, #L0>
      %m = ttg.local_alloc : !ttg.memdesc<16xf32, order = [0], pad = 4>
      ttg.local_store %c, %m
      %xs = tt.splat %x : tensor<16x!tt.ptr<f32>, #L0>
      tt.store %xs, %c
      tt.return
    }
    "
  `);
});
