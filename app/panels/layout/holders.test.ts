import { describe, expect, it } from 'vitest';
import { blockedLayout, coordinates } from '../../../compiler/ir/layoutAlgebra';
import { coordinatesOf, holderOf, sheetOf } from './holders';

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

it('draws any rank on a sheet', () => {
  expect(sheetOf([1024])).toEqual({ rows: 32, columns: 32, leading: [] });
  expect(sheetOf([2, 4, 8, 16])).toEqual({ rows: 8, columns: 16, leading: [2, 4] });
  expect(coordinatesOf([1024], [], 3, 5)).toEqual([101]);
  expect(coordinatesOf([2, 4, 8, 16], [1, 2], 3, 5)).toEqual([1, 2, 3, 5]);
});
