import { describe, expect, it } from 'vitest';
import type { LaunchInputs } from '../../compiler/inspect/launch';
import { DEFAULT_OPTIONS, type CompileRequest } from '../../compiler/program';
import { BASELINE_TARGET } from '../../compiler/target';
import type { Engine, EngineLaunch } from './engine';
import { InputKeeper } from './launchInputs';
import { cpuCopy, StorageTable, type Storage } from './storage';

const REQUEST: CompileRequest = {
  program: { files: {}, functions: {}, entry: 'k' },
  specialization: { arguments: [], numWarps: 4 },
  target: BASELINE_TARGET,
  options: DEFAULT_OPTIONS,
};
const table = new StorageTable(2 ** 30);
function storageOf(fresh: Storage['fresh'], bytes = 16): Storage {
  const storage = table.create(bytes);
  if (fresh !== 'new') cpuCopy(storage).fill(7);
  storage.fresh = fresh;
  return storage;
}
function launchOf(storages: readonly Storage[], line = 1): EngineLaunch {
  return {
    id: 1,
    unit: { key: 'key', name: 'kernel', kernel: null, func: null, addresses: 'none', cost: null },
    leaves: storages.map((storage, i) => ({
      kind: 'pointer',
      path: [i],
      dtype: 'float32',
      elementBytes: 4,
      storage,
      byteOffset: 4,
      label: `x${i}`,
      shape: [3],
      strides: [1],
    })),
    groups: [],
    arena: null,
    grid: [1, 1, 1],
    site: { file: 'a.py', line },
    labels: [],
  };
}
/** Reads back by marking the CPU's copy fresh. */
const engine = {
  read: async (storage: Storage) => {
    storage.fresh = 'both';
  },
} as unknown as Engine;

function keeper(readBack: boolean): { sent: LaunchInputs[]; keep: InputKeeper } {
  const sent: LaunchInputs[] = [];
  return { sent, keep: new InputKeeper((inputs) => sent.push(inputs), readBack) };
}

describe('what a launch got', () => {
  it('is kept without waiting where the CPU has it', () => {
    const { sent, keep } = keeper(false);
    const storage = storageOf('both');
    expect(keep.keep(engine, launchOf([storage, storageOf('gpu')]), REQUEST)).toBeUndefined();
    const [inputs] = sent;
    expect(inputs!.storages.map(({ contents }) => contents)).toEqual([
      new Uint8Array(16).fill(7),
      null,
    ]);
    expect(inputs!.args[0]).toEqual({
      kind: 'pointer',
      address: storage.address + 4,
      storage: 0,
      shape: [3],
      strides: [1],
    });
    // A copy: what the launch writes does not show in it.
    cpuCopy(storage).fill(0);
    expect((inputs!.storages[0]!.contents as Uint8Array)[0]).toBe(7);
  });
  it('is read back where that was requested', async () => {
    const { sent, keep } = keeper(true);
    const storage = storageOf('gpu');
    await keep.keep(engine, launchOf([storage]), REQUEST);
    expect(sent[0]!.storages[0]!.contents).toEqual(new Uint8Array(16).fill(7));
  });
  it('says that a storage holds zeroes, and leaves out what is too large', () => {
    const { sent, keep } = keeper(false);
    keep.keep(engine, launchOf([storageOf('new')]), REQUEST);
    keep.keep(engine, launchOf([storageOf('cpu', 65 * 2 ** 20)], 2), REQUEST);
    expect(sent.map(({ storages }) => storages[0]!.contents)).toEqual([{ low: 0, high: 0 }, null]);
  });
  it('is kept once for launches that differ in contents only', () => {
    const { sent, keep } = keeper(false);
    keep.keep(engine, launchOf([storageOf('cpu')]), REQUEST);
    keep.keep(engine, launchOf([storageOf('cpu')]), REQUEST);
    keep.keep(engine, launchOf([storageOf('cpu')], 9), REQUEST);
    expect(sent).toHaveLength(2);
  });
  it('is kept for each of a line whose arguments differ, where that was requested', () => {
    const sent: LaunchInputs[] = [];
    const keep = new InputKeeper((inputs) => sent.push(inputs), false, true);
    const storage = storageOf('cpu');
    keep.keep(engine, launchOf([storage]), REQUEST);
    keep.keep(engine, launchOf([storage]), REQUEST);
    keep.keep(engine, launchOf([storageOf('cpu')]), REQUEST);
    expect(sent).toHaveLength(2);
  });
});
