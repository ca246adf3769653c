/** Which storages share a binding. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { partition } from './grouping';
import { StorageTable, type Block, type Storage } from './storage';

const table = new StorageTable(1e9);
const make = (...sizes: number[]): Storage[] => sizes.map((size) => table.create(size));

it('gives every storage its own group, numbered by first use', () => {
  const [a, b, c] = make(16, 16, 16) as [Storage, Storage, Storage];
  const { groups, groupOf } = partition([b, a, b, c], [], 8);
  expect(groups).toEqual([[b], [a], [c]]);
  expect(groupOf.get(c)).toBe(2);
});

it('merges the smallest where there are too many', () => {
  const [a, b, c, d] = make(4096, 16, 8192, 32) as [Storage, Storage, Storage, Storage];
  expect(partition([a, b, c, d], [], 3).groups).toEqual([[a], [b, d], [c]]);
  expect(partition([a, b, c, d], [], 1).groups).toEqual([[a, b, c, d]]);
});

it('keeps what lies in one block together, and follows the compiler', () => {
  const [a, b, c, d] = make(16, 16, 16, 16) as [Storage, Storage, Storage, Storage];
  a.block = c.block = { id: 1 } as Block;
  expect(partition([a, b, c, d], [[b, d]], 8).groups).toEqual([
    [a, c],
    [b, d],
  ]);
});

it('never exceeds the limit, and never splits', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 20 }),
      fc.array(fc.array(fc.nat(19), { maxLength: 4 }), { maxLength: 4 }),
      fc.integer({ min: 1, max: 10 }),
      (sizes, choices, limit) => {
        const storages = make(...sizes);
        const merges = choices.map((chosen) => chosen.flatMap((index) => storages[index] ?? []));
        const { groups, groupOf } = partition(storages, merges, limit);
        expect(groups.length).toBeLessThanOrEqual(limit);
        expect(groups.flat().length).toBe(storages.length);
        for (const merge of merges) {
          expect(new Set(merge.map((storage) => groupOf.get(storage))).size).toBeLessThan(2);
        }
      },
    ),
  );
});
