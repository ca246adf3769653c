import { describe, expect, it } from 'vitest';
import { blockedLayout, coordinates } from '../../../compiler/ir/layoutAlgebra';
import { holderOf } from './holders';

describe('holders', () => {
  it('are those that the layout says', () => {
    const layout = blockedLayout([16, 32], { lanes: 5, subgroups: 2 }, 4);
    for (const at of [
      [0, 0],
      [3, 17],
      [15, 31],
    ]) {
      const { register, lane, subgroup, copies } = holderOf(layout, at);
      expect(coordinates(layout, register, subgroup * 32 + lane)).toEqual(at);
      expect(copies).toBe(1);
    }
    expect(holderOf(layout, [0, 3])).toEqual({ register: 3, lane: 0, subgroup: 0, copies: 1 });
  });
  it('count copies of a tile that is smaller than its threads', () => {
    const layout = blockedLayout([8], { lanes: 5, subgroups: 1 });
    expect(holderOf(layout, [5])).toEqual({ register: 0, lane: 5, subgroup: 0, copies: 8 });
  });
  it('without subgroups are numbered as subgroups of one lane', () => {
    const layout = blockedLayout([64], { lanes: 0, subgroups: 6 });
    expect(holderOf(layout, [33])).toEqual({ register: 0, lane: 0, subgroup: 33, copies: 1 });
  });
});
