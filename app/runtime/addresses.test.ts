import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddressSpace, ARENA_ADDRESS, STORAGE_ALIGNMENT } from './addresses';
import { partition } from './grouping';
import { StorageTable, type Storage } from './storage';

describe('addresses', () => {
  it('never overlap, are aligned, and come again after they were given back', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 5000 }), fc.nat(3))), (steps) => {
        const space = new AddressSpace(ARENA_ADDRESS);
        const live: { at: number; size: number }[] = [];
        let most = 0;
        for (const [size, free] of steps) {
          const at = space.allocate(size);
          expect(at % STORAGE_ALIGNMENT).toBe(0);
          for (const other of live)
            expect(at + size < other.at || other.at + other.size < at).toBe(true);
          live.push({ at, size });
          most = Math.max(most, at + size);
          for (let i = 0; i < free && live.length > 0; i++) {
            const [gone] = live.splice((size * (i + 7)) % live.length, 1);
            space.free(gone!.at, gone!.size);
          }
        }
        for (const { at, size } of live) space.free(at, size);
        expect(space.allocate(most - ARENA_ADDRESS)).toBe(ARENA_ADDRESS);
      }),
    );
  });

  it('of the CPU are others than those of the device', () => {
    const table = new StorageTable(1e9);
    const [host, device] = [table.create(16), table.create(16)];
    expect(host.hostAddress).toBeLessThan(ARENA_ADDRESS);
    expect(device.address).toBe(ARENA_ADDRESS);
    device.releaseAddress();
    expect(table.create(16).address).toBe(ARENA_ADDRESS);
  });
});

describe('the arena', () => {
  const table = new StorageTable(1e9);
  const [a, b, c, d] = [16, 16, 16, 16].map((bytes) => table.create(bytes)) as [
    Storage,
    Storage,
    Storage,
    Storage,
  ];
  it('is one group, with what is no argument too', () => {
    const { groups, groupOf, arena } = partition([a, b], [], 8, [b, c, d]);
    expect(groups).toEqual([[a], [b, c, d]]);
    expect([arena, groupOf.get(c)]).toEqual([1, 1]);
    expect(partition([a, b], [], 8).arena).toBeNull();
  });
  it('takes a binding even where nothing lies in it', () => {
    expect(partition([a, b], [], 8, [])).toMatchObject({ groups: [[a], [b], []], arena: 2 });
    expect(partition([a, b], [], 2, [])).toMatchObject({ groups: [[a, b], []], arena: 1 });
  });
  it('takes in what does not find a binding of its own', () => {
    expect(partition([a, b], [], 1, [c]).groups).toEqual([[a, b, c]]);
  });
});
