/** Launches as dispatches: within the adapter's limit, every program once. */
import { describe, expect, it } from 'vitest';
import type { CompiledKernel } from '../../../compiler/program';
import { dispatchesOf, dispatchSize, sharedBytesOf, sliceSize } from './dispatches';
import { ADD_REQUEST, addKernel } from '../testing';

describe('dispatchSize', () => {
  it('leaves grids within the limit', () => {
    expect(dispatchSize([65535, 3, 1], 65535)).toEqual([65535, 3, 1]);
  });
  it('covers linear grids with little waste', () => {
    for (const total of [70_000, 65_536, 1_000_003, 5_000_000_000]) {
      const [x, y, z] = dispatchSize([total, 1, 1], 65535);
      expect(Math.max(x, y, z)).toBeLessThanOrEqual(65535);
      expect(x * y * z).toBeGreaterThanOrEqual(total);
      expect(x * y * z).toBeLessThan(total * 1.001 + 65536);
    }
  });
});

describe('dispatchesOf', () => {
  const plain = addKernel(ADD_REQUEST);
  const emulating: CompiledKernel = {
    ...plain,
    workgroupBytes: 2 ** 20,
    bindings: [...plain.bindings, { group: 'shared', access: 'read_write' }],
  };

  it('is one where programs need nothing of each other', () => {
    expect(sharedBytesOf(plain)).toBe(0);
    expect(dispatchesOf(plain, [5, 2, 1], 65535)).toEqual([{ first: 0, workgroups: [5, 2, 1] }]);
  });
  it.each([
    [
      [1, 1, 1],
      [1, 1, 1],
    ],
    [
      [30, 1, 1],
      [8, 1, 1],
    ],
    [
      [3, 5, 2],
      [8, 1, 1],
    ],
    [
      [65535, 5, 1],
      [40960, 2, 1],
    ],
  ] as const)('counts through the programs where each is a thread: %j', (grid, workgroups) => {
    const plan = dispatchesOf({ ...plain, programs: 4 }, grid, 65535);
    expect(plan).toEqual([{ first: 0, workgroups }]);
  });
  it.each([
    [1, 4, 7],
    [1, 4, 1],
    [3, 4, 2],
    [3, 5, 29],
    [8, 65535, 500],
  ])(
    'cuts launches into slices: %i programs a workgroup, limit %i, up to %i',
    (programs, limit, most) => {
      const kernel = { ...plain, programs };
      const grid = [11, 7, 2] as const;
      const total = 154;
      let next = 0;
      while (next < total) {
        const end = Math.min(total, next + sliceSize(kernel, most, limit));
        const [dispatch, ...others] = dispatchesOf(kernel, grid, limit, { first: next, end });
        expect(others).toEqual([]);
        expect(dispatch!.first).toBe(next);
        const [x, y, z] = dispatch!.workgroups;
        expect(Math.max(x, y, z)).toBeLessThanOrEqual(limit);
        // Only the last may have some to spare: there the grid ends.
        if (end < total) expect(x * y * z * programs).toBe(end - next);
        else expect(x * y * z * programs).toBeGreaterThanOrEqual(end - next);
        next = end;
      }
    },
  );
  it.each([
    ['one by one', { ...plain, oneByOne: true }, 1],
    ['as many as the storage of their shared memory has room for', emulating, 64],
  ])('runs each program once, %s', (_, kernel, most) => {
    const plan = dispatchesOf(kernel, [50, 3, 1], 65535);
    let next = 0;
    for (const { first, workgroups } of plan) {
      expect(first).toBe(next);
      expect(workgroups[0]).toBeLessThanOrEqual(most);
      expect(workgroups.slice(1)).toEqual([1, 1]);
      next += workgroups[0];
    }
    expect(next).toBe(150);
    expect(plan).toHaveLength(Math.ceil(150 / most));
  });
});
