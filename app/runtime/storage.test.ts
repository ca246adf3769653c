/** Storages, their addresses, and what a lost block takes with it. */
import { expect, it } from 'vitest';
import { cpuCopy, StorageTable, type Block, type Freshness } from './storage';

it('pads to 16 bytes, and spreads addresses above 2³² without overlap', () => {
  const table = new StorageTable(1000);
  const made = [0, 1, 16, 17, 255, 256, 257].map((bytes) => table.create(bytes));
  expect(made.map((storage) => storage.size)).toEqual([16, 16, 16, 32, 256, 256, 272]);
  for (const [index, storage] of made.entries()) {
    expect(storage.address % 256).toBe(0);
    expect(storage.address).toBeGreaterThan(2 ** 32);
    const next = made[index + 1];
    if (next) expect(next.address).toBeGreaterThan(storage.address + storage.size);
  }
});

it('keeps one zeroed CPU array as long as it lives', () => {
  const storage = new StorageTable(1000).create(5);
  const copy = cpuCopy(storage);
  expect([...copy]).toEqual([0, 0, 0, 0, 0]);
  expect(copy.buffer.byteLength).toBe(16);
  expect(cpuCopy(storage)).toBe(copy);
});

it('refuses with a sentence', () => {
  expect(() => new StorageTable(1024).create(4096)).toThrow(
    /Tried to allocate 4 KiB; this run allows 1 KiB a tensor/,
  );
});

it('forgets what was released', () => {
  const table = new StorageTable(1000);
  const storage = table.create(4);
  table.remove(storage.id);
  expect(() => table.get(storage.id)).toThrow(/was released/);
  expect(table.create(4).id).not.toBe(storage.id);
});

it('loses with its block what only that had', () => {
  const table = new StorageTable(1000);
  const after = (fresh: Freshness): [Freshness, boolean] => {
    const storage = table.create(16);
    storage.block = { id: 1 } as Block;
    storage.base = 256;
    storage.fresh = fresh;
    const lost = storage.loseBlock();
    expect([storage.block, storage.base]).toEqual([null, 0]);
    return [storage.fresh, lost];
  };
  expect(after('new')).toEqual(['new', false]);
  expect(after('cpu')).toEqual(['cpu', false]);
  expect(after('both')).toEqual(['cpu', false]);
  expect(after('gpu')).toEqual(['lost', true]);
});
