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

it('refuses what all storages together may not have, until one is released', () => {
  const table = new StorageTable(1024, 4096);
  const made = [1, 2, 3, 4].map(() => table.create(1000));
  expect(() => table.create(1000)).toThrow(
    /Tried to allocate 1000 bytes; this run's tensors have 3.9 KiB, and together they may have 4 KiB/,
  );
  expect(() => table.create(96)).not.toThrow();
  for (let i = 0; i < 100; i++) {
    table.remove(made.pop()!.id);
    made.push(table.create(1000));
  }
  expect(() => table.create(1)).toThrow(/Tried to allocate 1 bytes/);
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

it('reuses the CPU copies of released storages, and fills them anew', () => {
  const table = new StorageTable(1 << 20);
  const bytes = 100_001;
  const first = table.create(bytes);
  const copy = cpuCopy(first);
  copy.fill(7);
  table.remove(first.id);
  const next = cpuCopy(table.create(bytes));
  expect(next.buffer).toBe(copy.buffer);
  expect(next.some((byte) => byte !== 0)).toBe(false);
  // A caller that overwrites everything gets what is there, but for the padding.
  next.fill(9);
  const storage = table.create(bytes);
  table.remove(table.create(bytes).id);
  expect(cpuCopy(storage).buffer).not.toBe(next.buffer);
  const whole = new Uint8Array(cpuCopy(storage, true).buffer);
  expect([...whole.subarray(bytes)].every((byte) => byte === 0)).toBe(true);
});

it('leaves alone the CPU copy of a storage whose address was given out, or that is on the GPU', () => {
  const table = new StorageTable(1 << 20);
  const [shown, bound] = [table.create(100_000), table.create(100_000)];
  const copies = [cpuCopy(shown), cpuCopy(bound)];
  shown.exposed = true;
  bound.block = { members: new Set() } as unknown as Block;
  table.remove(shown.id);
  table.remove(bound.id);
  for (let i = 0; i < 2; i++)
    expect(copies.some(({ buffer }) => buffer === cpuCopy(table.create(100_000)).buffer)).toBe(
      false,
    );
});

it('keeps 128 MiB of CPU copies, the sizes that were used last', () => {
  const table = new StorageTable(1 << 30);
  const size = 48 << 20;
  const made = [1, 2, 3].map((extra) => table.create(size + 16 * extra));
  const buffers = made.map((storage) => cpuCopy(storage).buffer);
  for (const storage of made) table.remove(storage.id);
  const again = [1, 2, 3].map((extra) => cpuCopy(table.create(size + 16 * extra)).buffer);
  expect(again.map((buffer, i) => buffer === buffers[i])).toEqual([false, true, true]);
});
