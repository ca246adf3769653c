import { expect, it } from 'vitest';
import { parseFunc } from '../ir/parser';
import { ringUses } from './ringUses';

it('lists functions without identities once, and constants but for 0, 1 and -1', () => {
  const uses = ringUses(
    parseFunc(`tt.func @k(%p: !tt.ptr<f32>) {
  %x = tt.load %p : f32
  %c0 = arith.constant 0.0 : f32
  %c1 = arith.constant -1.0 : f32
  %c2 = arith.constant 2.5 : f32
  %n = arith.constant 7 : i32
  %a = arith.divf %x, %c2 : f32
  %b = arith.divf %a, %c1 : f32
  %c = math.exp %b : f32
  %d = math.tanh %c : f32
  tt.store %p, %d
  tt.return
}
`),
  );
  expect(uses.functions.map(({ name }) => name)).toEqual(['a division', 'tanh']);
  expect(uses.constants).toEqual([2.5]);
  expect(uses.exponential).toBe(true);
  expect(uses.narrowing).toBeNull();
});

it('has the conversion to the fewest bits', () => {
  const uses = ringUses(
    parseFunc(`tt.func @k(%p: !tt.ptr<f32>) {
  %x = tt.load %p : f32
  %h = arith.truncf %x : f16
  %w = arith.extf %h : f32
  tt.store %p, %w
  tt.return
}
`),
  );
  expect(uses.narrowing).toMatchObject({ bits: 16 });
  expect(uses.exponential).toBe(false);
});
